/* Normalisation of rows and of channels, as defined by norm_call in base/calls.h. The file is compiled for elements
** of dtype IN, computation in dtype COMPUTE, and results of dtype OUT. A mean that the call computes is stored as its
** distance from the first element of the row or channel. Sums are computed in double.
**
** Each kernel has two entries. The first loads vectors of 16 bytes, which must not cross the end of a run of elements
** with the same parameter. The second, whose name ends in _single, loads single elements of any layout. */

#include "gpu/kernels/nn/norm_args.h"

#define KERNEL_THREADS NORM_MOST

#include "gpu/kernels/accumulate.cuh"
#include "gpu/kernels/groups.cuh"
#include "gpu/kernels/stored.cuh"

typedef row_sum<double> Sum;

enum {
  W     = 16 / sizeof(in_t),         /* number of elements of a vector */
  ITEMS = NORM_ITEMS(sizeof(C)),
  AHEAD = 4                          /* number of vectors that a thread loads before it adds them */
};

INLINE int64_t group_number(const norm_args &p) {
  return (int64_t)blockIdx.x * (blockDim.x / (unsigned)p.threads) + threadIdx.x / (unsigned)p.threads;
}
INLINE int number_in_group(const norm_args &p) { return (int)(threadIdx.x % (unsigned)p.threads); }
INLINE double merged(const norm_args &p, double sum) { return merge_group<Sum>(sum, p.threads); }

INLINE int64_t quotient(int64_t i, const norm_divisor &by) {
  return by.wide ? i / by.length : (int64_t)divide((uint32_t)i, by.small);
}
INLINE C element_at(const void *data, int64_t i) { return load(((const in_t *)data)[i]); }
INLINE C number_at(const void *data, int64_t i, C otherwise) { return data ? ((const C *)data)[i] : otherwise; }
INLINE int64_t parameters(const norm_args &p) { return p.groups * p.segments; }

template <int V> INLINE pack<in_t, V> vector_at(const void *data, int64_t i) {
  return *(const pack<in_t, V> *)((const in_t *)data + i);
}

/* ---- rows ---- */

/* A row and its statistics. */
struct row {
  int64_t first, n, parameter;     /* first: number of the row's first element; n: number of its elements, 0 if the
                                   ** thread has no row; parameter: number of the row's first weight */
  int64_t number;
};

INLINE row find_row(const norm_args &p) {
  int64_t r = group_number(p), length = p.segments * p.run;
  int64_t group = p.groups == 1 ? 0 : r - quotient(r, p.by_groups) * p.groups;
  return row{r * length, r < p.rows ? length : 0, group * p.segments, r};
}

/* Calls f(u, i) for each vector of this thread among ITEMS * p.threads elements of the row from number `base` on.
** i is the number of the vector's first element in the row, and u * V is its number among the elements that the thread
** keeps. */
template <int V, class F> INLINE void each_vector(const norm_args &p, const row &r, int64_t base, F f) {
#pragma unroll
  for (int u = 0; u < ITEMS / V; u++) {
    int64_t i = base + (u * p.threads + number_in_group(p)) * V;
    if (i < r.n) f(u, i);
  }
}

/* Loads the elements that this thread keeps. All loads are in flight before the first loaded value is used. */
template <int V>
INLINE void load_row(C (&x)[ITEMS], const norm_args &p, const row &r, int64_t base, const void *data) {
  pack<in_t, V> raw[ITEMS / V];
  each_vector<V>(p, r, base, [&](int u, int64_t i) { raw[u] = vector_at<V>(data, r.first + i); });
  each_vector<V>(p, r, base, [&](int u, int64_t) {
#pragma unroll
    for (int v = 0; v < V; v++) x[u * V + v] = load(raw[u].at[v]);
  });
}

/* Goes over a row in steps of ITEMS * p.threads elements: calls load(base) unless the row's only step is loaded
** already, and then f(u, i) for each vector. */
template <int V, class L, class F>
INLINE void over_row(const norm_args &p, const row &r, bool loaded, L load, F f) {
  int64_t step = ITEMS * p.threads;
  for (int64_t base = 0; base < r.n; base += step) {
    if (!loaded || r.n > step) load(base);
    each_vector<V>(p, r, base, f);
  }
}

/* Sets `to` to the weights or biases of the V elements of a row from number i on. */
template <int V>
INLINE void load_numbers(C (&to)[V], const norm_args &p, const row &r, const void *data, int64_t i, C otherwise) {
  enum { N = V * sizeof(C) > 16 ? 16 / sizeof(C) : V };
  if (data && p.run == 1) {
#pragma unroll
    for (int v = 0; v < V; v += N) {
      pack<C, N> some = *(const pack<C, N> *)((const C *)data + r.parameter + i + v);
#pragma unroll
      for (int j = 0; j < N; j++) to[v + j] = some.at[j];
    }
    return;
  }
  const C same = data ? ((const C *)data)[r.parameter + quotient(i, p.by_run)] : otherwise;
#pragma unroll
  for (int v = 0; v < V; v++) to[v] = same;
}

