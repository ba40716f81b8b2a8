/* Inner loops of the softmax family: the largest element, then the exponentials and their sum, then the
** result. A line (or a block of columns) stays in cache between the three passes. */

#include "cpu/cpu.h"
#include "cpu/kernels/exponentials.h"

enum { COLUMNS_AT_ONCE = 64 };     /* columns of a pass: their rows stay in L1 and L2 for the next */

#define LARGEST_COLUMNS(D, T, ...) COLUMNS(largest_##D, T, T, m_max(a, x))
EACH_REALFLOAT(LARGEST_COLUMNS, )

/* The largest element of a row of n >= VECTOR elements that are no NaN, and the sum of a vector's parts. */
#define IN_HALVES(D, T, ...)                                                                    \
  INLINE T top_of_row_##D(int64_t n, const T *X) {                                              \
    T top[VECTOR];                                                                              \
    memcpy(top, X + n - VECTOR, sizeof top);                                                    \
    for (int64_t i = 0, stop; (stop = cancel_stretch(i, n - VECTOR)) > i;)                      \
      for (; i < stop; i += VECTOR) {                                                           \
        _Pragma("omp simd")                                                                     \
        for (int j = 0; j < VECTOR; j++) top[j] = top[j] > X[i + j] ? top[j] : X[i + j];        \
      }                                                                                         \
    for (int w = VECTOR / 2; w > 0; w /= 2)                                                     \
      for (int j = 0; j < w; j++) top[j] = top[j] > top[w + j] ? top[j] : top[w + j];           \
    return top[0];                                                                              \
  }                                                                                             \
  INLINE double sum_of_part_##D(const T *part) {                                                \
    double s[VECTOR / 2];                                                                       \
    for (int j = 0; j < VECTOR / 2; j++) s[j] = (double)part[j] + (double)part[VECTOR / 2 + j]; \
    for (int w = VECTOR / 4; w > 0; w /= 2)                                                     \
      for (int j = 0; j < w; j++) s[j] += s[w + j];                                             \
    return s[0];                                                                                \
  }
EACH_REALFLOAT(IN_HALVES, )

/* The three passes over a row. It is read in whole vectors, the last of which begins where n elements end: what two
** vectors share has the same largest element and the same results, but is added up once. That vector's exponentials
** are made first and stored last, since OUT may be X. NaN need not be the largest: its exponential is NaN, too. */
#define SOFTMAX_ROW(D, T, name, keep, from_sum, last)                                           \
  INLINE void name##_vector_##D(const T *X, T *OUT, const T max, int skip, T *part) {           \
    typedef T C;                                                                                \
    _Pragma("omp simd")                                                                         \
    for (int j = 0; j < VECTOR; j++) {                                                          \
      C d = X[j] - max, e = exp_to_0(d);                                                        \
      part[j] += j < skip ? 0 : e;                                                              \
      OUT[j] = keep;                                                                            \
      (void)d;                                                                                  \
    }                                                                                           \
  }                                                                                             \
  OUTLINE double name##_exp_##D(int64_t n, const T *X, T *OUT) {                                \
    T part[VECTOR] = {0}, end[VECTOR];                                                          \
    const T max = top_of_row_##D(n, X);                                                         \
    double s = 0;                                                                               \
    name##_vector_##D(X + n - VECTOR, end, max, (int)(-n & (VECTOR - 1)), part);                \
    for (int64_t i = 0, vectors = (n - 1) / VECTOR; i < vectors; ) {                            \
      int64_t stop = vectors - i < IN_PART ? vectors : i + IN_PART;                             \
      for (; i < stop; i++) name##_vector_##D(X + i * VECTOR, OUT + i * VECTOR, max, 0, part);  \
      if (n > CANCEL_STRETCH && i / IN_PART % 128 == 0 && cancel_due()) break;                  \
      if (i < vectors) {                                                                        \
        s += sum_of_part_##D(part);                                                             \
        memset(part, 0, sizeof part);                                                           \
      }                                                                                         \
    }                                                                                           \
    memcpy(OUT + n - VECTOR, end, sizeof end);                                                  \
    return s + sum_of_part_##D(part);                                                           \
  }                                                                                             \
  static void name##_row_##D(int64_t n, const T *X, T *OUT) {                                   \
    typedef T C;                                                                                \
    T few[VECTOR];                                                                              \
    const bool is_short = n < VECTOR;                                                           \
    if (is_short)                                                                               \
      for (int j = 0; j < VECTOR; j++) few[j] = j < n ? X[j] : -(T)INFINITY;                    \
    const double s = is_short ? name##_exp_##D(VECTOR, few, few) : name##_exp_##D(n, X, OUT);   \
    const C m = from_sum, *from = is_short ? few : OUT;                                         \
    for (int64_t i = 0, stop; (stop = cancel_stretch(i, n)) > i;)                               \
      for (; i < stop; i++) { C k = from[i]; OUT[i] = last; }                                   \
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
      if (n * w > CANCEL_STRETCH && cancel_due()) return;                                       \
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
      if (i % CANCEL_STRETCH == CANCEL_STRETCH - 1 && cancel_due()) return;                      \
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
#include "ops.def"

#define ENTRY(D, T, name) [DT_##D] = name##_##D,
const softmax_table ISA_NAME(softmax_table) = {{
#define SOFTMAX(name, ...) [SOFTMAX_##name] = {EACH_REALFLOAT(ENTRY, name)},
#include "ops.def"
}};
