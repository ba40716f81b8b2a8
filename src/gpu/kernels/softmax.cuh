/* The softmax family. A line is the sequence of elements along the dim of the softmax. The file is compiled for one
** SOFTMAX row of ops.def (OP: softmax_softmax …), for elements of dtype IN, computation in dtype COMPUTE, and results
** of dtype OUT. A line that fits into the registers of a block is read once. Longer lines are read twice: the first
** pass finds the largest element and the sum of exponentials, as logsumexp does. */

#define KERNEL_THREADS 1024

#include "gpu/kernels/fold.cuh"
#include "gpu/kernels/softmax_args.cuh"

#define SOFTMAX(name, keep_, m_, last_, doc)                                                       \
  template <class C> struct softmax_##name {                                                       \
    INLINE C keep(C d, C e) { return (C)(keep_); }                                                 \
    INLINE C from_sum(double s) { return m_; }                                                     \
    INLINE C last(C k, C m) { return (C)(last_); }                                                 \
  };
#include "ops.def"

typedef OP<C> F;
typedef state_logsum<C> Row;

/* ---- lines that are kept in registers ---- */

/* Loads a thread's elements of a line: V adjacent elements from number thread * V on, then V elements that are p.rows
** * V elements later, and so on. p.rows is the number of threads of a line. All loads are in flight before the first
** loaded value is used. Elements after the end of the line become -infinity, whose exponential is 0. */
template <int V>
INLINE void load_line(C (&x)[SOFTMAX_ITEMS], const softmax_args &p, elements line, int thread, int count) {
  pack<in_t, V> raw[SOFTMAX_ITEMS / V];
#pragma unroll
  for (int u = 0; u < SOFTMAX_ITEMS / V; u++) {
    int i = (u * p.rows + thread) * V;
    if (i < count) raw[u] = vector_of<V>(line + i * p.in_stride, 0);
  }
#pragma unroll
  for (int u = 0; u < SOFTMAX_ITEMS / V; u++)
#pragma unroll
    for (int v = 0; v < V; v++)
      x[u * V + v] = (u * p.rows + thread) * V < count ? load(raw[u].at[v]) : -(C)INFINITY;
}

template <int V>
INLINE void store_line(const C (&x)[SOFTMAX_ITEMS], const softmax_args &p, out_t *line, int thread, int count) {
#pragma unroll
  for (int u = 0; u < SOFTMAX_ITEMS / V; u++) {
    pack<out_t, V> raw;
    int i = (u * p.rows + thread) * V;
#pragma unroll
    for (int v = 0; v < V; v++) raw.at[v] = store(x[u * V + v]);
    if (i < count) *(pack<out_t, V> *)(line + i * p.out_stride) = raw;
  }
}

/* Replaces x by the values that the SOFTMAX row keeps, which are exponentials or differences from `max`. Returns the
** sum of the exponentials. */
INLINE double keep_exponentials(C (&x)[SOFTMAX_ITEMS], C max) {
  double sum = 0;                                      /* double, because the results of log_softmax near 0 would show
                                                       ** rounding errors of float */
#pragma unroll
  for (int i = 0; i < SOFTMAX_ITEMS; i++) {
    C d = x[i] - max, e = m_exp(d);
    sum += (double)e;
    x[i] = F::keep(d, e);
  }
  return sum;
}

/* Computes a line by p.rows threads, which keep the line's elements in registers. A thread loads V neighbouring
** elements at a time. */
template <int V> INLINE void softmax_line(const softmax_args &p, elements all) {
  int thread = (int)threadIdx.x % p.rows;
  int64_t line = (int64_t)blockIdx.x * (blockDim.x / p.rows) + threadIdx.x / p.rows;
  int count = line < p.lines ? (int)p.n : 0;
  elements in = all + nest_offset(p.outer, 1, line);
  out_t *out = (out_t *)p.out + nest_offset(p.outer, 0, line);
  C x[SOFTMAX_ITEMS], max = -(C)INFINITY;
  load_line<V>(x, p, in, thread, count);
#pragma unroll
  for (int i = 0; i < SOFTMAX_ITEMS; i++) max = m_max(max, x[i]);
  max = merge_group<row_max<C>>(max, p.rows);
  C m = F::from_sum(merge_group<row_sum<C>>(keep_exponentials(x, max), p.rows));
#pragma unroll
  for (int i = 0; i < SOFTMAX_ITEMS; i++) x[i] = F::last(x[i], m);
  store_line<V>(x, p, out, thread, count);
}