template <int V> INLINE void store_vector(const norm_args &p, int64_t at, const C (&y)[V]) {
  pack<out_t, V> raw;
#pragma unroll
  for (int v = 0; v < V; v++) raw.at[v] = store(y[v]);
  *(pack<out_t, V> *)((out_t *)p.out + at) = raw;
}

template <int V> INLINE void normalise_rows(const norm_args &p) {
  const row r = find_row(p);
  const C from = r.n > 0 && !p.rms ? element_at(p.in, r.first) : (C)0;
  C x[ITEMS];
  const auto load = [&](int64_t base) { load_row<V>(x, p, r, base, p.in); };
  double sum = 0, squares = 0;
  if (!p.rms)
    over_row<V>(p, r, false, load, [&](int u, int64_t) {
#pragma unroll
      for (int v = 0; v < V; v++) sum += (double)(x[u * V + v] - from);
    });
  const C mean = p.rms ? (C)0 : (C)(merged(p, sum) / (double)r.n);
  over_row<V>(p, r, !p.rms, load, [&](int u, int64_t) {
#pragma unroll
    for (int v = 0; v < V; v++) {
      double d = (double)((x[u * V + v] - from) - mean);
      squares += d * d;
    }
  });
  const C rstd = (C)(1 / m_sqrt(merged(p, squares) / (double)r.n + p.eps));
  if (r.n > 0 && number_in_group(p) == 0) {
    if (!p.rms) ((C *)p.stats)[r.number] = mean;
    ((C *)p.stats)[p.rms ? r.number : p.rows + r.number] = rstd;
  }
  over_row<V>(p, r, true, load, [&](int u, int64_t i) {
    C weight[V], bias[V], y[V];
    load_numbers<V>(weight, p, r, p.weight, i, 1);
    load_numbers<V>(bias, p, r, p.bias, i, 0);
#pragma unroll
    for (int v = 0; v < V; v++) y[v] = ((x[u * V + v] - from) - mean) * rstd * weight[v] + bias[v];
    store_vector<V>(p, r.first + i, y);
  });
}

KERNEL_COOPERATIVE(norm_rows)(norm_args p) { normalise_rows<W>(p); }
KERNEL_COOPERATIVE(norm_rows_single)(norm_args p) { normalise_rows<1>(p); }

/* x holds the distances from the mean, and g the gradients times the weights. */
template <int V> INLINE void rows_gradient(const norm_args &p) {
  const row r = find_row(p);
  const C from = r.n > 0 && !p.rms ? element_at(p.in, r.first) : (C)0;
  const C mean = r.n > 0 && !p.rms ? ((const C *)p.stats)[r.number] : (C)0;
  const C rstd = r.n > 0 ? ((const C *)p.stats)[p.rms ? r.number : p.rows + r.number] : (C)0;
  C x[ITEMS], g[ITEMS];
  const auto load = [&](int64_t base) {
    load_row<V>(x, p, r, base, p.in);
    load_row<V>(g, p, r, base, p.gradient);
    each_vector<V>(p, r, base, [&](int u, int64_t i) {
      C weight[V];
      load_numbers<V>(weight, p, r, p.weight, i, 1);
#pragma unroll
      for (int v = 0; v < V; v++) {
        x[u * V + v] = (x[u * V + v] - from) - mean;
        g[u * V + v] *= weight[v];
      }
    });
  };
  double along = 0, sum = 0;
  over_row<V>(p, r, false, load, [&](int u, int64_t) {
#pragma unroll
    for (int v = 0; v < V; v++) {
      along += (double)(g[u * V + v] * (x[u * V + v] * rstd));
      sum += (double)g[u * V + v];
    }
  });
  const C slope = (C)(-merged(p, along) * (double)rstd * (double)rstd / (double)r.n);
  const C mean_slope = (C)(-merged(p, sum) * (double)rstd / (double)r.n), add = p.rms ? (C)0 : mean_slope;
  over_row<V>(p, r, true, load, [&](int u, int64_t i) {
    C y[V];
#pragma unroll
    for (int v = 0; v < V; v++) y[v] = g[u * V + v] * rstd + x[u * V + v] * slope + add;
    store_vector<V>(p, r.first + i, y);
  });
}

