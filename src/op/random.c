#include "op/random.h"

#include <math.h>
#include <stdlib.h>

#include "base/dispatch.h"
#include "base/random.h"
#include "op/deferral.h"

/* Returns the greatest value of the float dtype d that is less than b. */
static double below(enum dtype d, double b) {
  if (d == DT_float64) return nextafter(b, -INFINITY);
  if (d == DT_float32) return (double)nextafterf((float)b, -INFINITY);
  int exponent, digits = dtypes[d].digits;               /* for half floats, `step` becomes the exponent of the
                                                         ** distance to the next lower value */
  double s = frexp(b, &exponent);
  if (b > 0 && s == 0.5) exponent--;                     /* below a power of two the distances between floats are half
                                                         ** as large */
  int least = 3 - digits - (1 << (dtypes[d].exponent - 1));      /* exponent of the least subnormal */
  int step = b != 0 && exponent - digits > least ? exponent - digits : least;
  return b - ldexp(1, step);
}

/* ---- graphs ---- */

static _Thread_local random_cells *captured;

void random_capture(random_cells *c) { captured = c; }
bool random_is_captured(void)        { return captured != NULL; }

void random_capture_end(void) {
  for (int k = 0; k < captured->count; k++) {
    random_cell *c = &captured->cell[k];
    c->advance = c->g->offset - c->start;
    c->g->offset = c->start;
  }
  captured = NULL;
}

static int add_cell(random_cells *c, generator *g) {
  enum { MORE = 4 };
  if (c->count == c->capacity) {
    random_cell *more = realloc(c->cell, (size_t)(c->capacity + MORE) * sizeof *more);
    if (!more) return ERR_MEMORY;
    c->cell = more;
    c->capacity += MORE;
  }
  void *cell;
  int st = c->where.device->graphs->alloc_apart(c->where.index, 2 * sizeof(uint64_t), &cell);
  if (st == OK) c->cell[c->count++] = (random_cell){.g = g, .start = g->offset, .cell = cell};
  return st;
}

/* Finds the generator's cell in the graph that is being captured, or makes it at the first draw. Sets *cell to NULL if
** this thread captures no graph on this device. Fails with the errors of add_cell. */
static int find_cell(generator *g, place where, const random_cell **cell) {
  *cell = NULL;
  if (!captured || !place_equal(captured->where, where)) return OK;
  int k = 0;
  while (k < captured->count && captured->cell[k].g != g) k++;
  int st = k < captured->count ? OK : add_cell(captured, g);
  if (st == OK) *cell = &captured->cell[k];
  return st;
}

int random_replay(const random_cells *c) {
  int st = OK;
  for (int k = 0; st == OK && k < c->count; k++) {
    uint64_t now[2] = {c->cell[k].g->offset, c->cell[k].g->seed};
    st = device_copy_in(c->where, c->cell[k].cell, now, sizeof now);
  }
  return st;
}

void random_replayed(const random_cells *c) {
  for (int k = 0; k < c->count; k++) c->cell[k].g->offset += c->cell[k].advance;
}

void random_undo(const random_cells *c) {
  for (int k = 0; k < c->count; k++) c->cell[k].g->offset -= c->cell[k].advance;
}

void random_cells_free(random_cells *c) {
  for (int k = 0; k < c->count; k++) c->where.device->free(c->where.index, c->cell[k].cell, 2 * sizeof(uint64_t));
  free(c->cell);
  *c = (random_cells){.count = 0};
}

/* ---- drawing ---- */

/* A draw: the fields of the job, and where its numbers begin. */
typedef struct draw {
  uint64_t op;
  scalar   a, b, low, range;             /* of low and range, only the integers are used */
  uint64_t seed, offset;                 /* offset: with a cell, the distance from the offset in the cell */
  const uint64_t *cell;                  /* or NULL */
} draw;

_Static_assert(sizeof(draw) <= OPAQUE_OPTIONS, "a list has no room for the options");

/* Returns whether an element takes a counter value of its own. */
static bool is_wide(enum random_op op, enum dtype d) { return op >= RANDOM_integers || d == DT_float64; }

/* Fills *d. Fails with the errors of add_cell. */
static int make_draw(draw *d, const random_job *j, generator *g, place where) {
  const random_cell *cell;
  int st = find_cell(g, where, &cell);
  if (st != OK) return st;
  *d = (draw){.op = (uint64_t)j->op, .a = {.f = j->a, .is_float = true}, .b = {.f = j->b, .is_float = true}, .low = {.i = j->low},
              .range = {.i = (int64_t)j->range}, .seed = g->seed, .offset = g->offset - (cell ? cell->start : 0),
              .cell = cell ? cell->cell : NULL};
  return OK;
}

static int run_contiguous(const draw *d, tensor *out) {
  enum random_op op = (enum random_op)d->op;
  random_call c = {
    .op = op, .seed = d->seed, .offset = d->offset, .cell = d->cell, .out = {.data = tensor_data(out), .dtype = out->dtype},
    .count = out->count, .a = d->a.f, .b = d->b.f,
    .most = op == RANDOM_uniform ? fmax(below(out->dtype, d->b.f), d->a.f) : 0,
    .bits = dtypes[out->dtype].digits, .low = d->low.i, .range = (uint64_t)d->range.i,
  };
  return device_random(out->store->place, &c);
}

static int run(const draw *d, tensor *out) {
  if (tensor_is_contiguous(out)) return run_contiguous(d, out);
  tensor fresh = {.store = NULL};
  int st = tensor_init(&fresh, out->dtype, &out->shape, out->store->place);
  if (st == OK) st = run_contiguous(d, &fresh);
  if (st == OK) st = op_copy(out, &fresh);
  tensor_drop(&fresh);
  return st;
}

static int run_deferred(const void *options, const tensor *const *in, tensor *const *out) {
  (void)in;
  return run(options, out[0]);
}

static const opaque_op deferred_random = {.run = run_deferred, .options = sizeof(draw), .key = offsetof(draw, a),
                                          .numbers = 4 * sizeof(scalar)};

int random_run_later(const char *fn, const random_job *j, generator *g, tensor *out) {
  draw d;
  if (j->op < RANDOM_integers && dtype_kind(out->dtype) != KIND_FLOAT) return ERR_DTYPE;
  if (tensor_is_overlapping(out)) return ERR_READONLY;
  if (out->count == 0) return OK;
  int st = make_draw(&d, j, g, out->store->place);
  if (st != OK) return st;
  if (open_deferral) st = opaque_run_later(&(opaque_call){.op = &deferred_random, .name = fn, .options = &d, .out = {out}, .nout = 1});
  else st = run(&d, out);
  if (st == OK) g->offset += random_counters((uint64_t)out->count, is_wide(j->op, out->dtype));
  return st;
}
