/* Launches the kernels for normalisation (kernels/nn/norm.cuh). */

#include <stdio.h>

#include "gpu/gpu.h"
#include "gpu/kernels/nn/norm_args.h"

enum {
  LONG_ROW    = 1024,        /* a row of more elements is processed by a block, a shorter row by SHORT threads */
  SHORT       = 32,          /* the same for all sizes of warps, so that every GPU computes the same results */
  MOST_CHUNKS = 256,         /* the maximum number of chunks into which the rows are cut for the sums of a
                             ** parameter */
  ENOUGH      = 1 << 16      /* rows are cut into chunks until about this number of threads runs; a constant, so that
                             ** chunks and sums do not depend on the GPU */
};

enum entry { ROWS, ROWS_BACK, SUMS, FINISH, APPLY, SOFTMAX_BACK };

static int launch(gpu *g, const norm_call *c, enum entry entry, int64_t blocks, norm_args *a) {
  static const char *const entries[] = {"norm_rows", "norm_rows_back", "norm_sums", "norm_finish", "norm_apply",
                                        "norm_softmax_back"};
  uint64_t key = GPU_KEY(GPU_norm, entry, c->in.dtype, c->compute, 0, 0, 0);
  const gpu_kernel *k = gpu_find(g, key);
  int st = OK;
  if (!k) {
    gpu_source s = {.file = "norm.cuh", .entry = entries[entry]};
    gpu_define(&s, "IN=DT_%s", dtypes[c->in.dtype].name);
    gpu_define(&s, "COMPUTE=DT_%s", dtypes[c->compute].name);
    gpu_define(&s, "OUT=DT_%s", dtypes[c->in.dtype].name);
    snprintf(s.name, sizeof s.name, "normalisation %s", dtypes[c->in.dtype].name);
    st = gpu_build(g, key, &s, &k);
  }
  return st == OK ? gpu_launch(g, k, (unsigned)blocks, NORM_THREADS, 0, (void *[]){a}) : st;
}

static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

static int power_of_2(int64_t n, int most) {
  int p = 1;
  while (p < n && p < most) p *= 2;
  return p;
}

/* Returns the number of blocks if a->threads threads process each of `count` rows or parameters. */
static int64_t blocks_for(const norm_args *a, int64_t count) { return divide_up(count, NORM_THREADS / a->threads); }

/* ---- sums of each parameter ---- */

static void cut(norm_args *a) {
  int64_t params = a->groups * a->segments, sets = a->rows / a->groups;
  a->threads = power_of_2(a->run, NORM_THREADS);
  int64_t chunks = ENOUGH / (params * a->threads);
  chunks = chunks > MOST_CHUNKS ? MOST_CHUNKS : chunks < 1 ? 1 : chunks;
  if (chunks > sets) chunks = sets > 0 ? sets : 1;
  a->chunk = divide_up(sets, chunks);
  a->chunks = a->chunk ? divide_up(sets, a->chunk) : 0;
}

/* Computes the sums of each parameter, and from them the statistics or gradients. In a forward call with given
** statistics (c->given), no sums are computed. */
static int sum_up(gpu *g, const norm_call *c, norm_args *a) {
  int64_t params = a->groups * a->segments;
  int st = OK;
  if (a->sum == NORM_SUM_moments && c->given) a->chunks = 0;
  if (a->chunks > 0) st = launch(g, c, SUMS, blocks_for(a, a->chunks * params), a);
  return st == OK ? launch(g, c, FINISH, divide_up(params, NORM_THREADS), a) : st;
}

static int with_sums(gpu *g, const norm_call *c, norm_args *a, int (*run)(gpu *, const norm_call *, norm_args *)) {
  cut(a);
  int64_t params = a->groups * a->segments;
  size_t bytes = (size_t)(2 * params * (a->chunks + 1)) * sizeof(double);
  void *memory;
  int st = gpu_scratch(g, bytes, &memory);
  if (st != OK) return st;
  a->sums = memory;
  a->parts = a->sums + 2 * params;
  st = run(g, c, a);
  gpu_scratch_free(g, memory, bytes);
  return st;
}

/* ---- the kinds of normalisation ---- */

static int rows(gpu *g, const norm_call *c, norm_args *a) {
  int st = OK;
  a->threads = c->segments * c->run > LONG_ROW ? NORM_THREADS : SHORT;
  if (c->out.data) st = launch(g, c, c->backward ? ROWS_BACK : ROWS, blocks_for(a, c->rows), a);
  if (st != OK || !(c->dweight || c->dbias)) return st;
  a->sum = NORM_SUM_rows;
  return with_sums(g, c, a, sum_up);
}

static int softmax_back(gpu *g, const norm_call *c, norm_args *a) {
  a->threads = c->segments * c->run > LONG_ROW ? NORM_THREADS : SHORT;
  a->logarithm = c->kind == NORM_log_softmax;
  return launch(g, c, SOFTMAX_BACK, blocks_for(a, c->rows), a);
}

static int channels(gpu *g, const norm_call *c, norm_args *a) {
  a->sum = c->backward ? NORM_SUM_channels : NORM_SUM_moments;
  int st = sum_up(g, c, a);
  int64_t blocks = divide_up(c->rows * c->segments * c->run, NORM_THREADS), most = (int64_t)g->cores * 16;
  if (st == OK && c->out.data) st = launch(g, c, APPLY, blocks < most ? blocks : most, a);
  return st;
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