KERNEL_COOPERATIVE(norm_rows_back)(norm_args p) { rows_gradient<W>(p); }
KERNEL_COOPERATIVE(norm_rows_back_single)(norm_args p) { rows_gradient<1>(p); }

/* Computes the gradient of softmax, or of log_softmax if p.logarithm is set. `in` is the result of the forward
** function. */
template <int V> INLINE void softmax_gradient(const norm_args &p) {
  const row r = find_row(p);
  C o[ITEMS], g[ITEMS];
  const auto load = [&](int64_t base) {
    load_row<V>(o, p, r, base, p.in);
    load_row<V>(g, p, r, base, p.gradient);
  };
  double sum = 0;
  over_row<V>(p, r, false, load, [&](int u, int64_t) {
#pragma unroll
    for (int k = u * V; k < u * V + V; k++) sum += p.logarithm ? (double)g[k] : (double)(g[k] * o[k]);
  });
  const C all = (C)merged(p, sum);
  over_row<V>(p, r, true, load, [&](int u, int64_t i) {
    C y[V];
#pragma unroll
    for (int v = 0; v < V; v++) {
      const int k = u * V + v;
      y[v] = p.logarithm ? g[k] - m_exp(o[k]) * all : o[k] * (g[k] - all);
    }
    store_vector<V>(p, r.first + i, y);
  });
}

KERNEL_COOPERATIVE(norm_softmax_back)(norm_args p) { softmax_gradient<W>(p); }
KERNEL_COOPERATIVE(norm_softmax_back_single)(norm_args p) { softmax_gradient<1>(p); }

/* ---- sums of each parameter ---- */

/* The number from which an element's distance is measured, and the reciprocal of its standard deviation. */
struct scale { C from, mean, rstd; };

/* Returns the scale of the elements of parameter k in row r. */
INLINE scale scale_of(const norm_args &p, int64_t r, int64_t k) {
  if (p.sum == NORM_SUM_moments) return scale{p.given ? (C)0 : element_at(p.in, k * p.run), 0, 1};
  if (p.sum == NORM_SUM_channels)
    return scale{p.given ? (C)0 : element_at(p.in, k * p.run), ((const C *)p.stats)[k], 1};
  if (p.rms) return scale{0, 0, ((const C *)p.stats)[r]};
  return scale{element_at(p.in, r * p.segments * p.run), ((const C *)p.stats)[r], ((const C *)p.stats)[p.rows + r]};
}

/* Adds this thread's part of a chunk to *a and *b, the two sums of parameter k that enum norm_sum defines. The vectors of
** a chunk have the numbers 0 … count - 1. */
template <int V> INLINE void sum_chunk(const norm_args &p, int64_t chunk, int64_t k, double *a, double *b) {
  int64_t begin = chunk * p.chunk, end = begin + p.chunk, sets = p.rows / p.groups;
  if (end > sets) end = sets;
  const int64_t group = k / p.segments, segment = k - group * p.segments, count = (end - begin) * p.by_run.length;
  const scale same = scale_of(p, 0, k);
  for (int64_t first = number_in_group(p); first < count; first += AHEAD * p.threads) {
    pack<in_t, V> x[AHEAD], g[AHEAD];
    scale s[AHEAD];
#pragma unroll
    for (int u = 0; u < AHEAD; u++) {
      const int64_t q = first + u * p.threads, set = quotient(q, p.by_run), r = (begin + set) * p.groups + group;
      if (q >= count) break;
      const int64_t at = (r * p.segments + segment) * p.run + (q - set * p.by_run.length) * V;
      x[u] = vector_at<V>(p.in, at);
      if (p.sum != NORM_SUM_moments) g[u] = vector_at<V>(p.gradient, at);
      s[u] = p.sum == NORM_SUM_rows ? scale_of(p, r, k) : same;
    }
#pragma unroll
    for (int u = 0; u < AHEAD; u++) {
      if (first + u * p.threads >= count) break;
#pragma unroll
      for (int v = 0; v < V; v++) {
        const C d = (load(x[u].at[v]) - s[u].from) - s[u].mean;
        const double w = p.sum == NORM_SUM_moments ? (double)d : (double)load(g[u].at[v]);
        *a += w * (double)(d * s[u].rstd);
        *b += w;
      }
    }
  }
}

template <int V> INLINE void sum_parameters(const norm_args &p) {
  int64_t number = group_number(p), params = parameters(p), chunk = number / params, k = number % params;
  double a = 0, b = 0;
  if (chunk < p.chunks) sum_chunk<V>(p, chunk, k, &a, &b);
  a = merged(p, a);
  b = merged(p, b);
  if (chunk >= p.chunks || number_in_group(p) != 0) return;
  p.parts[chunk * 2 * params + k] = a;
  p.parts[chunk * 2 * params + params + k] = b;
}

