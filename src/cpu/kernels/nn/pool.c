/* Pooling. Regular windows go tap by tap along a row of results, so that vectors hold neighbouring results; adaptive ones,
** whose lengths differ, one by one. */

#include <math.h>
#include <string.h>

#include "cpu/cpu.h"

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX2__)
#define BYTES 32
#else
#define BYTES 16
#endif

/* Lanes of x and y by place; clang, which cannot, goes the general way. */
#ifdef __clang__
#define STEP_2(T, I, N, x) /* */
#else
#define STEP_2(T, I, N, x)                                                                                       \
  T##_places even = {0};                                                                                         \
  for (int i = 0; i < N; i++) even[i] = 2 * i;                                                                   \
  if (step == 2) return __builtin_shuffle(*(const T##_loose *)x, *(const T##_loose *)(x + N), even);
#endif

enum { ROOM = 512 };             /* elements of a row of x that a vector of results reads, at most */

static bool line_fits(const pool_call *c) {
  return BYTES / 4 * c->stride[1] + (c->kernel[1] - 1) * c->dilation[1] <= ROOM;
}

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

#define POOL(T, I)                                                                                                  \
  typedef T T##_lanes __attribute__((vector_size(BYTES)));                                                       \
  typedef T T##_loose __attribute__((vector_size(BYTES), aligned(sizeof(T)), may_alias));                        \
  typedef I T##_places __attribute__((vector_size(BYTES)));                                                      \
                                                                                                                 \
  /* Every step-th element of x: one a lane. */                                                                  \
  INLINE T##_lanes each_##T(const T *x, const int64_t step) {                                                    \
    enum { N = BYTES / sizeof(T) };                                                                              \
    if (step == 1) return *(const T##_loose *)x;                                                                 \
    STEP_2(T, I, N, x)                                                                                           \
    T##_lanes v = {0};                                                                                               \
    for (int i = 0; i < N; i++) v[i] = x[i * step];                                                              \
    return v;                                                                                                    \
  }                                                                                                              \
                                                                                                                 \
  /* n results of row r from `first` on, one a lane. Where their windows go beyond x, or vectors beyond the plane, `line` is a \
  ** copy of the row with -inf around. */                                                                        \
  INLINE void max_lanes_##T(const pool_plane *p, int64_t r, int64_t first, int64_t n, const int64_t step) {      \
    enum { N = BYTES / sizeof(T) };                                                                              \
    const pool_call *c = p->c;                                                                                   \
    T line[ROOM];                                                                                                \
    int64_t width = c->in[1], from = first * step - c->pad[1], reach = (c->kernel[1] - 1) * c->dilation[1];      \
    int64_t begin = from < 0 ? -from : 0, length = N * step + reach, end = width - from < length ? width - from : length; \
    bool inside = from >= 0 && from + (n - 1) * step + reach < width;                                            \
    T##_lanes best = -(T)INFINITY - (T##_lanes){0};                                                              \
    T##_places at = {0}, lane = {0};                                                                             \
    for (int i = 0; i < N; i++) lane[i] = i * (I)step;                                                           \
    for (int i = 0; i < N; i++) at[i] = (I)(p->begin[0][r] * width + p->begin[1][i < n ? first + i : first] + 1); \
    for (int64_t i = 0; !inside && i < length; i++) line[i] = -(T)INFINITY;                                      \
    for (int64_t row = p->begin[0][r]; row < p->end[0][r]; row += c->dilation[0]) {                              \
      const T *x = (const T *)p->x + row * width + from;                                                         \
      if (!inside || row * width + from + length > c->in[0] * width) {                                           \
        if (end > begin) memcpy(line + begin, x + begin, (size_t)(end - begin) * sizeof(T));                     \
        x = line;                                                                                                \
      }                                                                                                          \
      for (int64_t k = 0; k < c->kernel[1]; k++) {                                                               \
        T##_lanes v = each_##T(x + k * c->dilation[1], step);                                                    \
        T##_places better = (T##_places)(v > best) | (T##_places)(v != v);                                       \
        best = (T##_lanes)(((T##_places)v & better) | ((T##_places)best & ~better));                             \
        at = ((lane + (I)(row * width + from + k * c->dilation[1] + 1)) & better) | (at & ~better);              \
      }                                                                                                          \
    }                                                                                                            \
    memcpy((T *)p->y + r * c->out[1] + first, &best, (size_t)n * sizeof(T));                                     \
    for (int64_t i = 0; p->position && i < n; i++) p->position[r * c->out[1] + first + i] = (int32_t)at[i];      \
  }                                                                                                              \
                                                                                                                 \
  /* Row r of the results. */                                                                                    \
  static void max_row_##T(const pool_plane *p, int64_t r) {                                                      \
    enum { N = BYTES / sizeof(T) };                                                                              \
    int64_t s = p->c->stride[1], out = p->c->out[1];                                                             \
    for (int64_t i = 0; i < out; i += N) {                                                                       \
      int64_t n = out - i < N ? out - i : N;                                                                     \
      if (s == 1) max_lanes_##T(p, r, i, n, 1);                                                                  \
      else if (s == 2) max_lanes_##T(p, r, i, n, 2);                                                             \
      else max_lanes_##T(p, r, i, n, s);                                                                         \
    }                                                                                                            \
  }                                                                                                              \
                                                                                                                 \
  static void max_window_##T(const pool_plane *p, int64_t r, int64_t column) {                                   \
    const pool_call *c = p->c;                                                                                   \
    const T *x = p->x;                                                                                           \
    int64_t best = p->begin[0][r] * c->in[1] + p->begin[1][column];                                              \
    int64_t steps[2] = {c->adaptive ? 1 : c->dilation[0], c->adaptive ? 1 : c->dilation[1]};                     \
    for (int64_t i = p->begin[0][r]; i < p->end[0][r]; i += steps[0])                                            \
      for (int64_t j = p->begin[1][column]; j < p->end[1][column]; j += steps[1]) {                                    \
        T v = x[i * c->in[1] + j];                                                                               \
        if (v > x[best] || v != v) best = i * c->in[1] + j;                                                      \
      }                                                                                                          \
    ((T *)p->y)[r * c->out[1] + column] = x[best];                                                               \
    if (p->position) p->position[r * c->out[1] + column] = (int32_t)best + 1;                                    \
  }                                                                                                              \
                                                                                                                 \
  static void max_##T(const pool_plane *p) {                                                                     \
    bool lines = !p->c->adaptive && line_fits(p->c);                                                             \
    for (int64_t r = 0; r < p->c->out[0]; r++)                                                                   \
      if (lines) max_row_##T(p, r);                                                                              \
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
#define ADD_TAP_float(s)    add_tap_float(n, x, s, to)
#define ADD_TAP_double(s)   add_tap_double(n, x, s, to)
POOL(float, int32_t)
POOL(double, int64_t)

#define ENTRY(op, name) [op] = {[DT_float32] = name##_float, [DT_float64] = name##_double}

const pool_table ISA_NAME(pool_table) = {.kernel = {ENTRY(POOL_max, max), ENTRY(POOL_max_back, max_back),
                                                    ENTRY(POOL_average, average), ENTRY(POOL_average_back, average_back)}};
