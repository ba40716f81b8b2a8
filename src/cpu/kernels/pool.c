/* Pooling. Regular windows go tap by tap along a row of results, so that vectors hold neighbouring results; adaptive ones,
** whose lengths differ, one by one. */

#include <math.h>

#include "../cpu.h"

/* Results first … end - 1 of a row have an element of x at tap `offset` of their window. */
typedef struct reach { int64_t first, end; } reach;

INLINE reach reach_of(const pool_call *c, int64_t offset) {
  int64_t s = c->stride[1], lack = c->pad[1] - offset, last = c->in[1] - 1 + lack;
  reach r = {lack > 0 ? (lack + s - 1) / s : 0, last < 0 ? 0 : last / s + 1};
  if (r.end > c->out[1]) r.end = c->out[1];
  return r;
}

/* Steps between neighbours that vectors can take are known when this is compiled. */
#define BY_STEP(call, s)              \
  do {                                \
    if ((s) == 1) call(1);            \
    else if ((s) == 2) call(2);       \
    else call(s);                     \
  } while (0)

#define POOL(T)                                                                                                  \
  INLINE void max_tap_##T(int64_t n, const T *restrict x, const int64_t step, T *restrict y,                     \
                          int32_t *restrict position, int32_t first) {                                           \
    for (int64_t i = 0; i < n; i++) {                                                                            \
      T v = x[i * step];                                                                                         \
      int32_t at = position[i];                                                                                  \
      int better = (v > y[i]) | (v != v) | (at == 0);                                                            \
      y[i] = better ? v : y[i];                                                                                  \
      position[i] = better ? first + (int32_t)(i * step) : at;                                                   \
    }                                                                                                            \
  }                                                                                                              \
                                                                                                                 \
  INLINE void max_value_##T(int64_t n, const T *restrict x, const int64_t step, T *restrict y) {                 \
    for (int64_t i = 0; i < n; i++) {                                                                            \
      T v = x[i * step];                                                                                         \
      y[i] = (v > y[i]) | (v != v) ? v : y[i];                                                                   \
    }                                                                                                            \
  }                                                                                                              \
                                                                                                                 \
  /* Row r of the results. */                                                                                    \
  static void max_row_##T(const pool_plane *p, int64_t r) {                                                      \
    const pool_call *c = p->c;                                                                                   \
    T *y = (T *)p->y + r * c->out[1];                                                                            \
    int32_t *position = p->position ? p->position + r * c->out[1] : NULL;                                        \
    for (int64_t i = 0; i < c->out[1]; i++) y[i] = -(T)INFINITY;                                                 \
    for (int64_t i = 0; position && i < c->out[1]; i++) position[i] = 0;                                         \
    for (int64_t row = p->begin[0][r]; row < p->end[0][r]; row += c->dilation[0])                                \
      for (int64_t k = 0; k < c->kernel[1]; k++) {                                                               \
        int64_t s = c->stride[1], offset = k * c->dilation[1];                                                   \
        reach a = reach_of(c, offset);                                                                           \
        int64_t n = a.end - a.first, at = row * c->in[1] + a.first * s + offset - c->pad[1];                     \
        const T *x = (const T *)p->x + at;                                                                       \
        T *to = y + a.first;                                                                                     \
        int32_t *where = position ? position + a.first : NULL, first = (int32_t)at + 1;                                      \
        if (position) BY_STEP(MAX_TAP_##T, s);                                                                   \
        else BY_STEP(MAX_VALUE_##T, s);                                                                          \
      }                                                                                                          \
  }                                                                                                              \
                                                                                                                 \
  static void max_window_##T(const pool_plane *p, int64_t r, int64_t column) {                                   \
    const pool_call *c = p->c;                                                                                   \
    const T *x = p->x;                                                                                           \
    int64_t best = p->begin[0][r] * c->in[1] + p->begin[1][column];                                              \
    for (int64_t i = p->begin[0][r]; i < p->end[0][r]; i++)                                                      \
      for (int64_t j = p->begin[1][column]; j < p->end[1][column]; j++) {                                        \
        T v = x[i * c->in[1] + j];                                                                               \
        if (v > x[best] || v != v) best = i * c->in[1] + j;                                                      \
      }                                                                                                          \
    ((T *)p->y)[r * c->out[1] + column] = x[best];                                                               \
    if (p->position) p->position[r * c->out[1] + column] = (int32_t)best + 1;                                    \
  }                                                                                                              \
                                                                                                                 \
  static void max_##T(const pool_plane *p) {                                                                     \
    for (int64_t r = 0; r < p->c->out[0]; r++)                                                                   \
      if (!p->c->adaptive) max_row_##T(p, r);                                                                    \
      else for (int64_t i = 0; i < p->c->out[1]; i++) max_window_##T(p, r, i);                                   \
  }                                                                                                              \
                                                                                                                 \
  static void max_back_##T(const pool_plane *p) {                                                                \
    T *x = p->x;                                                                                                 \
    const T *y = p->y;                                                                                           \
    int64_t n = p->c->out[0] * p->c->out[1];                                                                     \
    for (int64_t i = 0; i < n; i++) x[p->position[i] - 1] += y[i];                                               \
  }                                                                                                              \
                                                                                                                 \
  INLINE T divisor_##T(const pool_plane *p, int64_t r, int64_t i) {                                              \
    return (T)(p->c->divisor ? p->c->divisor : p->count[0][r] * p->count[1][i]);                                 \
  }                                                                                                              \
                                                                                                                 \
  INLINE void add_tap_##T(int64_t n, const T *restrict x, const int64_t step, T *restrict y) {                   \
    for (int64_t i = 0; i < n; i++) y[i] += x[i * step];                                                         \
  }                                                                                                              \
                                                                                                                 \
  static void sum_row_##T(const pool_plane *p, int64_t r) {                                                      \
    const pool_call *c = p->c;                                                                                   \
    T *y = (T *)p->y + r * c->out[1];                                                                            \
    for (int64_t i = 0; i < c->out[1]; i++) y[i] = 0;                                                            \
    for (int64_t row = p->begin[0][r]; row < p->end[0][r]; row++)                                                \
      for (int64_t k = 0; k < c->kernel[1]; k++) {                                                               \
        int64_t s = c->stride[1];                                                                                \
        reach a = reach_of(c, k);                                                                                \
        int64_t n = a.end - a.first;                                                                             \
        const T *x = (const T *)p->x + row * c->in[1] + a.first * s + k - c->pad[1];                             \
        T *to = y + a.first;                                                                                     \
        BY_STEP(ADD_TAP_##T, s);                                                                                 \
      }                                                                                                          \
  }                                                                                                              \
                                                                                                                 \
  static T sum_window_##T(const pool_plane *p, int64_t r, int64_t column) {                                      \
    T sum = 0;                                                                                                   \
    int64_t begin = p->begin[1][column], end = p->end[1][column];                                                \
    for (int64_t i = p->begin[0][r]; i < p->end[0][r]; i++) {                                                    \
      const T *x = (const T *)p->x + i * p->c->in[1];                                                            \
      _Pragma("omp simd reduction(+ : sum)")                                                                     \
      for (int64_t j = begin; j < end; j++) sum += x[j];                                                         \
    }                                                                                                            \
    return sum;                                                                                                  \
  }                                                                                                              \
                                                                                                                 \
  static void average_##T(const pool_plane *p) {                                                                 \
    for (int64_t r = 0; r < p->c->out[0]; r++) {                                                                 \
      T *y = (T *)p->y + r * p->c->out[1];                                                                       \
      if (!p->c->adaptive) sum_row_##T(p, r);                                                                    \
      else for (int64_t i = 0; i < p->c->out[1]; i++) y[i] = sum_window_##T(p, r, i);                            \
      for (int64_t i = 0; i < p->c->out[1]; i++) y[i] /= divisor_##T(p, r, i);                                   \
    }                                                                                                            \
  }                                                                                                              \
                                                                                                                 \
  static void average_back_##T(const pool_plane *p) {                                                            \
    const pool_call *c = p->c;                                                                                   \
    const T *y = p->y;                                                                                           \
    for (int64_t r = 0; r < c->out[0]; r++)                                                                      \
      for (int64_t i = 0; i < c->out[1]; i++) {                                                                  \
        T v = y[r * c->out[1] + i] / divisor_##T(p, r, i);                                                       \
        for (int64_t row = p->begin[0][r]; row < p->end[0][r]; row++) {                                          \
          T *x = (T *)p->x + row * c->in[1];                                                                     \
          for (int64_t j = p->begin[1][i]; j < p->end[1][i]; j++) x[j] += v;                                     \
        }                                                                                                        \
      }                                                                                                          \
  }
#define MAX_TAP_float(s)    max_tap_float(n, x, s, to, where, first)
#define MAX_TAP_double(s)   max_tap_double(n, x, s, to, where, first)
#define MAX_VALUE_float(s)  max_value_float(n, x, s, to)
#define MAX_VALUE_double(s) max_value_double(n, x, s, to)
#define ADD_TAP_float(s)    add_tap_float(n, x, s, to)
#define ADD_TAP_double(s)   add_tap_double(n, x, s, to)
POOL(float)
POOL(double)

#define ENTRY(op, name) [op] = {[DT_float32] = name##_float, [DT_float64] = name##_double}

const pool_table ISA_NAME(pool_table) = {.kernel = {ENTRY(POOL_max, max), ENTRY(POOL_max_back, max_back),
                                                    ENTRY(POOL_average, average), ENTRY(POOL_average_back, average_back)}};
