/* Evenly spaced values. */

#include "cpu.h"

enum {
  BLOCK = 1024,       /* elements made at a time, in L1 */
  GRAIN = 1 << 15
};

static void float_block(double *to, int n, int64_t first, const arange_call *c) {
  double start = c->start.f, step = c->step.f, base = (double)first;
  for (int i = 0; i < n; i++) to[i] = start + (base + (double)i) * step;
}

/* Unsigned, so that it wraps as the last element's unused successor may. */
static void integer_block(int64_t *to, int n, int64_t first, const arange_call *c) {
  uint64_t step = (uint64_t)c->step.i, value = (uint64_t)c->start.i + (uint64_t)first * step;
  for (int i = 0; i < n; i++) to[i] = (int64_t)(value + (uint64_t)i * step);
}

static void arange_range(const arange_call *c, int64_t begin, int64_t end) {
  union { double f[BLOCK]; int64_t i[BLOCK]; } block;
  bool floats = c->start.is_float;
  convert_kernel convert = cpu_isa->convert->convert[floats ? DT_float64 : DT_int64][c->out.dtype];
  for (int64_t i = begin; i < end; i += BLOCK) {
    int n = end - i < BLOCK ? (int)(end - i) : BLOCK;
    if (floats) float_block(block.f, n, i, c);
    else integer_block(block.i, n, i, c);
    convert(n, (char *)c->out.data + i * dtype_size(c->out.dtype), &block);
  }
}

int cpu_arange(int index, const arange_call *c) {
  (void)index;
  int threads = cpu_threads(c->count, GRAIN);
  if (threads == 1) {
    arange_range(c, 0, c->count);
    return OK;
  }
  int64_t share = (c->count / threads + BLOCK) / BLOCK * BLOCK;
  #pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int t = 0; t < threads; t++) {
    int64_t begin = t * share, end = begin + share < c->count ? begin + share : c->count;
    arange_range(c, begin, end);
  }
  return OK;
}
