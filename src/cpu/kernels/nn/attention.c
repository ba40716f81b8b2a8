/* Inner loops of attention: rows of scores on their way to weights, and back. */

#include "cpu/cpu.h"
#include "math/scalar.h"

#define ATTENTION(D, T, ...)                                                                              \
  /* Scores become exp(x - their largest): their sum, and what logarithm of it to keep. Those that are all -infinity see \
  ** nothing: sum 0. */                                                                                   \
  static double weights_##D(int64_t n, void *scores, double *log_sum) {                                   \
    T *x = scores, max = -(T)INFINITY, sum = 0;                                                           \
    _Pragma("omp simd reduction(max : max)")                                                              \
    for (int64_t i = 0; i < n; i++) max = x[i] > max ? x[i] : max;                                        \
    if (max == -(T)INFINITY) max = 0;                                                                     \
    _Pragma("omp simd reduction(+ : sum)")                                                                \
    for (int64_t i = 0; i < n; i++) {                                                                     \
      T e = m_exp(x[i] - max);                                                                            \
      x[i] = e;                                                                                           \
      sum += e;                                                                                           \
    }                                                                                                     \
    *log_sum = sum == 0 ? INFINITY : (double)max + (double)m_log(sum);                                    \
    return (double)sum;                                                                                   \
  }                                                                                                       \
  static void scale_row_##D(int64_t n, void *row, double factor) {                                            \
    T *x = row;                                                                                           \
    const T by = (T)factor;                                                                               \
    _Pragma("omp simd")                                                                                   \
    for (int64_t i = 0; i < n; i++) x[i] *= by;                                                           \
  }                                                                                                       \
  static void add_row_##D(int64_t n, void *row, const void *mask, int64_t step) {                             \
    T *x = row;                                                                                           \
    const T *m = mask;                                                                                    \
    for (int64_t i = 0; i < n; i++) x[i] += m[i * step];                                                  \
  }                                                                                                       \
  static void hide_##D(int64_t n, void *row, const bool *mask, int64_t step) {                            \
    T *x = row;                                                                                           \
    for (int64_t i = 0; i < n; i++) x[i] = mask[i * step] ? x[i] : -(T)INFINITY;                          \
  }                                                                                                       \
  static double dot_row_##D(int64_t n, const void *a, const void *b) {                                        \
    const T *x = a, *y = b;                                                                               \
    T s = 0;                                                                                              \
    _Pragma("omp simd reduction(+ : s)")                                                                  \
    for (int64_t i = 0; i < n; i++) s += x[i] * y[i];                                                     \
    return (double)s;                                                                                     \
  }                                                                                                       \
  /* Scores become weights again, and the weights' gradients the scores'. */                              \
  static void back_##D(int64_t n, void *scores, void *gradients, double log_sum, double delta) {          \
    T *x = scores, *g = gradients;                                                                        \
    const T l = (T)log_sum, d = (T)delta;                                                                 \
    _Pragma("omp simd")                                                                                   \
    for (int64_t i = 0; i < n; i++) {                                                                     \
      T p = m_exp(x[i] - l);                                                                              \
      x[i] = p;                                                                                           \
      g[i] = p * (g[i] - d);                                                                              \
    }                                                                                                     \
  }

EACH_REALFLOAT(ATTENTION, )

#define ENTRY(D, T, ...) [DT_##D] = {weights_##D, scale_row_##D, add_row_##D, hide_##D, dot_row_##D, back_##D},
const attention_table ISA_NAME(attention_table) = {{EACH_REALFLOAT(ENTRY, )}};
