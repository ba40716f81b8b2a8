/* Normalisation of rows and of channels, as defined by norm_call in base/calls.h. The file is compiled for elements
** of dtype IN, computation in dtype COMPUTE, and results of dtype OUT. A mean that the call computes is stored as its
** distance from the first element of the row or channel. Sums are computed in double. */

#define KERNEL_THREADS NORM_THREADS

#include "gpu/kernels/accumulate.cuh"
#include "gpu/kernels/groups.cuh"
#include "gpu/kernels/stored.cuh"
#include "gpu/kernels/nn/norm_args.h"

typedef row_sum<double> Sum;

INLINE int64_t group_number(const norm_args &p) {
  return (int64_t)blockIdx.x * (blockDim.x / (unsigned)p.threads) + threadIdx.x / (unsigned)p.threads;
}
INLINE int number_in_group(const norm_args &p) { return (int)(threadIdx.x % (unsigned)p.threads); }
INLINE double merged(const norm_args &p, double sum) { return merge_group<Sum>(sum, p.threads); }

INLINE C element_at(const void *data, int64_t i) { return load(((const in_t *)data)[i]); }
INLINE C number_at(const void *data, int64_t i, C otherwise) { return data ? ((const C *)data)[i] : otherwise; }
INLINE int64_t parameters(const norm_args &p) { return p.groups * p.segments; }

/* ---- rows ---- */

/* Returns the index of the weight and bias that belong to element i of row r. */
INLINE int64_t parameter_of(const norm_args &p, int64_t r, int64_t i) {
  return r % p.groups * p.segments + (p.run == 1 ? i : i / p.run);
}

KERNEL_COOPERATIVE(norm_rows)(norm_args p) {
  int64_t r = group_number(p), n = r < p.rows ? p.segments * p.run : 0, first = r * (p.segments * p.run);
  C from = n > 0 && !p.rms ? element_at(p.in, first) : (C)0;
  double sum = 0;
  for (int64_t i = number_in_group(p); i < n && !p.rms; i += p.threads) sum += (double)(element_at(p.in, first + i) - from);
  C mean = (C)(merged(p, sum) / (double)n);
  if (p.rms) mean = 0;
  double squares = 0;
  for (int64_t i = number_in_group(p); i < n; i += p.threads) {
    double d = (double)((element_at(p.in, first + i) - from) - mean);
    squares += d * d;
  }
  C rstd = (C)(1 / m_sqrt(merged(p, squares) / (double)n + p.eps));
  if (n > 0 && number_in_group(p) == 0) {
    if (!p.rms) ((C *)p.stats)[r] = mean;
    ((C *)p.stats)[p.rms ? r : p.rows + r] = rstd;
  }
  for (int64_t i = number_in_group(p); i < n; i += p.threads) {
    int64_t k = parameter_of(p, r, i);
    C d = (element_at(p.in, first + i) - from) - mean;
    ((out_t *)p.out)[first + i] = store((C)(d * rstd * number_at(p.weight, k, 1) + number_at(p.bias, k, 0)));
  }
}

KERNEL_COOPERATIVE(norm_rows_back)(norm_args p) {
  int64_t r = group_number(p), n = r < p.rows ? p.segments * p.run : 0, first = r * (p.segments * p.run);
  C from = n > 0 && !p.rms ? element_at(p.in, first) : (C)0, mean = n > 0 && !p.rms ? ((const C *)p.stats)[r] : (C)0;
  C rstd = n > 0 ? ((const C *)p.stats)[p.rms ? r : p.rows + r] : (C)0;
  double along = 0, sum = 0;
  for (int64_t i = number_in_group(p); i < n; i += p.threads) {
    C g = element_at(p.gradient, first + i) * number_at(p.weight, parameter_of(p, r, i), 1);
    along += (double)(g * (((element_at(p.in, first + i) - from) - mean) * rstd));
    sum += (double)g;
  }
  C slope = (C)(-merged(p, along) * (double)rstd * (double)rstd / (double)n);
  C add = (C)(-merged(p, sum) * (double)rstd / (double)n);
  if (p.rms) add = 0;
  for (int64_t i = number_in_group(p); i < n; i += p.threads) {
    C g = element_at(p.gradient, first + i) * number_at(p.weight, parameter_of(p, r, i), 1);
    C d = (element_at(p.in, first + i) - from) - mean;
    ((out_t *)p.out)[first + i] = store((C)(g * rstd + d * slope + add));
  }
}

/* Computes the gradient of softmax, or of log_softmax if p.logarithm is set. `in` is the result of the forward
** function. */
KERNEL_COOPERATIVE(norm_softmax_back)(norm_args p) {
  int64_t r = group_number(p), n = r < p.rows ? p.segments * p.run : 0, first = r * (p.segments * p.run);
  double sum = 0;
  for (int64_t i = number_in_group(p); i < n; i += p.threads) {
    C g = element_at(p.gradient, first + i);
    sum += p.logarithm ? (double)g : (double)(g * element_at(p.in, first + i));
  }
  C all = (C)merged(p, sum);
  for (int64_t i = number_in_group(p); i < n; i += p.threads) {
    C g = element_at(p.gradient, first + i), o = element_at(p.in, first + i);
    ((out_t *)p.out)[first + i] = store((C)(p.logarithm ? g - m_exp(o) * all : o * (g - all)));
  }
}

