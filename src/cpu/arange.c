/* Fills a tensor with evenly spaced numbers. */

#include "cpu/cpu.h"

enum {
  BLOCK = 1024,       /* the number of elements computed at a time: 8 KiB of doubles, which stay in L1 */
  GRAIN = 1 << 15
};

static void float_block(double *to, int n, int64_t first, const arange_call *c) {
  double start = c->start.f, step = c->step.f, base = (double)first;
  for (int i = 0; i < n; i++) to[i] = start + (base + (double)i) * step;
}

/* The arithmetic is unsigned, because a product with step may overflow although the element itself does not. */
static void integer_block(int64_t *to, int n, int64_t first, const arange_call *c) {
  uint64_t step = (uint64_t)c->step.i, value = (uint64_t)c->start.i + (uint64_t)first * step;
  for (int i = 0; i < n; i++) to[i] = (int64_t)(value + (uint64_t)i * step);
}

static void arange_block(const void *call, int64_t k, int worker) {
  const arange_call *c = call;
  union { double f[BLOCK]; int64_t i[BLOCK]; } block;
  bool floats = c->start.is_float;
  convert_kernel convert = cpu_isa->convert->convert[floats ? DT_float64 : DT_int64][c->out.dtype];
  int64_t i = k * BLOCK;
  int n = c->count - i < BLOCK ? (int)(c->count - i) : BLOCK;
  (void)worker;
  if (floats) float_block(block.f, n, i, c);
  else integer_block(block.i, n, i, c);
  convert(n, (char *)c->out.data + i * dtype_size(c->out.dtype), &block);
}

int cpu_arange(int index, const arange_call *c) {
  (void)index;
  cpu_parallel(cpu_threads(c->count, GRAIN), (c->count + BLOCK - 1) / BLOCK, arange_block, c);
  return OK;
}
