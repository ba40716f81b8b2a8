/* Inner loops of the softmax family: the largest element, then the exponentials and their sum, then the
** result. A line (or a block of columns) stays in cache between the three passes. */

#include "../cpu.h"
#include "exponentials.h"

enum { COLUMNS_AT_ONCE = 64 };     /* columns of a pass: their rows stay in L1 and L2 for the next */

EACH_REALFLOAT(LARGEST, )

/* Second and third pass over n elements whose largest is `max`. A row is read in whole vectors, the elements
** that are left over from a copy filled up with -infinity: the exponential of one takes the time of a vector's. The
** copy is made first, since OUT may be X, and is the row's last vector where there is a whole one. */
#define SOFTMAX_ROW(D, T, name, keep, from_sum, last)                                           \
  INLINE double name##_vectors_##D(int64_t count, const T *X, T *OUT, const T max) {            \
    typedef T C;                                                                                \
    C part[VECTOR] = {0};                                                                       \
    double s = 0;                                                                               \
    for (; count > 0; count--, X += VECTOR, OUT += VECTOR) {                                    \
      _Pragma("omp simd")                                                                       \
      for (int64_t j = 0; j < VECTOR; j++) {                                                    \
        C d = X[j] - max, e = exp_to_0(d);                                                         \
        part[j] += e;                                                                           \
        OUT[j] = keep;                                                                          \
        (void)d;                                                                                \
      }                                                                                         \
    }                                                                                           \
    for (int64_t j = 0; j < VECTOR; j++) s += (double)part[j];                                  \
    return s;                                                                                   \
  }                                                                                             \
  OUTLINE double name##_exp_##D(int64_t n, const T *X, T *OUT, const T max) {                   \
    T x[VECTOR], out[VECTOR];                                                                   \
    const int rest = (int)(n % VECTOR), skip = n < VECTOR ? 0 : VECTOR - rest;                  \
    int64_t whole = n - rest;                                                                   \
    double s = 0;                                                                               \
    if (rest && !skip) {                                                                        \
      for (int j = 0; j < VECTOR; j++) x[j] = j < rest ? X[j] : -(T)INFINITY;                   \
    } else if (rest) {                                                                          \
      _Pragma("omp simd")                                                                       \
      for (int j = 0; j < VECTOR; j++) { T v = X[n - VECTOR + j]; x[j] = j < skip ? -(T)INFINITY : v; } \
    }                                                                                           \
    if (rest) s = name##_vectors_##D(1, x, out, max);                                           \
    for (int64_t i = 0, some; i < whole; i += some) {                                           \
      some = whole - i < IN_PART * VECTOR ? whole - i : IN_PART * VECTOR;                       \
      s += name##_vectors_##D(some / VECTOR, X + i, OUT + i, max);                              \
    }                                                                                           \
    if (rest && !skip) {                                                                        \
      for (int j = 0; j < rest; j++) OUT[j] = out[j];                                           \
    } else if (rest) {                                                                          \
      T *to = OUT + n - VECTOR;                                                                 \
      _Pragma("omp simd")                                                                       \
      for (int j = 0; j < VECTOR; j++) { T old = to[j], v = out[j]; to[j] = j < skip ? old : v; } \
    }                                                                                           \
    return s;                                                                                   \
  }                                                                                             \
  static void name##_row_##D(int64_t n, const T *X, T *OUT) {                                   \
    typedef T C;                                                                                \
    const double s = name##_exp_##D(n, X, OUT, largest_##D##_row(n, X, NULL));                  \
    const C m = from_sum;                                                                       \
    for (int64_t i = 0; i < n; i++) { C k = OUT[i]; OUT[i] = last; }                            \
  }                                                                                             \
  static void name##_columns_##D(int64_t n, int64_t w, const T *X, int64_t x_step, T *OUT, int64_t out_step) { \
    typedef T C;                                                                                \
    C max[COLUMNS_AT_ONCE], by[COLUMNS_AT_ONCE];                                                \
    double sum[COLUMNS_AT_ONCE] = {0};                                                          \
    memcpy(max, X, (size_t)w * sizeof(C));                                                      \
    largest_##D##_columns(n - 1, w, X + x_step, x_step, max, NULL);                          \
    for (int64_t i = 0; i < n; i += IN_PART) {                                                  \
      C part[COLUMNS_AT_ONCE] = {0};                                                            \
      int64_t end = n - i < IN_PART ? n : i + IN_PART;                                          \
      for (int64_t r = i; r < end; r++) {                                                       \
        const C *x = X + r * x_step;                                                            \
        C *out = OUT + r * out_step;                                                            \
        _Pragma("omp simd")                                                                     \
        for (int64_t j = 0; j < w; j++) {                                                       \
          C d = x[j] - max[j], e = exp_to_0(d);                                                    \
          part[j] += e;                                                                         \
          out[j] = keep;                                                                        \
          (void)d;                                                                              \
        }                                                                                       \
      }                                                                                         \
      for (int64_t j = 0; j < w; j++) sum[j] += (double)part[j];                                \
    }                                                                                           \
    for (int64_t j = 0; j < w; j++) { double s = sum[j]; by[j] = from_sum; }                    \
    for (int64_t i = 0; i < n; i++) {                                                           \
      C *out = OUT + i * out_step;                                                              \
      _Pragma("omp simd")                                                                       \
      for (int64_t j = 0; j < w; j++) { C k = out[j], m = by[j]; out[j] = last; }               \
    }                                                                                           \
  }                                                                                             \
  static void name##_##D(const line_tile *t) {                                                  \
    const T *X = t->x;                                                                          \
    T *OUT = t->out;                                                                            \
    if (t->x_step == 1 && t->out_step == 1) {                                                   \
      for (int64_t k = 0; k < t->lines; k++)                                                    \
        name##_row_##D(t->n, X + k * t->x_line, OUT + k * t->out_line);                         \
      return;                                                                                   \
    }                                                                                           \
    for (int64_t j = 0; j < t->lines; j += COLUMNS_AT_ONCE) {                                   \
      int64_t w = t->lines - j < COLUMNS_AT_ONCE ? t->lines - j : COLUMNS_AT_ONCE;              \
      name##_columns_##D(t->n, w, X + j, t->x_step, OUT + j, t->out_step);                      \
    }                                                                                           \
  }

#define SOFTMAX(name, keep, m, last, doc) EACH_REALFLOAT(SOFTMAX_ROW, name, keep, m, last)
#include "../../ops.def"

#define ENTRY(D, T, name) [DT_##D] = name##_##D,
const softmax_table ISA_NAME(softmax_table) = {{
#define SOFTMAX(name, ...) [SOFTMAX_##name] = {EACH_REALFLOAT(ENTRY, name)},
#include "../../ops.def"
}};
