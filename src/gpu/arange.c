/* Runs arange on the GPU: fills a tensor with evenly spaced values. */

#include <stdio.h>

#include "gpu/gpu.h"
#include "gpu/plan.h"

enum { THREADS = 256 };

static int find_arange(gpu *g, enum dtype out, enum dtype steps, const gpu_kernel **k) {
  uint64_t key = GPU_KEY(GPU_arange, 0, out, steps, 0, 0, 0);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_source s = {.file = "arange.cuh", .entry = "arange"};
  gpu_define(&s, "OUT=DT_%s", dtypes[out].name);
  gpu_define(&s, "STEPS=DT_%s", dtypes[steps].name);
  snprintf(s.name, sizeof s.name, "arange %s", dtypes[out].name);
  return gpu_build(g, key, &s, k);
}

static int arange(gpu *g, const arange_call *c) {
  const gpu_kernel *k;
  enum dtype steps = c->start.is_float ? DT_float64 : DT_int64;
  int st = find_arange(g, c->out.dtype, steps, &k);
  if (st != OK) return st;
  void *out = c->out.data;
  int64_t count = c->count;
  scalar by = c->step;
  by.is_float = c->start.is_float;
  gpu_word start = gpu_number(&c->start, steps), step = gpu_number(&by, steps);
  gpu_writes(g, out);
  int64_t blocks = (count + THREADS - 1) / THREADS;
  return gpu_launch(g, k, (unsigned)blocks, THREADS, 0, (void *[]){&out, &count, &start, &step});
}

int gpu_arange(int index, const arange_call *c) {
  gpu *g;
  if (c->count == 0) return OK;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, arange(g, c)) : st;
}
