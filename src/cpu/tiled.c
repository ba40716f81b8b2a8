/* Computes several calls tile by tile. The threads share the tiles. A thread runs all parts of a tile one after the
** other, by the functions of their families, which run on the calling thread alone because they are inside of a parallel
** region. */

#include <stdatomic.h>

#include "cpu/program.h"

enum { GRAIN = 1 << 15 };    /* the fewest elements for each thread: for less, a thread costs more time than it saves */

typedef struct tiled_work {
  const tiled_call *call;
  char   *scratch;           /* call->scratch bytes for each thread */
  _Atomic int *status;       /* the first error */
} tiled_work;

/* Moves operand `number` of a part to a tile that begins with row `row`. */
static void move_operand(const tiled_part *p, int number, operand *o, int64_t row, char *scratch) {
  const tiled_operand *at = &p->at[number];
  if (at->number) return;
  o->data = at->local ? scratch + at->offset : (char *)o->data + row * at->step;
}

static void move_line(const tiled_part *p, line_call *c, int64_t row, char *scratch) {
  move_operand(p, 0, &c->out, row, scratch);
  move_operand(p, 1, &c->in, row, scratch);
}

static int run_map(const tiled_part *p, const map_call *from, int64_t row, char *scratch) {
  map_call c = *from;
  move_operand(p, 0, &c.out, row, scratch);
  for (int k = 0; k < c.nin; k++) move_operand(p, 1 + k, &c.in[k], row, scratch);
  return cpu_map(0, &c);
}

static elementwise_call move_elementwise(const tiled_part *p, const elementwise_call *from, int64_t row, char *scratch) {
  elementwise_call c = *from;
  for (int k = 0; k < c.program->nout; k++) move_operand(p, k, &c.out[k], row, scratch);
  for (int k = 0; k < c.program->nin; k++) move_operand(p, c.program->nout + k, &c.in[k], row, scratch);
  return c;
}

static int run_elementwise(const tiled_part *p, const elementwise_call *from, int64_t row, char *scratch) {
  elementwise_call c = move_elementwise(p, from, row, scratch);
  return cpu_elementwise(0, &c);
}

static int run_reduce(const tiled_part *p, const reduce_call *from, int64_t row, char *scratch) {
  reduce_call c = *from;
  move_operand(p, 0, &c.out, row, scratch);
  move_operand(p, 1, &c.in, row, scratch);
  return cpu_reduce(0, &c);
}

/* Runs the program of a part with the next n parts, which fold one of its results. */
static int run_folded(const tiled_part *p, int n, enum tiled_size size, int64_t row, char *scratch) {
  elementwise_call c = move_elementwise(p, p->call[size], row, scratch);
  reduce_call moved[TILED_PARTS];
  const reduce_call *r[TILED_PARTS];
  for (int k = 0; k < n; k++) {
    moved[k] = *(const reduce_call *)p[1 + k].call[size];
    move_operand(&p[1 + k], 0, &moved[k].out, row, scratch);
    r[k] = &moved[k];
  }
  return reduce_all_program(r, n, &c, p->folded);
}

static int run_scan(const tiled_part *p, const scan_call *from, int64_t row, char *scratch) {
  scan_call c = *from;
  move_line(p, &c.line, row, scratch);
  return cpu_scan(0, &c);
}

static int run_softmax(const tiled_part *p, const softmax_call *from, int64_t row, char *scratch) {
  softmax_call c = *from;
  move_line(p, &c.line, row, scratch);
  return cpu_softmax(0, &c);
}

static int run_part(const tiled_part *p, enum tiled_size size, int64_t row, char *scratch) {
  const void *call = p->call[size];
  switch (p->family) {
    case TILED_map:         return run_map(p, call, row, scratch);
    case TILED_elementwise: return run_elementwise(p, call, row, scratch);
    case TILED_reduce:      return run_reduce(p, call, row, scratch);
    case TILED_scan:        return run_scan(p, call, row, scratch);
    default:                return run_softmax(p, call, row, scratch);
  }
}

static void run_tile(const void *work_at, int64_t i, int worker) {
  const tiled_work *w = work_at;
  const tiled_call *c = w->call;
  int64_t row = i * c->tile;
  enum tiled_size size = row + c->tile <= c->rows ? TILED_FULL : TILED_LAST;
  char *scratch = w->scratch + c->scratch * (size_t)worker;
  for (int k = 0; k < c->nparts && atomic_load_explicit(w->status, memory_order_relaxed) == OK; k++) {
    bool folds = c->part[k].folded >= 0;
    int st = folds ? run_folded(&c->part[k], 1, size, row, scratch) : run_part(&c->part[k], size, row, scratch);
    k += folds;
    if (st != OK) atomic_store(w->status, st);
  }
}

/* True if a part computes the same bits for a tile as for all rows. */
static bool is_alike(const tiled_part *p, enum tiled_size size) {
  const void *whole = p->call[TILED_WHOLE], *tile = p->call[size];
  switch (p->family) {
    case TILED_reduce:  return cpu_reduces_alike(whole, tile);
    case TILED_softmax: return cpu_softmaxes_alike(whole, tile);
    case TILED_scan:    return cpu_scans_alike(whole);
    default:            return true;
  }
}

/* True if the parts behind the first can take its elements, and use as many threads as the program alone. */
static bool can_fold(const tiled_call *c) {
  const reduce_call *r[TILED_PARTS];
  for (int k = 1; k < c->nparts; k++) r[k - 1] = c->part[k].call[TILED_WHOLE];
  return reduces_together(r, c->nparts - 1) && cpu_reduces_shared(r[0], c->part[0].call[TILED_WHOLE]);
}

bool cpu_can_tile(const tiled_call *c) {
  if (c->rows == 1) return can_fold(c);
  for (int k = 0; k < c->nparts; k++) {
    if (!is_alike(&c->part[k], TILED_FULL)) return false;
    if (c->rows % c->tile && !is_alike(&c->part[k], TILED_LAST)) return false;
  }
  return true;
}

static int64_t elements(const tiled_call *c) {
  int64_t bytes = 0;
  for (int k = 0; k < c->nparts; k++)
    for (int i = 0; i < c->part[k].noperand; i++) bytes += c->part[k].at[i].bytes;
  return bytes / 4;
}

int cpu_run_tiles(int index, const tiled_call *c) {
  if (c->rows == 1) return run_folded(&c->part[0], c->nparts - 1, TILED_WHOLE, 0, NULL);
  int64_t tiles = (c->rows + c->tile - 1) / c->tile;
  int threads = cpu_threads(elements(c), GRAIN);
  if (threads > tiles) threads = (int)tiles;
  _Atomic int status = OK;
  void *scratch = NULL;
  size_t bytes = c->scratch * (size_t)threads;
  int st = bytes ? cpu_alloc(index, bytes, &scratch) : OK;
  if (st != OK) return st;
  cpu_parallel(threads, tiles, run_tile, &(tiled_work){c, scratch, &status});
  if (bytes) cpu_free(index, scratch, bytes);
  return atomic_load(&status);
}

int cpu_tiled(int index, const tiled_call *c) { return cpu_can_tile(c) ? cpu_run_tiles(index, c) : ERR_NO_KERNEL; }
