#ifndef LT_CPU_KERNELS_STATE_H
#define LT_CPU_KERNELS_STATE_H

/* The states of REDUCE_STATE rows. Each has a type and the functions init, fold, fold_columns and merge, which
** correspond to the expressions of a REDUCE row. All work blockwise: two passes over a block in the cache, then one
** merge. */

#include "cpu/kernels/fold.h"

enum {
  TILE_COLUMNS = 256,   /* columns and rows of a block of fold_columns: 64 rows of 256 doubles */
  TILE_ROWS    = 64     /* they take 128 KiB, in L2 for the second pass; a merge costs 1/64 for each row */
};

/* Folds rows × columns elements from X on, whose first row has number `first`, into acc, one state for each column. */
typedef void state_tile(const void *X, int64_t rows, int64_t columns, int64_t stride, int64_t first, void *acc);

/* Calls kernel with each tile of rows x n elements of `size` bytes; a state has `state` bytes. */
INLINE void each_tile(state_tile *kernel, int64_t size, int64_t state, int64_t rows, int64_t n, const void *in, int64_t stride,
                      int64_t first, void *acc) {
  for (int64_t r = 0, h; r < rows; r += h) {
    h = rows - r < TILE_ROWS ? rows - r : TILE_ROWS;
    for (int64_t j = 0, w; j < n; j += w) {
      w = n - j < TILE_COLUMNS ? n - j : TILE_COLUMNS;
      kernel((const char *)in + (r * stride + j) * size, h, w, stride, first + r, (char *)acc + j * state);
    }
  }
}

#define FOLD_COLUMNS(D, T, name, state)                                                           \
  static void name##_fold_columns_##D(int64_t rows, int64_t n, const void *in, int64_t stride, int64_t first, void *acc) { \
    each_tile(name##_tile_##D, sizeof(T), sizeof(state), rows, n, in, stride, first, acc);        \
  }

/* ---- moments: count, mean, sum of squared distances from the mean (Chan's merge) ---- */

typedef struct moments { double n, mean, m2; } moments;

static void moments_init(int64_t n, void *acc) { memset(acc, 0, (size_t)n * sizeof(moments)); }

INLINE moments moments_join(moments a, moments b) {
  double n = a.n + b.n, d = b.mean - a.mean, share = n > 0 ? b.n / n : 0;
  return (moments){n, a.mean + d * share, a.m2 + b.m2 + d * d * a.n * share};
}

static void moments_merge(int64_t n, void *acc, const void *later) {
  moments *a = acc;
  const moments *b = later;
  for (int64_t j = 0; j < n; j++) a[j] = moments_join(a[j], b[j]);
}

/* A negative divisor counts as 0: infinity, or NaN for equal elements. */
/* NaN if nothing is left to divide by, as in the array API standard (NumPy and PyTorch: infinite). */
INLINE double moments_var(moments a, double divisor) { return divisor > 0 ? a.m2 / divisor : (double)NAN; }

/* The sums of a dtype: of elements, or of squared distances from `mean`, of rows or of columns. */
typedef double moments_row(int64_t n, const void *x, const double *mean);
typedef void moments_columns(int64_t rows, int64_t n, const void *x, int64_t stride, double *acc, const double *mean);

INLINE void moments_fold(moments_row *total, moments_row *spread, int64_t n, const void *x, void *acc) {
  double mean[LANES], at = total(n, x, NULL) / (double)n;
  for (int64_t k = 0; k < LANES; k++) mean[k] = at;
  moments b = {(double)n, at, spread(n, x, mean)};
  moments_merge(1, acc, &b);
}

INLINE void moments_tile(moments_columns *total, moments_columns *spread, const void *x, int64_t h, int64_t w, int64_t stride,
                         moments *acc) {
  double mean[TILE_COLUMNS] = {0}, m2[TILE_COLUMNS] = {0};
  total(h, w, x, stride, mean, NULL);
  for (int64_t j = 0; j < w; j++) mean[j] /= (double)h;
  spread(h, w, x, stride, m2, mean);
  for (int64_t j = 0; j < w; j++) acc[j] = moments_join(acc[j], (moments){(double)h, mean[j], m2[j]});
}

