/* Cross entropy of rows of logits. The file is compiled for logits of dtype IN, computation in dtype COMPUTE, and
** gradients of dtype OUT. */

#define KERNEL_THREADS CROSS_ENTROPY_THREADS

#include "gpu/kernels/accumulate.cuh"
#include "gpu/kernels/groups.cuh"
#include "gpu/kernels/late.cuh"
#include "gpu/kernels/stored.cuh"
#include "gpu/kernels/nn/cross_entropy_args.h"

typedef state_logsum<C> Row;
enum { AT_ONCE = 4 };              /* number of loads of a thread that are in flight together */

/* row_of returns the row that this thread helps to process. number_in_row returns the thread's number among the row's
** threads. */
INLINE int64_t row_of(const cross_entropy_args &p) {
  return (int64_t)blockIdx.x * (blockDim.x / (unsigned)p.threads) + threadIdx.x / (unsigned)p.threads;
}
INLINE int64_t number_in_row(const cross_entropy_args &p) { return (int64_t)(threadIdx.x % (unsigned)p.threads); }

INLINE bool is_ignored(const cross_entropy_args &p, int64_t r) { return p.ignores && p.classes[r] == p.ignored; }

/* Returns the class of row r, 0-based. If the class is out of range, reports the error and returns 0. */
INLINE int64_t class_of(const cross_entropy_args &p, int64_t r) {
  int64_t at = p.classes[r] - 1;
  if ((uint64_t)at < (uint64_t)p.n) return at;
  report_late((gpu_late *)p.late, p.what, r, at + 1);
  return 0;
}

INLINE logsum sum_row(const cross_entropy_args &p, int64_t r) {
  logsum a = Row::init();
  const in_t *x = (const in_t *)p.in + r * p.n;
  for (int64_t i = number_in_row(p); i < p.n; i += (int64_t)AT_ONCE * p.threads) {
    C y[AT_ONCE][1];
    batch b = {0, 0, 0};
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++)
      if (i + u * p.threads < p.n) y[u][0] = load(x[i + u * p.threads]), b.count = u + 1;
    Row::fold(a, y, b);
  }
  return a;
}

KERNEL_COOPERATIVE(cross_entropy_rows)(cross_entropy_args p) {
  int64_t r = row_of(p);
  logsum a = r < p.rows ? sum_row(p, r) : Row::init();
  a = merge_group<Row>(a, p.threads);
  if (r >= p.rows || number_in_row(p) != 0) return;
  bool counts = !is_ignored(p, r);
  double loss = 0;
  if (counts) {
    int64_t at = class_of(p, r);
    if (p.n > 0) loss = m_log(a.sum) - ((double)load(((const in_t *)p.in)[r * p.n + at]) - a.max);
  }
  ((C *)p.sums)[r] = (C)(counts ? a.max : 0);
  ((C *)p.sums)[p.rows + r] = (C)(counts ? a.sum : 1);
  if (p.single) p.each[r] = loss;
  else ((C *)p.losses)[r] = (C)loss;
}

/* Adds up the losses in one block, always in the same order, so that the sum is reproducible. */
KERNEL_COOPERATIVE(cross_entropy_finish)(cross_entropy_args p) {
  double sum = 0, count = 0;
  for (int64_t r = threadIdx.x; p.single && r < p.rows; r += blockDim.x) {
    sum += p.each[r];
    count += is_ignored(p, r) ? 0 : 1;
  }
  sum = merge_group<row_sum<double>>(sum, (int)blockDim.x);
  count = merge_group<row_sum<double>>(count, (int)blockDim.x);
  if (threadIdx.x != 0) return;
  ((C *)p.sums)[2 * p.rows] = (C)(p.mean ? 1 / count : 1);
  if (p.single) ((C *)p.losses)[0] = (C)(p.mean ? sum / count : sum);
}

KERNEL(cross_entropy_gradient)(cross_entropy_args p) {
  int64_t r = row_of(p);
  if (r >= p.rows) return;
  const in_t *x = (const in_t *)p.in + r * p.n;
  out_t *out = (out_t *)p.out + r * p.n;
  bool counts = !is_ignored(p, r);
  int64_t at = p.classes[r] - 1;
  const C *sums = (const C *)p.sums;
  C g = ((const C *)p.losses)[p.single ? 0 : r] * sums[2 * p.rows], max = sums[r], by = g / sums[p.rows + r];
  for (int64_t i = number_in_row(p); i < p.n; i += p.threads) {
    C y = m_exp((C)(load(x[i]) - max)) * by - (i == at ? g : (C)0);
    out[i] = store(counts ? y : (C)0);
  }
}
