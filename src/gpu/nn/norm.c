/* Launches the kernels for normalisation (kernels/nn/norm.cuh). */

#include <stdio.h>

#include "gpu/kernels/nn/norm_args.h"
#include "gpu/plan.h"
#include "gpu/reduce.h"

enum {
  FEW_THREADS = 32,          /* the maximum number of threads of a row of at most FEW_THREADS * NORM_ITEMS elements; the
                             ** same for all sizes of warps, so that every GPU computes the same results */
  FEW_ITEMS   = 4,           /* the number of elements of a thread in such a row */
  VECTOR      = 16,          /* bytes of a vector load */
  MOST_CHUNKS = 256,         /* the maximum number of chunks into which the rows are cut for the sums of a
                             ** parameter */
  ENOUGH      = 1 << 17      /* rows are cut into chunks until about this number of threads runs; a constant, so that
                             ** chunks and sums do not depend on the GPU */
};

enum entry { ROWS, ROWS_BACK, SOFTMAX_BACK, SUMS, APPLY, FINISH };

/* Launches a kernel. `vectors` selects the entry that loads vectors. */
static int launch(gpu *g, const norm_call *c, enum entry entry, bool vectors, int64_t blocks, norm_args *a) {
  static const char *const entries[][2] = {
    {"norm_rows_single", "norm_rows"}, {"norm_rows_back_single", "norm_rows_back"},
    {"norm_softmax_back_single", "norm_softmax_back"}, {"norm_sums_single", "norm_sums"},
    {"norm_apply_single", "norm_apply"}, {"norm_finish"}};
  uint64_t key = GPU_KEY(GPU_norm, 2 * (int)entry + vectors, c->in.dtype, c->compute, 0, 0, 0);
  const gpu_kernel *k = gpu_find(g, key);
  int st = OK;
  if (!k) {
    gpu_source s = {.file = "norm.cuh", .entry = entries[entry][vectors]};
    gpu_define(&s, "IN=DT_%s", dtypes[c->in.dtype].name);
    gpu_define(&s, "COMPUTE=DT_%s", dtypes[c->compute].name);
    gpu_define(&s, "OUT=DT_%s", dtypes[c->in.dtype].name);
    snprintf(s.name, sizeof s.name, "normalisation %s", dtypes[c->in.dtype].name);
    st = gpu_build(g, key, &s, &k);
  }
  unsigned threads = entry <= SOFTMAX_BACK && a->threads > NORM_THREADS ? (unsigned)a->threads : NORM_THREADS;
  return st == OK ? gpu_launch(g, k, (unsigned)blocks, threads, 0, (void *[]){a}) : st;
}

/* Returns the number of blocks if a->threads threads process each of `count` rows or parameters. */
static int64_t blocks_for(const norm_args *a, int64_t count) {
  return a->threads > NORM_THREADS ? count : ceil_divide(count, NORM_THREADS / a->threads);
}

/* Returns a divisor of numbers from 0 to `most`. */
static norm_divisor divide_by(int64_t length, int64_t most) {
  bool wide = most > PLAN_MOST || length > PLAN_MOST;
  return (norm_divisor){.small = gpu_divide_by(wide ? 1 : (uint32_t)length), .length = length, .wide = wide};
}

/* ---- vectors ---- */

static bool aligned(const void *data) { return (uintptr_t)data % VECTOR == 0; }

static int64_t vector_of(const norm_call *c) { return VECTOR / dtype_size(c->in.dtype); }

static bool operands_aligned(const norm_call *c) {
  return aligned(c->in.data) && aligned(c->out.data) && aligned(c->gradient.data);
}

/* True if no vector crosses the end of a run. */
static bool runs_fit(const norm_call *c) { return c->run % vector_of(c) == 0 && operands_aligned(c); }

/* True if vectors fit into rows. The elements of a vector have the same weight, or vectors of weights are loaded. */
static bool rows_fit(const norm_call *c) {
  bool across = c->run == 1 && c->segments % vector_of(c) == 0 && aligned(c->weight) && aligned(c->bias);
  return runs_fit(c) || (across && operands_aligned(c));
}

/* ---- sums of each parameter ---- */

/* Cuts the rows into chunks. A run has `vectors` vectors. */
static void cut(norm_args *a, int64_t vectors) {
  int64_t params = a->groups * a->segments, sets = a->rows / a->groups;
  a->threads = power_of_2(vectors, NORM_THREADS);
  int64_t chunks = limit(ENOUGH / (params * a->threads), 1, MOST_CHUNKS);
  if (chunks > sets) chunks = sets > 0 ? sets : 1;
  a->chunk = ceil_divide(sets, chunks);
  a->chunks = a->chunk ? ceil_divide(sets, a->chunk) : 0;
  a->by_run = divide_by(vectors, (a->chunk + 1) * vectors);
}

