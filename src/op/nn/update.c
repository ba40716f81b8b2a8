/* Updates of parameters in place: the functions check the operands, plan the loops, and call the device. */

#include "op/nn/update.h"

#include <stdlib.h>
#include <string.h>

#include "base/dispatch.h"
#include "op/deferral.h"

const update_info update_rows[UPDATE_COUNT] = {
#define UPDATE0(name, n, ...)          [UPDATE_##name] = {#name, n, 0, {NULL}},
#define UPDATE1(name, n, s, ...)       [UPDATE_##name] = {#name, n, 1, {#s}},
#define UPDATE2(name, n, s, t, ...)    [UPDATE_##name] = {#name, n, 2, {#s, #t}},
#define UPDATE3(name, n, s, t, u, ...) [UPDATE_##name] = {#name, n, 3, {#s, #t, #u}},
#include "update.def"
};

int op_update_check(tensor *const *at, int operands, bool *flat) {
  *flat = true;
  for (int k = 0; k < operands; k++) {
    bool contiguous = tensor_is_contiguous(at[k]);
    if (!contiguous) *flat = false;
    if (k == 1) continue;
    if (!contiguous && tensor_is_overlapping(at[k])) return ERR_READONLY;
    if (at[k]->store == at[1]->store && tensor_conflicts(at[k], at[1])) return ERR_OVERLAP;
  }
  return OK;
}

static int operands_of(const parameter_update *u) { return 2 + update_rows[u->op].states; }

/* True if u is still to be done, and one call can do it together with `first`. */
static bool joins(const parameter_update *u, const parameter_update *first) {
  return u->at[0] && !u->done && u->at[0]->dtype == first->at[0]->dtype &&
         place_equal(u->at[0]->store->place, first->at[0]->store->place);
}

/* ---- graphs ---- */

static _Thread_local update_cells *captured, *collected;

void update_capture(update_cells *c) { captured = c; }
bool update_is_captured(place where) { return captured && place_equal(captured->where, where); }

static int add_block(update_cells *c) {
  update_block *more = realloc(c->block, (size_t)(c->nblock + 1) * sizeof *more);
  if (!more) return ERR_MEMORY;
  c->block = more;
  void *memory;
  int st = c->where.device->graphs->alloc_apart(c->where.index, sizeof more->now, &memory);
  if (st == OK) c->block[c->nblock++].memory = memory;
  return st;
}

/* Adds a cell for an update to the graph that this thread captures. Sets *cell to the cell's address. */
static int add_cell(update_cells *c, const parameter_update *u, const double **cell) {
  int at = c->count % UPDATE_CELLS, st = c->count == c->nblock * UPDATE_CELLS ? add_block(c) : OK;
  if (st != OK) return st;
  update_block *b = &c->block[c->count / UPDATE_CELLS];
  b->cell[at] = (struct update_cell){.op = u->op};
  for (int k = 0; k < operands_of(u); k++) b->cell[at].at[k] = k == 1 ? NULL : tensor_data(u->at[k]);
  *cell = b->memory[at];
  c->count++;
  return OK;
}

void update_collect(update_cells *c) {
  if (c) c->given = 0;
  collected = c;
}

bool update_is_collecting(void) { return collected != NULL; }

/* Gives the numbers of one update to the next cell. */
static bool give(update_cells *c, const parameter_update *u) {
  if (c->given == c->count) return false;
  update_block *b = &c->block[c->given / UPDATE_CELLS];
  int i = c->given % UPDATE_CELLS;
  if (b->cell[i].op != u->op) return false;
  for (int k = 0; k < operands_of(u); k++)
    if (k != 1 && b->cell[i].at[k] != tensor_data(u->at[k])) return false;
  memcpy(b->now[i], u->number, sizeof b->now[i]);
  c->given++;
  return true;
}

int update_give(parameter_update *list, int n, int first) {
  for (int k = first; k < n; k++) {
    if (!joins(&list[k], &list[first])) continue;
    if (!give(collected, &list[k])) return k;
    list[k].done = true;
  }
  return n;
}

int update_send(const update_cells *c) {
  int st = OK;
  for (int k = 0; st == OK && k * UPDATE_CELLS < c->count; k++) {
    const update_block *b = &c->block[k];
    int rest = c->count - k * UPDATE_CELLS, n = rest < UPDATE_CELLS ? rest : UPDATE_CELLS;
    st = device_copy_in(c->where, b->memory, b->now, (size_t)n * sizeof *b->now);
  }
  return st;
}

void update_cells_forget(update_cells *c) {
  free(c->block);
  *c = (update_cells){.where = c->where};
}

void update_cells_free(update_cells *c) {
  for (int k = 0; k < c->nblock; k++)
    c->where.device->free(c->where.index, c->block[k].memory, sizeof c->block[k].now);
  update_cells_forget(c);
}

/* ---- updates ---- */

/* The updates that op_update makes: item[k] is the item of *of[k]. */
typedef struct batch {
  int          count;
  void        *memory;                   /* the memory of all arrays */
  update_item *item;
  parameter_update **of;
} batch;

/* Sets i to the item of u, which uses *p if the operands are not contiguous. Stores the versions of u's operands. */
static void make_item(update_item *i, parameter_update *u, plan *p) {
  int operands = operands_of(u);
  *i = (update_item){.op = u->op, .states = operands - 2, .count = u->at[0]->count, .number = u->number};
  for (int k = 0; k < operands; k++) {
    i->at[k] = tensor_data(u->at[k]);
    u->version[k] = u->at[k]->store->version;
  }
  if (u->flat) return;
  plan_init(p, &u->at[0]->shape);
  for (int k = 0; k < operands; k++) plan_operand(p, k, u->at[k]->stride);
  plan_collapse(p, operands);
  for (int k = 0; k < operands; k++)
    if (p->ndim > 1 || (p->ndim == 1 && p->stride[k][0] != 1)) i->plan = p;
}