KERNEL_COOPERATIVE(norm_sums)(norm_args p) { sum_parameters<W>(p); }
KERNEL_COOPERATIVE(norm_sums_single)(norm_args p) { sum_parameters<1>(p); }

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

/* Stores the numbers of channel k for norm_apply. a and b are the sums of the backward call. If p.given is set, no
** gradients flow through mean and variance. */
INLINE void finish_numbers(const norm_args &p, int64_t k, double a, double b) {
  C *numbers = (C *)p.numbers + k, rstd = ((const C *)p.stats)[p.segments + k], by = rstd * number_at(p.weight, k, 1);
  const double n = (double)p.rows * (double)p.run;
  const bool flows = p.backward && !p.given;
  numbers[NORM_FROM * p.segments] = p.given ? (C)0 : element_at(p.in, k * p.run);
  numbers[NORM_MEAN * p.segments] = ((const C *)p.stats)[k];
  numbers[NORM_BY * p.segments] = by;
  numbers[NORM_ADD * p.segments] = flows ? (C)(-(double)by * b / n) : p.backward ? (C)0 : number_at(p.bias, k, 0);
  numbers[NORM_SLOPE * p.segments] = flows ? (C)(-(double)by * (double)rstd * (double)rstd * a / n) : (C)0;
}

/* Adds the sums of all chunks. The threads with the same column add the sums of one parameter. */
KERNEL_COOPERATIVE(norm_finish)(norm_args p) {
  enum { PARTS = NORM_THREADS / NORM_COLUMNS };
  int part = (int)threadIdx.x / NORM_COLUMNS;
  int64_t k = (int64_t)blockIdx.x * NORM_COLUMNS + threadIdx.x % NORM_COLUMNS, params = parameters(p);
  double a = 0, b = 0;
#pragma unroll 4
  for (int64_t chunk = part; chunk < p.chunks && k < params; chunk += PARTS) {
    a += p.parts[chunk * 2 * params + k];
    b += p.parts[chunk * 2 * params + params + k];
  }
  a = merge_columns<Sum, NORM_THREADS>(a, NORM_COLUMNS, PARTS);
  b = merge_columns<Sum, NORM_THREADS>(b, NORM_COLUMNS, PARTS);
  if (part > 0 || k >= params) return;
  if (p.sum == NORM_SUM_moments) finish_moments(p, k, a, b);
  if (p.sum != NORM_SUM_moments) {
    double rstd = p.channels ? (double)((const C *)p.stats)[p.segments + k] : 1;
    if (p.dweight) ((C *)p.dweight)[k] = (C)(a * rstd);
    if (p.dbias) ((C *)p.dbias)[k] = (C)b;
  }
  if (p.channels) finish_numbers(p, k, a, b);
}

/* ---- channels ---- */

/* Each thread computes NORM_ROUNDS vectors of V elements from the numbers of their channels. */
template <int V> INLINE void apply(const norm_args &p) {
  const int64_t first = (int64_t)blockIdx.x * (NORM_ROUNDS * NORM_THREADS) + threadIdx.x;
  pack<in_t, V> x[NORM_ROUNDS], g[NORM_ROUNDS];
#pragma unroll
  for (int u = 0; u < NORM_ROUNDS; u++) {
    const int64_t i = first + u * NORM_THREADS;
    if (i >= p.vectors) break;
    x[u] = vector_at<V>(p.in, i * V);
    if (p.backward) g[u] = vector_at<V>(p.gradient, i * V);
  }
#pragma unroll
  for (int u = 0; u < NORM_ROUNDS; u++) {
    const int64_t i = first + u * NORM_THREADS, line = quotient(i, p.by_run);
    if (i >= p.vectors) break;
    const C *numbers = (const C *)p.numbers + (line - quotient(line, p.by_segments) * p.segments);
    const C from = numbers[NORM_FROM * p.segments], mean = numbers[NORM_MEAN * p.segments];
    const C by = numbers[NORM_BY * p.segments], add = numbers[NORM_ADD * p.segments];
    const C slope = p.backward ? numbers[NORM_SLOPE * p.segments] : (C)0;
    C y[V];
#pragma unroll
    for (int v = 0; v < V; v++) {
      const C d = (load(x[u].at[v]) - from) - mean;
      y[v] = !p.backward ? d * by + add : p.given ? load(g[u].at[v]) * by : load(g[u].at[v]) * by + d * slope + add;
    }
    store_vector<V>(p, i * V, y);
  }
}

KERNEL(norm_apply)(norm_args p) { apply<W>(p); }
KERNEL(norm_apply_single)(norm_args p) { apply<1>(p); }