/* Computes the sums of each parameter, and from them the statistics or gradients. In a forward call with given
** statistics (c->given), no sums are computed. */
static int sum_up(gpu *g, const norm_call *c, norm_args *a) {
  int64_t params = a->groups * a->segments;
  int st = OK;
  if (a->sum == NORM_SUM_moments && c->given) a->chunks = 0;
  if (a->chunks > 0) st = launch(g, c, SUMS, runs_fit(c), blocks_for(a, a->chunks * params), a);
  return st == OK ? launch(g, c, FINISH, false, ceil_divide(params, NORM_COLUMNS), a) : st;
}

static int with_sums(gpu *g, const norm_call *c, norm_args *a, int (*run)(gpu *, const norm_call *, norm_args *)) {
  cut(a, runs_fit(c) ? a->run / vector_of(c) : a->run);
  int64_t params = a->groups * a->segments;
  size_t of_parts = (size_t)(2 * params * a->chunks) * sizeof(double);
  size_t bytes = of_parts + (size_t)(NORM_NUMBERS * params * dtype_size(c->compute));
  void *memory;
  int st = gpu_scratch(g, bytes, &memory);
  if (st != OK) return st;
  a->parts = memory;
  a->numbers = (char *)memory + of_parts;
  st = run(g, c, a);
  gpu_scratch_free(g, memory, bytes);
  return st;
}

/* ---- the kinds of normalisation ---- */

/* Launches a kernel whose threads keep NORM_ITEMS elements of a row each. */
static int launch_rows(gpu *g, const norm_call *c, enum entry entry, norm_args *a) {
  int64_t n = c->segments * c->run;
  bool vectors = rows_fit(c);
  int64_t items = NORM_ITEMS(dtype_size(c->compute));
  int64_t few = vectors && vector_of(c) > FEW_ITEMS ? vector_of(c) : FEW_ITEMS;
  a->threads = n <= FEW_THREADS * items ? power_of_2(ceil_divide(n, few), FEW_THREADS)
                                        : power_of_2(ceil_divide(n, items), NORM_MOST);
  a->by_run = divide_by(c->run, n);
  a->by_groups = divide_by(c->groups, c->rows + NORM_THREADS);
  return launch(g, c, entry, vectors, blocks_for(a, c->rows), a);
}

static int rows(gpu *g, const norm_call *c, norm_args *a) {
  int st = OK;
  if (c->out.data) st = launch_rows(g, c, c->backward ? ROWS_BACK : ROWS, a);
  if (st != OK || !(c->dweight || c->dbias)) return st;
  a->sum = NORM_SUM_rows;
  return with_sums(g, c, a, sum_up);
}

static int softmax_back(gpu *g, const norm_call *c, norm_args *a) {
  a->logarithm = c->kind == NORM_log_softmax;
  return launch_rows(g, c, SOFTMAX_BACK, a);
}

static int channels(gpu *g, const norm_call *c, norm_args *a) {
  a->sum = c->backward ? NORM_SUM_channels : NORM_SUM_moments;
  int st = sum_up(g, c, a);
  if (st != OK || !c->out.data) return st;
  bool vectors = runs_fit(c);
  int64_t run = vectors ? c->run / vector_of(c) : c->run;
  a->vectors = c->rows * c->segments * run;
  const int64_t block = NORM_ROUNDS * NORM_THREADS, most = a->vectors + block;
  a->by_run = divide_by(run, most);
  a->by_segments = divide_by(c->segments, most);
  return launch(g, c, APPLY, vectors, ceil_divide(a->vectors, block), a);
}

static void order(gpu *g, const norm_call *c) {
  const void *reads[] = {c->in.data, c->gradient.data, c->weight, c->bias};
  void *writes[] = {c->out.data, c->running_mean, c->running_var, c->dweight, c->dbias};
  for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) gpu_reads(g, reads[i]);
  for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) gpu_writes(g, writes[i]);
  if (c->backward) gpu_reads(g, c->stats);
  else gpu_writes(g, c->stats);
}

static int run_norm(gpu *g, const norm_call *c) {
  norm_args a = {.in = c->in.data, .gradient = c->gradient.data, .weight = c->weight, .bias = c->bias, .out = c->out.data,
                 .stats = c->stats, .running_mean = c->running_mean, .running_var = c->running_var, .dweight = c->dweight,
                 .dbias = c->dbias, .rows = c->rows, .segments = c->segments, .run = c->run, .groups = c->groups,
                 .channels = c->kind == NORM_channels, .rms = c->rms, .given = c->given, .backward = c->backward,
                 .eps = c->eps, .momentum = c->momentum, .correction = c->correction};
  order(g, c);
  if (c->kind == NORM_softmax || c->kind == NORM_log_softmax) return softmax_back(g, c, &a);
  return c->kind == NORM_rows ? rows(g, c, &a) : with_sums(g, c, &a, channels);
}

int gpu_norm(int index, const norm_call *c) {
  gpu *g;
  if (c->rows * c->segments * c->run == 0) return OK;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, run_norm(g, c)) : st;
}