/* softmax_rows loads vectors, so lines must be contiguous, and their length and addresses must be multiples of a
** vector. softmax_short loads single elements of any lines. */
KERNEL_COOPERATIVE(softmax_rows)(softmax_args p PROGRAM_PARAMETERS) {
  softmax_line<(W < SOFTMAX_ITEMS ? W : SOFTMAX_ITEMS)>(p, ELEMENTS(p));
}
KERNEL_COOPERATIVE(softmax_short)(softmax_args p PROGRAM_PARAMETERS) { softmax_line<1>(p, ELEMENTS(p)); }

/* ---- lines that are read twice ---- */

/* The two numbers from which the results of a line are computed: the largest element, and m, which the SOFTMAX row
** computes from the sum of the exponentials. */
struct softmax_of { C max, m; };

INLINE softmax_of make_softmax_of(logsum a) {
  double sum = m_isfinite(a.max) ? a.sum : (double)NAN;      /* if the largest element is infinite or NaN, all results
                                                             ** of the line are NaN */
  return softmax_of{(C)a.max, F::from_sum(sum)};
}

/* Computes the results for one chunk of a line. A line has one chunk or several. */
INLINE void softmax_chunk(const reduce_args &p, elements all, const place &at, int64_t out_stride, softmax_of s) {
  int64_t begin = begin_of_chunk(p, at.chunk), in_stride = p.reduced.stride[0][0];
  elements in = all + (nest_offset(p.kept, 1, at.output) + begin * in_stride);
  out_t *out = (out_t *)p.out + nest_offset(p.kept, 0, at.output) + begin * out_stride;
  int count = (int)(end_of_chunk(p, at.chunk) - begin);
  for (int i = at.row; i < count; i += SINGLE * p.rows) {
    in_t x[SINGLE];
#pragma unroll
    for (int u = 0; u < SINGLE; u++) if (i + u * p.rows < count) x[u] = in[(i + u * p.rows) * in_stride];
#pragma unroll
    for (int u = 0; u < SINGLE; u++) {
      C d = load(x[u]) - s.max;
      if (i + u * p.rows < count) out[(i + u * p.rows) * out_stride] = store(F::last(F::keep(d, m_exp(d)), s.m));
    }
  }
}

/* Returns this thread's part of a line's logsum (largest element and sum of exponentials). If the line has one chunk,
** the thread reads its share of the line's elements. If the line has several chunks, the reduction logsumexp has
** computed a logsum for each chunk, and the thread merges its share of these. */
INLINE logsum pass_over(const reduce_args &p, elements all, const place &at) {
  logsum a = Row::init();
  if (at.row < 0) return a;
  if (p.chunks == 1)
    fold_strided<Row>(a, all + nest_offset(p.kept, 1, at.output), p.reduced.stride[0][0], (int)p.n, 0, at.row, p.rows);
  else
    for (int k = at.row; k < p.chunks; k += p.rows) a = Row::merge(a, *state_of<logsum>(p, at.output, k, p.chunks));
  return a;
}

KERNEL_COOPERATIVE(softmax_long)(reduce_args p, int64_t out_stride PROGRAM_PARAMETERS) {
  place at = find_place(p);
  logsum a = merge_rows<Row>(p, pass_over(p, ELEMENTS(p), at));
  if (at.row >= 0) softmax_chunk(p, ELEMENTS(p), at, out_stride, make_softmax_of(a));
}