#define MOMENTS_SUMS(D, T, ...)                                                                   \
  COLUMNS_WIDE(D, total_##D, T, double, m_plus(a, (double)x))                                     \
  ROW(total_##D, T, double, double, 0, a + b)                                                     \
  COLUMNS_M(spread_##D, T, double, double, a + ((double)x - m) * ((double)x - m))                 \
  ROW(spread_##D, T, double, double, 0, a + b)
EACH_REALFLOAT(MOMENTS_SUMS, )

#define MOMENTS(D, T, ...)                                                                        \
  static void moments_fold_##D(int64_t n, const void *x, int64_t first, void *acc) {              \
    moments_fold(total_##D##_row, spread_##D##_row, n, x, acc);                                   \
    (void)first;                                                                                  \
  }                                                                                               \
  static void moments_tile_##D(const void *x, int64_t h, int64_t w, int64_t stride, int64_t first, void *acc) { \
    moments_tile(total_##D##_columns, spread_##D##_columns, x, h, w, stride, acc);                \
    (void)first;                                                                                  \
  }
EACH_REALFLOAT(MOMENTS, )
EACH_REALFLOAT(FOLD_COLUMNS, moments, moments)
#define STATE_moments(D) moments
#define INIT_moments(D)  moments_init
#define MERGE_moments(D) moments_merge

/* ---- logsum: the largest element and the sum of exp(x - largest) ---- */

typedef struct logsum { double max, sum; } logsum;

/* The subtracted number. Infinities and NaN are replaced, because they would turn everything into NaN. */
INLINE double logsum_shift(double max) { return m_isfinite(max) ? max : 0; }

static void logsum_init(int64_t n, void *acc) {
  for (int64_t j = 0; j < n; j++) ((logsum *)acc)[j] = (logsum){-(double)INFINITY, 0};
}

/* The sum of a, rescaled as if `max` had been subtracted instead of a's own maximum. */
INLINE double logsum_scaled(logsum a, double max) {
  return a.sum == 0 ? 0 : a.sum * m_exp(logsum_shift(a.max) - logsum_shift(max));
}

INLINE logsum logsum_join(logsum a, logsum b) {
  double max = m_max(a.max, b.max);
  return (logsum){max, logsum_scaled(a, max) + logsum_scaled(b, max)};
}

static void logsum_merge(int64_t n, void *acc, const void *later) {
  logsum *a = acc;
  const logsum *b = later;
  for (int64_t j = 0; j < n; j++) a[j] = logsum_join(a[j], b[j]);
}

INLINE double logsum_value(logsum a) { return logsum_shift(a.max) + m_log(a.sum); }

#define LOGSUM(D, T, ...)                                                                         \
  COLUMNS(top_##D, T, T, m_max(a, x))                                                          \
  ROW(top_##D, T, T, double, -(T)INFINITY, m_max(a, b))                                                \
  COLUMNS_M(expsum_##D, T, double, T, a + (double)m_exp(x - m))                                     \
  ROW(expsum_##D, T, double, T, 0, a + b)                                                         \
  static void logsum_fold_##D(int64_t n, const void *x, int64_t first, void *acc) {               \
    T max = top_##D##_row(n, x, NULL), shift[LANES];                                              \
    for (int64_t k = 0; k < LANES; k++) shift[k] = (T)logsum_shift((double)max);                  \
    logsum b = {(double)max, expsum_##D##_row(n, x, shift)};                                      \
    logsum_merge(1, acc, &b);                                                                     \
    (void)first;                                                                                  \
  }                                                                                               \
  static void logsum_tile_##D(const void *x, int64_t h, int64_t w, int64_t stride, int64_t first, void *acc) { \
    const T *X = x;                                                                               \
    logsum *a = acc;                                                                              \
    T max[TILE_COLUMNS], shift[TILE_COLUMNS] = {0};                                               \
    double sum[TILE_COLUMNS] = {0};                                                               \
    memcpy(max, X, (size_t)w * sizeof(T));                                                        \
    top_##D##_columns(h - 1, w, X + stride, stride, max, NULL);                                \
    for (int64_t j = 0; j < w; j++) shift[j] = (T)logsum_shift((double)max[j]);                   \
    expsum_##D##_columns(h, w, X, stride, sum, shift);                                         \
    for (int64_t j = 0; j < w; j++) a[j] = logsum_join(a[j], (logsum){(double)max[j], sum[j]});   \
    (void)first;                                                                                  \
  }
EACH_REALFLOAT(LOGSUM, )
EACH_REALFLOAT(FOLD_COLUMNS, logsum, logsum)
#define STATE_logsum(D) logsum
#define INIT_logsum(D)  logsum_init
#define MERGE_logsum(D) logsum_merge

/* ---- largest, smallest: value and position of the first extreme element, or of the first NaN ---- */

/* True if x beats the best element so far. Equal values do not beat, so that the first one stays. NaN beats every
** number. */
#define BEATS(x, cmp, best) (((x) cmp (best)) | (((x) != (x)) & ((best) == (best))))

enum { FIND = 64 };     /* elements compared at a time */

/* The position of the first element equal to v (NaN equals NaN here), which must exist. */
#define FIND_FIRST(D, T, ...)                                                                     \
  static int64_t find_##D(int64_t n, const T *X, T v) {                                           \
    int64_t i = 0;                                                                                \
    bool nan = v != v;                                                                            \
    for (; i + FIND <= n; i += FIND) {                                                            \
      flag_##D hit = 0;                                                                           \
      for (int64_t k = 0; k < FIND; k++) hit |= (flag_##D)((X[i + k] == v) | (nan & (X[i + k] != X[i + k]))); \
      if (hit) break;                                                                             \
    }                                                                                             \
    while (X[i] != v && !(nan && X[i] != X[i])) i++;                                              \
    return i;                                                                                     \
  }
EACH_REALS(FIND_FIRST, )

#define EXTREME(D, T, name, cmp, m_best, worst)                                                   \
  typedef struct name##_##D { int64_t position; T value; } name##_##D;                            \
  COLUMNS(name##_of_##D, T, T, m_best(a, x))                                                   \
  ROW(name##_of_##D, T, T, double, worst(T), m_best(a, b))                                             \
  static void name##_init_##D(int64_t n, void *acc) {                                             \
    for (int64_t j = 0; j < n; j++) ((name##_##D *)acc)[j] = (name##_##D){-1, 0};                 \
  }                                                                                               \
  INLINE void name##_take_##D(name##_##D *a, int64_t position, T value) {                         \
    if (a->position < 0 || BEATS(value, cmp, a->value)) *a = (name##_##D){position, value};       \
  }                                                                                               \
  static void name##_merge_##D(int64_t n, void *acc, const void *later) {                         \
    const name##_##D *b = later;                                                                  \
    for (int64_t j = 0; j < n; j++)                                                               \
      if (b[j].position >= 0) name##_take_##D((name##_##D *)acc + j, b[j].position, b[j].value);  \
  }                                                                                               \
  static void name##_fold_##D(int64_t n, const void *x, int64_t first, void *acc) {               \
    name##_##D *a = acc;                                                                          \
    T best = name##_of_##D##_row(n, x, NULL);                                                     \
    if (a->position < 0 || BEATS(best, cmp, a->value))                                            \
      *a = (name##_##D){first + find_##D(n, x, best), best};                                      \
  }                                                                                               \
  static void name##_tile_##D(const void *x_, int64_t h, int64_t w, int64_t stride, int64_t first, void *acc) { \
    const T *X = x_;                                                                              \
    T best[TILE_COLUMNS];                                                                         \
    flag_##D row[TILE_COLUMNS] = {0};                                                             \
    memcpy(best, X, (size_t)w * sizeof(T));                                                       \
    for (int64_t r = 1; r < h; r++)                                                               \
      for (int64_t j = 0; j < w; j++) {                                                           \
        T x = X[r * stride + j], v = best[j];                                                     \
        best[j] = BEATS(x, cmp, v) ? x : v;                                                       \
        row[j] = BEATS(x, cmp, v) ? (flag_##D)r : row[j];                                         \
      }                                                                                           \
    for (int64_t j = 0; j < w; j++) name##_take_##D((name##_##D *)acc + j, first + (int64_t)row[j], best[j]); \
  }
#define EXTREME_COLUMNS(D, T, name) FOLD_COLUMNS(D, T, name, name##_##D)
EACH_REALS(EXTREME, largest, >, m_max, m_lowest)
EACH_REALS(EXTREME, smallest, <, m_min, m_highest)
EACH_REALS(EXTREME_COLUMNS, largest)
EACH_REALS(EXTREME_COLUMNS, smallest)
#define STATE_largest(D)  largest_##D
#define INIT_largest(D)   largest_init_##D
#define MERGE_largest(D)  largest_merge_##D
#define STATE_smallest(D) smallest_##D
#define INIT_smallest(D)  smallest_init_##D
#define MERGE_smallest(D) smallest_merge_##D

#endif
