#ifndef LT_GPU_KERNELS_ACCUMULATE_CUH
#define LT_GPU_KERNELS_ACCUMULATE_CUH

/* The reductions of ops.def as device code. Each row becomes a struct row_<name><C> with these members:
**
**    A, R               the type of the accumulator, and the type of the result before it is stored
**    run                the state of one thread; init() makes an empty run, total(run) converts a run to an accumulator
**    fold(run, x, …)    adds a batch of elements to a run
**    merge(a, b)        merges two accumulators
**    finish(a, n, correction)   computes the result of n elements from the accumulator a
**
** The elements of a thread are not adjacent. Therefore, unlike on the CPU, some elements that were added to b in
** merge(a, b) may precede elements that were added to a. Rows that return the first of several equal elements compare
** the elements' positions. */

#include "gpu/kernels/scalar.cuh"

/* The types of the accumulators of sums and products, for each compute type: 64-bit integers for integers, double for
** floats. On a data-centre GPU, adding float32 elements in double takes a third of the time of reading the elements.
** On a gaming GPU, which has 1/64 of the units for double, the additions take about 4/5 of this time. Compensated
** addition of floats (two-sum) would cost 7 instructions instead of 2 and would not be more exact than double. */
template <class C> struct wide            { typedef int64_t type; };
template <>        struct wide<uint8_t>   { typedef uint64_t type; };
template <>        struct wide<uint16_t>  { typedef uint64_t type; };
template <>        struct wide<uint32_t>  { typedef uint64_t type; };
template <>        struct wide<uint64_t>  { typedef uint64_t type; };
template <>        struct wide<float>     { typedef double type; };
template <>        struct wide<double>    { typedef double type; };
template <>        struct wide<complex64_t>  { typedef complex128_t type; };
template <>        struct wide<complex128_t> { typedef complex128_t type; };

template <class C> struct accumulator {
  typedef typename wide<C>::type WIDE;
  typedef C        SAME;
  typedef int64_t  COUNT;
  typedef uint32_t FLAG;
};

/* The type of the result of a row whose accumulator has type A. */
template <class A> struct gives {
  typedef A       SAME, ACC;
  typedef bool    BOOL;
  typedef int64_t POSITION;
};

/* lowest returns the least value of a type, and highest the greatest value, including -infinity and infinity. */
template <class C> INLINE C lowest()  { return (C)-1 < (C)0 ? (C)((uint64_t)1 << (8 * sizeof(C) - 1)) : (C)0; }
template <class C> INLINE C highest() { return (C)~lowest<C>(); }
template <> __device__ __forceinline__ float  lowest<float>()   { return -INFINITY; }
template <> __device__ __forceinline__ double lowest<double>()  { return -(double)INFINITY; }
template <> __device__ __forceinline__ float  highest<float>()  { return INFINITY; }
template <> __device__ __forceinline__ double highest<double>() { return (double)INFINITY; }
#define m_lowest(C)  lowest<C>()
#define m_highest(C) highest<C>()

/* A batch of elements in registers: `count` groups (at most U) of W adjacent elements. `first` is the position of the
** first element. `jump` is the difference between the positions of neighbouring groups. */
struct batch {
  int     count;
  int64_t first, jump;
};

/* Calls take(u, w) for every element x[u][w] of the batch. */
template <int U, int W, class F> INLINE void each_element(const batch &b, F take) {
  _Pragma("unroll") for (int u = 0; u < U; u++)
    if (u < b.count)
      _Pragma("unroll") for (int w = 0; w < W; w++) take(u, w);
}

/* adds_narrow is true for rows that sum integers of at most 16 bits, or that count elements. These rows add a batch
** in 32 bits, because a 64-bit addition takes two instructions. */
template <class C> struct row_sum;
template <class C> struct row_count_nonzero;
template <class Row> struct adds_narrow                        { enum { value = false }; };
template <class C>   struct adds_narrow<row_sum<C>>            { enum { value = sizeof(C) <= 2 }; };
template <class C>   struct adds_narrow<row_count_nonzero<C>>  { enum { value = true }; };

/* The functions run, total and fold of rows whose accumulator A is a number. */
template <class Row, class C, class A> struct folds {
  typedef A run;
  INLINE A total(run r) { return r; }
  template <int U, int W> INLINE void fold(run &r, const C (&x)[U][W], const batch &b) {
    if constexpr (adds_narrow<Row>::value) {
      int32_t sum = 0;
      each_element<U, W>(b, [&](int u, int w) { sum += (int32_t)Row::step(Row::init(), x[u][w]); });
      r = Row::merge(r, (A)sum);
    } else {
      each_element<U, W>(b, [&](int u, int w) { r = Row::step(r, x[u][w]); });
    }
  }
};

#define REDUCE(name, dtypes, result, accumulator_, init_, step_, merge_, finish_, doc)                          \
  template <class C> struct row_##name : folds<row_##name<C>, C, typename accumulator<C>::accumulator_> {       \
    typedef typename accumulator<C>::accumulator_ A; typedef typename gives<A>::result R;                       \
    INLINE A init() { return init_; }                                                                           \
    INLINE A step(A a, C x) { return (A)(step_); }                                                              \
    INLINE A merge(A a, A b) { return (A)(merge_); }                                                            \
    INLINE R finish(A a, double n, double correction) { return (R)(finish_); }                                  \
  };

/* ---- moments ---- */

