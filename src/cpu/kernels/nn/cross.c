/* Inner loops of cross entropy, a row at a time. */

#include "cpu/cpu.h"
#include "cpu/kernels/exponentials.h"

EACH_REALFLOAT(LARGEST, )

/* The sum of exp(x - max): whole vectors, and one that is filled up with -infinity. */
#define SUM(D, T, ...)                                                                          \
  INLINE void add_exponentials_##D(int64_t count, const T *X, const T max, T *part) {           \
    for (; count > 0; count--, X += VECTOR) {                                                   \
      _Pragma("omp simd")                                                                       \
      for (int64_t j = 0; j < VECTOR; j++) part[j] += exp_to_0((T)(X[j] - max));                \
    }                                                                                           \
  }                                                                                             \
  OUTLINE double sum_of_exponentials_##D(int64_t n, const T *X, const T max) {                  \
    const int64_t rest = n % VECTOR, whole = n - rest;                                          \
    double s = 0;                                                                               \
    for (int64_t i = 0, some; i < whole; i += some) {                                           \
      T part[VECTOR] = {0};                                                                     \
      some = whole - i < IN_PART * VECTOR ? whole - i : IN_PART * VECTOR;                       \
      add_exponentials_##D(some / VECTOR, X + i, max, part);                                    \
      for (int64_t j = 0; j < VECTOR; j++) s += (double)part[j];                                \
    }                                                                                           \
    if (rest) {                                                                                 \
      T part[VECTOR] = {0}, x[VECTOR];                                                          \
      for (int64_t j = 0; j < VECTOR; j++) x[j] = j < rest ? X[whole + j] : -(T)INFINITY;       \
      add_exponentials_##D(1, x, max, part);                                                    \
      for (int64_t j = 0; j < VECTOR; j++) s += (double)part[j];                                \
    }                                                                                           \
    return s;                                                                                   \
  }
EACH_REALFLOAT(SUM, )

#define LOSS(D, T, ...)                                                                         \
  static cross_row loss_##D(int64_t n, const void *in, int64_t at) {                            \
    const T *x = in, max = largest_##D##_row(n, x, NULL);                                       \
    const double s = sum_of_exponentials_##D(n, x, max);                                        \
    return (cross_row){(double)max, s, m_log_float64(s) - ((double)x[at] - (double)max)};       \
  }
EACH_REALFLOAT(LOSS, )

#define GRADIENT(D, T, ...)                                                                     \
  static void gradient_##D(int64_t n, const void *in, int64_t at, const cross_row *row, double scale, void *to) { \
    const T *x = in, max = (T)row->largest, by = (T)(scale / row->sum);                         \
    T *out = to;                                                                                \
    _Pragma("omp simd")                                                                         \
    for (int64_t j = 0; j < n; j++) out[j] = exp_to_0((T)(x[j] - max)) * by;                    \
    out[at] -= (T)scale;                                                                        \
  }
EACH_REALFLOAT(GRADIENT, )

#define ENTRY(D, T, ...) [DT_##D] = {loss_##D, gradient_##D},
const cross_table ISA_NAME(cross_table) = {{EACH_REALFLOAT(ENTRY, )}};
