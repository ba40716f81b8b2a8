/* Launches the kernels for cross entropy (kernels/nn/cross_entropy.cuh). */

#include <stdio.h>

#include "gpu/gpu.h"
#include "gpu/kernels/nn/cross_entropy_args.h"

enum { LONG_ROW = 1024, SHORT = 32 };        /* a row of more than LONG_ROW elements is processed by a whole block, a
                                             ** shorter row by SHORT threads */

enum entry { ROWS, FINISH, GRADIENT };

static int launch(gpu *g, const cross_entropy_call *c, enum entry entry, int64_t blocks, cross_entropy_args *a) {
  static const char *const entries[] = {"cross_entropy_rows", "cross_entropy_finish", "cross_entropy_gradient"};
  enum dtype out = c->backward ? c->out.dtype : c->compute;
  uint64_t key = GPU_KEY(GPU_cross_entropy, entry, c->in.dtype, c->compute, out, 0, 0);
  const gpu_kernel *k = gpu_find(g, key);
  int st = OK;
  if (!k) {
    gpu_source s = {.file = "cross_entropy.cuh", .entry = entries[entry]};
    gpu_define(&s, "IN=DT_%s", dtypes[c->in.dtype].name);
    gpu_define(&s, "COMPUTE=DT_%s", dtypes[c->compute].name);
    gpu_define(&s, "OUT=DT_%s", dtypes[out].name);
    snprintf(s.name, sizeof s.name, "cross entropy %s", dtypes[c->in.dtype].name);
    st = gpu_build(g, key, &s, &k);
  }
  return st == OK ? gpu_launch(g, k, (unsigned)blocks, CROSS_ENTROPY_THREADS, 0, (void *[]){a}) : st;
}

static int64_t blocks_of(const cross_entropy_args *a) {
  int64_t rows = CROSS_ENTROPY_THREADS / a->threads;
  return (a->rows + rows - 1) / rows;
}

static int forward(gpu *g, const cross_entropy_call *c, cross_entropy_args *a) {
  size_t bytes = a->single ? (size_t)(c->rows + 1) * sizeof(double) : 0;
  void *each = NULL;
  int st = bytes ? gpu_scratch(g, bytes, &each) : OK;
  if (st != OK) return st;
  a->each = each;
  a->what = gpu_note(g, "cross_entropy", NO_DIM, c->n);
  a->late = (void *)(uintptr_t)gpu_late_cell(g);
  if (c->rows > 0) st = launch(g, c, ROWS, blocks_of(a), a);
  if (st == OK) st = launch(g, c, FINISH, 1, a);
  if (bytes) gpu_scratch_free(g, each, bytes);
  return st;
}

static int run_cross_entropy(gpu *g, const cross_entropy_call *c) {
  cross_entropy_args a = {
    .in = c->in.data, .classes = c->classes, .losses = c->losses, .sums = c->sums, .out = c->out.data,
    .rows = c->rows, .n = c->n, .ignored = c->ignored, .ignores = c->ignores,
    .single = c->reduction != CROSS_ENTROPY_none, .mean = c->reduction == CROSS_ENTROPY_mean,
    .threads = c->n > LONG_ROW ? CROSS_ENTROPY_THREADS : SHORT
  };
  gpu_reads(g, c->in.data);
  gpu_reads(g, c->classes);
  if (!c->backward) {
    gpu_writes(g, c->losses);
    gpu_writes(g, c->sums);
    return forward(g, c, &a);
  }
  gpu_reads(g, c->losses);
  gpu_reads(g, c->sums);
  gpu_writes(g, c->out.data);
  return c->rows * c->n > 0 ? launch(g, c, GRADIENT, blocks_of(&a), &a) : OK;
}

int gpu_cross_entropy(int index, const cross_entropy_call *c) {
  gpu *g;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, run_cross_entropy(g, c)) : st;
}
