/* Reductions. Only shape and strides determine which thread reads which elements, so that every GPU computes the same
** results. */

#include "gpu/reduce.h"

#include <stdio.h>
#include <stdlib.h>

#include "gpu/plan.h"


enum {
  BLOCKS       = 2048,     /* if there are too few outputs, the work is cut into about this number of blocks, several
                           ** times as many as a GPU runs at once */
  ENOUGH       = 1024,     /* if the outputs occupy at least this number of blocks, their elements are not cut into
                           ** chunks */
  VECTOR       = 16,       /* bytes of a vector load */
  SINGLE       = 8,        /* elements that a thread loads before it adds them, if elements are loaded singly; the
                           ** same constant as in fold.cuh */
  SHORT_RUN    = 1024,     /* the least number of contiguous elements for which vectors are used, if several dims are
                           ** reduced */
  SHORT_ROW    = 32,       /* the least number of contiguous elements for which vectors are used, if one dim is
                           ** reduced */
  ROW_BYTES    = 128,      /* bytes of the neighbouring elements that the threads of neighbouring outputs read at
                           ** once: a cache line */
  ONE_PASS     = 4         /* if a thread has fewer batches (batch_of) than this number, a second pass costs more than
                           ** it gains */
};

typedef struct row_info { const char *name; enum dtype_class class; } row_info;

static const row_info rows[REDUCE_COUNT] = {
#define ROW_INFO(name, dtypes, ...) [REDUCE_##name] = {#name, CLASS_##dtypes},
#define REDUCE ROW_INFO
#define REDUCE_STATE ROW_INFO
#include "ops.def"
};

int power_of_2(int64_t x, int most) {
  int p = 1;
  while (p < x && p < most) p *= 2;
  return p;
}

int64_t inner_distance(const plan *p, int k) { return p->ndim ? llabs(p->stride[k][p->ndim - 1]) : INT64_MAX; }

void gpu_nest_make(gpu_nest *n, const plan *p, int noperands) {
  n->ndim = p->ndim;
  n->wide = p->count > PLAN_MOST;
  n->stride[0][0] = n->stride[1][0] = 0;
  bool divides = p->count > 0 && !n->wide;       /* true if every length fits into 31 bits */
  for (int d = 0; d < p->ndim; d++) {
    n->divisor[d] = gpu_divide_by(divides ? (uint32_t)p->shape[d] : 1);
    n->length[d] = p->shape[d];
    for (int k = 0; k < noperands; k++) n->stride[k][d] = p->stride[k][d];
  }
}

/* ---- sharing elements among threads ---- */

/* Returns the number of elements that a thread loads before it adds them. fold.cuh has the same rule. */
static int batch_of(int size, bool vectors) { return vectors ? VECTOR / size * (size == 1 ? 2 : 4) : SINGLE; }

static bool has_vectors(const reduce_call *c) {
  const plan *p = &c->reduced;
  int last = p->ndim - 1;
  return last >= 0 && p->stride[0][last] == 1 && p->shape[last] >= (last > 0 ? SHORT_RUN : SHORT_ROW);
}

/* Distributes contiguous elements: neighbouring threads share an output. `run` is the number of contiguous elements. An
** output has one thread for each batch of `batch` elements of a run, rounded up to a power of 2, up to
** REDUCE_THREADS. */
static void share_rows(reduce_args *a, int batch, int64_t run) {
  a->rows = power_of_2(ceil_divide(run, batch), REDUCE_THREADS);
  a->columns = REDUCE_THREADS / a->rows;
}

/* Distributes elements that are not contiguous: neighbouring threads compute neighbouring outputs, so that they read
** contiguous memory. A block gets more rows of threads if there are few outputs side by side, and fewer rows if an
** output has few elements. */
static void share_columns(reduce_args *a, const plan *kept, int size) {
  int64_t length = kept->ndim ? kept->shape[kept->ndim - 1] : 1, most = limit(ROW_BYTES / size, 32, 128);
  a->columns = (int32_t)(length < most ? length : most);
  a->rows = REDUCE_THREADS / a->columns;
  int64_t need = limit(ceil_divide(a->n, SINGLE), 1, a->rows);
  if (need == a->rows) return;
  a->rows = (int32_t)need;
  a->columns = REDUCE_THREADS / a->rows;
}

/* Cuts the elements of each output into chunks, which different blocks process, if there are too few outputs to
** occupy a GPU. */
static void cut_chunks(reduce_args *a, int batch) {
  int64_t step = (int64_t)a->rows * batch, want = a->tiles < ENOUGH ? BLOCKS / a->tiles : 1;
  if (a->n < ONE_PASS * step || want <= 1) want = 1;
  a->chunk = ceil_divide(ceil_divide(a->n, want), step) * step;
  a->chunks = a->n ? (int32_t)ceil_divide(a->n, a->chunk) : 1;
}