/* The number of elements, their mean, and the sum of squared distances from the mean. Two structs are merged by Chan's
** formula. */
struct moments { double n, mean, m2; };

/* Returns the variance. As in the Python array API standard, the variance is NaN if the divisor is not positive.
** (NumPy and PyTorch return infinity.) */
INLINE double moments_var(moments a, double divisor) { return divisor > 0 ? a.m2 / divisor : (double)NAN; }

/* The state of one thread. `from` is the thread's first element. `sum` is the sum of the distances from `from`, and
** `squares` the sum of the squared distances. m2, the sum of squared distances from the mean, is the difference of two
** sums. For n elements the larger sum is at most n times m2, so m2 loses at most as many digits as n has. */
struct moments_run { int64_t n; double from, sum, squares; };

template <class C> struct state_moments {
  typedef moments A;
  typedef moments_run run;
  INLINE run init() { return run{0, 0, 0, 0}; }
  INLINE A total(run r) {
    double n = (double)r.n, mean = r.n > 0 ? r.sum / n : 0, m2 = r.squares - r.sum * mean;
    if (m_isinf(r.squares) && !m_isnan(r.sum)) m2 = r.squares;
    return A{n, r.from + mean, m2 < 0 ? 0 : m2};
  }
  INLINE A merge(A a, A b) {
    double n = a.n + b.n, d = b.mean - a.mean, share = n > 0 ? b.n / n : 0;
    return b.n == 0 ? a : a.n == 0 ? b : A{n, a.mean + d * share, a.m2 + b.m2 + d * d * a.n * share};
  }
  template <int U, int W> INLINE void fold(run &r, const C (&x)[U][W], const batch &b) {
    if (r.n == 0 && b.count > 0) r.from = (double)x[0][0];
    each_element<U, W>(b, [&](int u, int w) {
      double d = (double)x[u][w] - r.from;
      r.sum += d;
      r.squares += d * d;
    });
    r.n += b.count * W;
  }
};

/* ---- logsum ---- */

/* The largest element `max`, and the sum of exp(x - max) over all elements x. */
struct logsum { double max, sum; };

/* Returns the number that is subtracted from the elements: `max`, or 0 if `max` is infinite or NaN, because
** subtracting such a number would make every element NaN. */
INLINE double logsum_shift(double max) { return m_isfinite(max) ? max : 0; }

/* Returns the sum of a, rescaled as if `max` had been subtracted instead of a's own maximum. */
INLINE double logsum_scaled(logsum a, double max) {
  return a.sum == 0 ? 0 : a.sum * m_exp(logsum_shift(a.max) - logsum_shift(max));
}

INLINE double logsum_value(logsum a) { return logsum_shift(a.max) + m_log(a.sum); }

template <class C> struct state_logsum {
  typedef logsum A, run;
  INLINE run init() { return A{-(double)INFINITY, 0}; }
  INLINE A total(run r) { return r; }
  INLINE A merge(A a, A b) {
    double max = m_max(a.max, b.max);
    return A{max, logsum_scaled(a, max) + logsum_scaled(b, max)};
  }
  template <int U, int W> INLINE void fold(run &r, const C (&x)[U][W], const batch &b) {
    C top = (C)r.max;
    each_element<U, W>(b, [&](int u, int w) { top = m_max(top, x[u][w]); });
    if (!((double)top == r.max)) r = run{(double)top, logsum_scaled(r, (double)top)};
    C shift = (C)logsum_shift((double)top);
    each_element<U, W>(b, [&](int u, int w) { r.sum += (double)m_exp((C)(x[u][w] - shift)); });
  }
};

/* ---- largest and smallest elements ---- */

/* The value and the position of the first extreme element or, if an element is NaN, of the first NaN. */
template <class C> struct extreme { int64_t position; C value; };

/* beats(x, best) returns true if x replaces the best value so far. An equal value does not replace `best`, so that
** the first of equal values is kept. NaN replaces every number. */
template <class C> struct is_larger {
  INLINE bool beats(C x, C best) { return (x > best) | ((x != x) & (best == best)); }
};
template <class C> struct is_smaller {
  INLINE bool beats(C x, C best) { return (x < best) | ((x != x) & (best == best)); }
};

template <class C, class order> struct state_extreme {
  typedef extreme<C> A, run;
  INLINE run init() { return A{-1, 0}; }
  INLINE A total(run r) { return r; }
  INLINE A merge(A a, A b) {
    bool earlier = b.position < a.position && !order::beats(a.value, b.value);
    bool wins = a.position < 0 || order::beats(b.value, a.value) || earlier;
    return b.position >= 0 && wins ? b : a;
  }
  template <int U, int W> INLINE void fold(run &r, const C (&x)[U][W], const batch &b) {
    each_element<U, W>(b, [&](int u, int w) {
      if (r.position < 0 || order::beats(x[u][w], r.value)) r = A{b.first + u * b.jump + w, x[u][w]};
    });
  }
};
template <class C> struct state_largest  : state_extreme<C, is_larger<C>> {};
template <class C> struct state_smallest : state_extreme<C, is_smaller<C>> {};

#define REDUCE_STATE(name, dtypes, result, state, finish_, doc)                                    \
  template <class C_> struct row_##name : state_##state<C_> {                                   \
    typedef typename state_##state<C_>::A A;                                                       \
    typedef typename gives<double>::result R;                                                      \
    INLINE R finish(A a, double n, double correction) { return (R)(finish_); }                     \
  };

#include "ops.def"

#endif