/* ---- sums of each parameter ---- */

/* Adds this thread's part of a chunk to *a and *b, the two sums of parameter k that enum norm_sum defines. */
INLINE void sum_chunk(const norm_args &p, int64_t chunk, int64_t k, double *a, double *b) {
  int64_t begin = chunk * p.chunk, end = begin + p.chunk, sets = p.rows / p.groups;
  if (end > sets) end = sets;
  C from = p.given || p.sum == NORM_SUM_rows ? (C)0 : element_at(p.in, k * p.run);
  C mean = p.sum == NORM_SUM_channels ? ((const C *)p.stats)[k] : (C)0, rstd = 1;
  for (int64_t s = begin; s < end; s++) {
    int64_t r = s * p.groups + k / p.segments, row = r * p.segments * p.run, first = row + k % p.segments * p.run;
    if (p.sum == NORM_SUM_rows) {
      from = p.rms ? (C)0 : element_at(p.in, row);
      mean = p.rms ? (C)0 : ((const C *)p.stats)[r];
      rstd = ((const C *)p.stats)[p.rms ? r : p.rows + r];
    }
    for (int64_t i = number_in_group(p); i < p.run; i += p.threads) {
      C d = (element_at(p.in, first + i) - from) - mean;
      double g = p.sum == NORM_SUM_moments ? (double)d : (double)element_at(p.gradient, first + i);
      *a += g * (double)(d * rstd);
      *b += g;
    }
  }
}

KERNEL_COOPERATIVE(norm_sums)(norm_args p) {
  int64_t number = group_number(p), params = parameters(p), chunk = number / params, k = number % params;
  double a = 0, b = 0;
  if (chunk < p.chunks) sum_chunk(p, chunk, k, &a, &b);
  a = merged(p, a);
  b = merged(p, b);
  if (chunk >= p.chunks || number_in_group(p) != 0) return;
  p.parts[chunk * 2 * params + k] = a;
  p.parts[chunk * 2 * params + params + k] = b;
}

INLINE void follow(const norm_args &p, void *running, int64_t k, double value) {
  if (!running) return;
  double old = (double)((C *)running)[k];
  ((C *)running)[k] = (C)(old + p.momentum * (value - old));
}

/* Computes mean and variance of channel k from two sums over all elements of the channel. b is the sum of the distances
** from the first element, and a is the sum of the squared distances. If p.given is set, running_mean and running_var
** are used instead of the sums. */
INLINE void finish_moments(const norm_args &p, int64_t k, double a, double b) {
  double n = (double)p.rows * (double)p.run, from = p.given ? 0 : (double)element_at(p.in, k * p.run);
  double mean = b / n, var = a / n - mean * mean;
  if (var < 0) var = 0;
  if (p.given) {
    mean = (double)((const C *)p.running_mean)[k];
    var = (double)((const C *)p.running_var)[k];
  } else {
    follow(p, p.running_mean, k, from + mean);
    follow(p, p.running_var, k, var * p.correction);
  }
  ((C *)p.stats)[k] = (C)mean;
  ((C *)p.stats)[p.segments + k] = (C)(1 / m_sqrt(var + p.eps));
}

KERNEL(norm_finish)(norm_args p) {
  int64_t k = (int64_t)grid_thread(), params = parameters(p);
  if (k >= params) return;
  double a = 0, b = 0;
  for (int64_t chunk = 0; chunk < p.chunks; chunk++) {
    a += p.parts[chunk * 2 * params + k];
    b += p.parts[chunk * 2 * params + params + k];
  }
  if (p.sum == NORM_SUM_moments) {
    finish_moments(p, k, a, b);
    return;
  }
  double rstd = p.channels ? (double)((const C *)p.stats)[p.segments + k] : 1;
  if (p.dweight) ((C *)p.dweight)[k] = (C)(a * rstd);
  if (p.dbias) ((C *)p.dbias)[k] = (C)b;
  if (!p.channels) return;
  p.sums[k] = a;
  p.sums[params + k] = b;
}

/* ---- channels ---- */

/* Each thread computes separate elements from the statistics or sums of their channel. */

INLINE C channel_gradient(const norm_args &p, int64_t i, int64_t k, C by, C d, C rstd) {
  C g = element_at(p.gradient, i) * by;
  if (p.given) return g;
  double n = (double)p.rows * (double)p.run;
  C slope = (C)(-(double)by * (double)rstd * (double)rstd * p.sums[k] / n), add = (C)(-(double)by * p.sums[p.segments + k] / n);
  return g + d * slope + add;
}

KERNEL(norm_apply)(norm_args p) {
  int64_t count = p.rows * p.segments * p.run;
  for (int64_t i = (int64_t)grid_thread(); i < count; i += (int64_t)grid_threads()) {
    int64_t k = i / p.run % p.segments;
    C from = p.given ? (C)0 : element_at(p.in, k * p.run), rstd = ((const C *)p.stats)[p.segments + k];
    C d = (element_at(p.in, i) - from) - ((const C *)p.stats)[k], by = rstd * number_at(p.weight, k, 1);
    C y = p.backward ? channel_gradient(p, i, k, by, d, rstd) : d * by + number_at(p.bias, k, 0);
    ((out_t *)p.out)[i] = store(y);
  }
}