/* Collects list[first] and the later updates that join it. Allocates b->memory, which the caller frees. */
static int collect(batch *b, parameter_update *list, int n, int first) {
  size_t count = 0, plans = 0;
  for (int k = first; k < n; k++)
    if (joins(&list[k], &list[first])) count++, plans += !list[k].flat;
  plan *p = malloc(plans * sizeof *p + count * (sizeof *b->item + sizeof *b->of));
  if (!p) return ERR_MEMORY;
  *b = (batch){.memory = p, .item = (update_item *)(p + plans)};
  b->of = (parameter_update **)(b->item + count);
  for (int k = first; k < n; k++) {
    if (!joins(&list[k], &list[first])) continue;
    make_item(&b->item[b->count], &list[k], p);
    if (!list[k].flat) p++;
    b->of[b->count++] = &list[k];
  }
  return OK;
}

/* Raises the versions of all tensors that the batch writes. Returns true if an update writes to a storage that another
** update reads or writes: then the storage's version has another value than this update alone gives it. */
static bool raise_versions(batch *b) {
  bool shared = false;
  for (int i = 0; i < b->count; i++) {
    parameter_update *u = b->of[i];
    for (int k = 0; k < operands_of(u); k++) {
      if (k == 1) continue;
      if (u->at[k]->store->version != u->version[k]) shared = true;
      storage_written(u->at[k]->store);
    }
  }
  for (int i = 0; i < b->count; i++)
    if (b->of[i]->at[1]->store->version != b->of[i]->version[1]) shared = true;
  return shared;
}

/* Takes back raise_versions for the updates that are not done, to which nothing was written. */
static void lower_versions(batch *b) {
  for (int i = 0; i < b->count; i++)
    for (int k = 0; !b->of[i]->done && k < operands_of(b->of[i]); k++)
      if (k != 1) b->of[i]->at[k]->store->version--;
}

/* Makes n updates of the batch, from item `first` on, in one call of the device. */
static int run(batch *b, int first, int n) {
  update_item *item = &b->item[first];
  parameter_update **of = &b->of[first];
  place where = of[0]->at[0]->store->place;
  update_cells *cells = update_is_captured(where) ? captured : NULL;
  int before = cells ? cells->count : 0, st = OK;
  int64_t blocks = 0;
  for (int k = 0; st == OK && k < n; k++) {
    item[k].first = blocks;
    blocks += update_blocks(&item[k]);
    if (cells) st = add_cell(cells, of[k], &item[k].cell);
  }
  update_call c = {.dtype = of[0]->at[0]->dtype, .count = n, .item = item};
  if (st == OK && blocks > 0) st = device_update(where, &c);
  if (st != OK && cells) cells->count = before;
  for (int k = 0; st == OK && k < n; k++) {
    of[k]->done = true;
    of[k]->captured = cells != NULL;
  }
  return st;
}

int op_update(parameter_update *list, int n, int first) {
  batch b;
  int st = collect(&b, list, n, first);
  if (st != OK) return st;
  int each = raise_versions(&b) ? 1 : b.count;
  for (int k = 0; st == OK && k < b.count; k += each) st = run(&b, k, each);
  if (st == ERR_MEMORY || st == ERR_NO_KERNEL) lower_versions(&b);
  free(b.memory);
  return st;
}

/* ---- deferring ---- */

typedef struct update_options {
  uint64_t op;
  double   number[UPDATE_NUMBERS];
} update_options;

_Static_assert(sizeof(update_options) <= OPAQUE_OPTIONS, "a list has no room for the options");

/* Sets u to a deferred call, which reads all operands and writes all but the gradient. */
static void set_update(parameter_update *u, const opaque_args *a) {
  const update_options *o = a->options;
  *u = (parameter_update){.op = (enum update_op)o->op};
  memcpy(u->number, o->number, sizeof u->number);
  u->at[0] = a->out[0];
  u->at[1] = a->in[1];
  for (int k = 2; k < operands_of(u); k++) u->at[k] = a->out[k - 1];
  op_update_check(u->at, operands_of(u), &u->flat);
}

/* Makes the updates. The versions were raised when the updates were deferred. */
static int run_deferred(opaque_args *list, int n) {
  parameter_update *u = malloc((size_t)n * sizeof *u);
  if (!u) return ERR_MEMORY;
  int st = OK;
  for (int k = 0; k < n; k++) set_update(&u[k], &list[k]);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < operands_of(&u[k]); i++) u[k].version[i] = u[k].at[i]->store->version;
  for (int k = 0; st == OK && k < n; k++)
    if (!u[k].done) st = op_update(u, n, k);
  for (int k = n - 1; k >= 0; k--) {
    for (int i = 0; i < operands_of(&u[k]); i++) u[k].at[i]->store->version = u[k].version[i];
    list[k].done = u[k].done;
  }
  free(u);
  return st;
}

static const opaque_op deferred_update = {.run_all = run_deferred, .options = sizeof(update_options),
                                          .key = offsetof(update_options, number)};

int update_defer(parameter_update *u) {
  update_options o = {.op = (uint64_t)u->op};
  opaque_call c = {.op = &deferred_update, .name = "step", .options = &o};
  memcpy(o.number, u->number, sizeof o.number);
  for (int k = 0; k < operands_of(u); k++) {
    c.in[c.nin++] = u->at[k];
    if (k != 1) c.out[c.nout++] = u->at[k];
  }
  int st = OK;
  u->done = opaque_defer(&c, &st) && st == OK;
  for (int k = 0; u->done && k < c.nout; k++) storage_written(c.out[k]->store);
  return st;
}
