/* Launches the kernels for pooling (kernels/nn/pool.cuh). Each element of the result has a thread. */

#include <stdio.h>

#include "gpu/gpu.h"
#include "gpu/kernels/nn/pool_args.h"
#include "gpu/plan.h"

static int find_kernel(gpu *g, const pool_call *c, const gpu_kernel **k) {
  static const char *const entries[POOL_COUNT] = {
    [POOL_max] = "pool_max", [POOL_max_back] = "pool_max_back",
    [POOL_average] = "pool_average", [POOL_average_back] = "pool_average_back"
  };
  uint64_t key = GPU_KEY(GPU_pool, c->op, c->dtype, 0, 0, 0, 0);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_source s = {.file = "pool.cuh", .entry = entries[c->op]};
  gpu_define(&s, "STORE=DT_%s", dtypes[c->dtype].name);
  snprintf(s.name, sizeof s.name, "pooling %s", dtypes[c->dtype].name);
  return gpu_build(g, key, &s, k);
}

/* True if all lengths and positions fit into 32 bits, because the kernels count in 32 bits. */
static bool fits(const pool_call *c) {
  for (int d = 0; d < 2; d++) {
    if (c->kernel[d] > INT32_MAX || c->stride[d] > INT32_MAX || c->dilation[d] > INT32_MAX) return false;
    if ((c->kernel[d] - 1) * c->dilation[d] > INT32_MAX / 4 || (c->out[d] - 1) * c->stride[d] > INT32_MAX / 4) return false;
    if (c->pad[d] > INT32_MAX / 4 || c->in[d] > INT32_MAX / 4 * 3) return false;
  }
  return c->in[0] * c->in[1] <= INT32_MAX && c->out[0] * c->out[1] <= INT32_MAX;
}

static pool_args arguments_of(const pool_call *c, int64_t line, int64_t width) {
  pool_args a = {.adaptive = c->adaptive, .count_pad = c->count_pad, .divisor = c->divisor,
                 .line = gpu_divide_by((uint32_t)line), .width = gpu_divide_by((uint32_t)width)};
  for (int d = 0; d < 2; d++) {
    a.in[d] = (int32_t)c->in[d];
    a.out[d] = (int32_t)c->out[d];
    a.kernel[d] = (int32_t)c->kernel[d];
    a.stride[d] = (int32_t)c->stride[d];
    a.dilation[d] = (int32_t)c->dilation[d];
    a.pad[d] = (int32_t)c->pad[d];
  }
  return a;
}

/* Runs a kernel on all planes. A launch computes at most 2^31 - 1 elements, so several launches may be needed. */
static int pool(gpu *g, const pool_call *c, bool back) {
  const gpu_kernel *k;
  int64_t in = c->in[0] * c->in[1], out = c->out[0] * c->out[1], line = back ? in : out;
  if (!fits(c)) return ERR_OVERFLOW;
  int st = find_kernel(g, c, &k);
  int64_t planes = INT32_MAX / line, size = dtype_size(c->dtype);
  pool_args a = arguments_of(c, line, back ? c->in[1] : c->out[1]);
  for (int64_t done = 0; st == OK && done < c->planes; done += planes) {
    int64_t count = c->planes - done < planes ? c->planes - done : planes;
    a.x = (char *)c->x + done * in * size;
    a.y = (char *)c->y + done * out * size;
    a.position = c->position ? c->position + done * out : NULL;
    a.threads = (uint32_t)(count * line);
    st = gpu_launch(g, k, (a.threads + POOL_THREADS - 1) / POOL_THREADS, POOL_THREADS, 0, (void *[]){&a});
  }
  return st;
}

int gpu_pool(int index, const pool_call *c) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  bool back = c->op == POOL_max_back || c->op == POOL_average_back;
  gpu_reads(g, back ? c->y : c->x);
  gpu_writes(g, back ? c->x : c->y);
  if (c->op == POOL_max) gpu_writes(g, c->position);
  else gpu_reads(g, c->position);
  return gpu_leave(g, pool(g, c, back));
}