bool gpu_reduce_share(reduce_args *a, const reduce_call *c) {
  int size = dtype_size(c->in.dtype);
  a->in = c->in.data;
  a->out = c->out.data;
  a->states = NULL;
  a->outputs = c->kept.count;
  a->n = c->reduced.count;
  a->correction = c->correction;
  a->across = c->reduced.ndim == 0 || inner_distance(&c->kept, 1) < inner_distance(&c->reduced, 0);
  gpu_nest_make(&a->kept, &c->kept, 2);
  gpu_nest_make(&a->reduced, &c->reduced, 1);
  bool vectors = !a->across && has_vectors(c);
  int batch = batch_of(size, vectors);
  if (a->across) share_columns(a, &c->kept, size);
  else share_rows(a, batch, vectors ? c->reduced.shape[c->reduced.ndim - 1] : a->n);
  a->tiles = (int32_t)ceil_divide(a->outputs, a->columns);
  cut_chunks(a, batch);
  a->parts = a->chunks;
  return vectors;
}

size_t gpu_reduce_bytes(const reduce_args *a) { return (size_t)a->outputs * (size_t)a->chunks * REDUCE_STATE; }

/* ---- kernels ---- */

enum entry { ANYWHERE, ROWS, MERGE };
static const char *const entries[] = {"reduce_anywhere", "reduce_rows", "reduce_merge"};

static int build_kernel(gpu *g, uint64_t key, const reduce_call *c, enum entry entry, gpu_folded *f, const gpu_kernel **k) {
  gpu_source s = {.file = "reduce.cuh", .entry = entries[entry]};
  gpu_define(&s, "OP=row_%s", rows[c->op].name);
  gpu_define(&s, "IN=DT_%s", dtypes[c->in.dtype].name);
  gpu_define(&s, "COMPUTE=DT_%s", dtypes[c->compute].name);
  gpu_define(&s, "OUT=DT_%s", dtypes[c->out.dtype].name);
  snprintf(s.name, sizeof s.name, "%s %s", rows[c->op].name, dtypes[c->in.dtype].name);
  return gpu_folded_build(g, key, f, &s, k);
}

static int launch(gpu *g, const reduce_call *c, enum entry entry, int64_t blocks, reduce_args *a, gpu_folded *f) {
  uint64_t key = gpu_folded_key(f, GPU_KEY(GPU_reduce, c->op, c->in.dtype, c->compute, c->out.dtype, 0, entry));
  const gpu_kernel *k = gpu_find(g, key);
  int st = k ? OK : build_kernel(g, key, c, entry, f, &k);
  if (st != OK) return st;
  return gpu_launch(g, k, (unsigned)blocks, REDUCE_THREADS, 0, (void *[]){a, f ? &f->args : NULL, f ? &f->plan : NULL});
}

int gpu_reduce_launch(gpu *g, const reduce_call *c, bool vectors, reduce_args *a, gpu_folded *f) {
  return launch(g, c, vectors ? ROWS : ANYWHERE, (int64_t)a->tiles * a->chunks, a, f);
}

/* Merges the accumulators of all chunks of each output into the output's result. */
static int launch_merge(gpu *g, const reduce_call *c, reduce_args *a) {
  enum { EACH = 4 };                        /* number of accumulators that a thread merges */
  a->chunks = 1;
  a->rows = power_of_2(ceil_divide(a->parts, EACH), REDUCE_THREADS);
  a->columns = REDUCE_THREADS / a->rows;
  return launch(g, c, MERGE, ceil_divide(a->outputs, a->columns), a, NULL);
}

bool gpu_reduce_runs(const reduce_call *c) { return dtype_in_class(c->compute, rows[c->op].class); }

int gpu_reduce_queue(gpu *g, const reduce_call *c, gpu_folded *f) {
  reduce_args a;
  bool vectors = gpu_reduce_share(&a, c);
  if (!f) gpu_reads(g, c->in.data);
  gpu_writes(g, c->out.data);
  if (a.chunks == 1) return gpu_reduce_launch(g, c, vectors, &a, f);
  size_t bytes = gpu_reduce_bytes(&a);
  int st = gpu_scratch(g, bytes, &a.states);
  if (st != OK) return st;
  st = gpu_reduce_launch(g, c, vectors, &a, f);
  if (st == OK) st = launch_merge(g, c, &a);
  gpu_scratch_free(g, a.states, bytes);
  return st;
}

int gpu_reduce(int index, const reduce_call *c) {
  gpu *g;
  if (!gpu_reduce_runs(c)) return ERR_NO_KERNEL;
  if (c->kept.count == 0) return OK;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, gpu_reduce_queue(g, c, NULL)) : st;
}
