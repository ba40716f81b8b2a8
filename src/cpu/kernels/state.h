#ifndef LT_CPU_KERNELS_STATE_H
#define LT_CPU_KERNELS_STATE_H

/* Reductions whose accumulator is a struct, which is called the state here (the rows REDUCE_STATE of ops.def: for
** example, variance needs a count, a mean and a sum of squares). Each state has the functions init, fold, fold_columns
** and merge, which replace the expressions of a REDUCE row. A fold makes two passes over a block of elements in the
** cache, and then merges the block's state into the accumulator. */

#include "cpu/kernels/fold.h"

#define LOOPS "cpu/kernels/fold_pairs.h"
#include "cpu/kernels/each_dtype.h"

enum {
  TILE_COLUMNS = 256,   /* the number of columns of a tile of fold_columns */
  TILE_ROWS    = 64     /* the number of rows of a tile; with 256 columns of doubles a tile takes 128 KiB, which stay
                        ** in L2 for the second pass; one merge serves 64 rows */
};

/* Folds rows × columns elements from X on into acc, which has one state for each column. `first` is the position of
** the first row in the reduction. */
typedef void state_tile(const void *X, int64_t rows, int64_t columns, int64_t stride, int64_t first, void *acc);

/* Calls `kernel` for each tile of rows × n elements of `size` bytes. A state has `state` bytes. */
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

/* Folds n contiguous elements into one state. `first` is the position of the first element in the reduction. */
typedef void state_row(int64_t n, const void *X, int64_t first, void *acc);

/* Calls `kernel` for each row of n elements of `size` bytes. A state has `state` bytes. */
INLINE void each_row(state_row *kernel, int64_t size, int64_t state, int64_t rows, int64_t n, const void *in, int64_t stride,
                     int64_t first, void *acc) {
  for (int64_t r = 0; r < rows; r++) kernel(n, (const char *)in + r * stride * size, first, (char *)acc + r * state);
}

/* Defines the functions `fold` and `fold_columns` of a state. */
#define FOLD_STATES(D, T, name, state)                                                            \
  static void name##_fold_##D(int64_t rows, int64_t n, const void *in, int64_t stride, int64_t first, void *acc) { \
    each_row(name##_line_##D, sizeof(T), sizeof(state), rows, n, in, stride, first, acc);         \
  }                                                                                               \
  static void name##_fold_columns_##D(int64_t rows, int64_t n, const void *in, int64_t stride, int64_t first, void *acc) { \
    each_tile(name##_tile_##D, sizeof(T), sizeof(state), rows, n, in, stride, first, acc);        \
  }

/* ---- moments ----
** The state is the count, the mean, and the sum of squared distances from the mean. States are merged by Chan's
** formula. */

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

/* Returns the variance. The variance is NaN if the divisor is not positive, as in the Python array API standard.
** NumPy and PyTorch return infinity instead. */
INLINE double moments_var(moments a, double divisor) { return divisor > 0 ? a.m2 / divisor : (double)NAN; }

#define STATE_moments(D) moments
#define INIT_moments(D)  moments_init
#define MERGE_moments(D) moments_merge

/* ---- logsum ----
** The state is the largest element, and the sum of exp(x - largest). */

typedef struct logsum { double max, sum; } logsum;

/* Returns the number that is subtracted from elements: the maximum, or 0 if the maximum is infinity or NaN, because
** subtracting infinity or NaN would turn all exponentials into NaN. */
INLINE double logsum_shift(double max) { return m_isfinite(max) ? max : 0; }

static void logsum_init(int64_t n, void *acc) {
  for (int64_t j = 0; j < n; j++) ((logsum *)acc)[j] = (logsum){-(double)INFINITY, 0};
}

/* Returns the sum that a would have if `max` had been subtracted from the elements instead of a's own maximum. */
INLINE double logsum_scaled(logsum a, double max) {
  return a.sum == 0 ? 0 : a.sum * m_exp(logsum_shift(a.max) - logsum_shift(max));
}

INLINE logsum logsum_join(logsum a, logsum b) {
  if (a.sum == 0 && a.max == -(double)INFINITY) return b;      /* a has no elements, or only -infinity */
  double max = m_max(a.max, b.max);
  return (logsum){max, logsum_scaled(a, max) + logsum_scaled(b, max)};
}

static void logsum_merge(int64_t n, void *acc, const void *later) {
  logsum *a = acc;
  const logsum *b = later;
  for (int64_t j = 0; j < n; j++) a[j] = logsum_join(a[j], b[j]);
}

INLINE double logsum_value(logsum a) { return logsum_shift(a.max) + m_log(a.sum); }

#define STATE_logsum(D) logsum
#define INIT_logsum(D)  logsum_init
#define MERGE_logsum(D) logsum_merge

/* ---- loops of moments and logsum for real floating-point dtypes ---- */

typedef double EXPSUM_float32, EXPSUM_float64;
#define ELEMENT float
#define TOTAL   EXPSUM_float32
#define MEAN    float
#include "cpu/kernels/fold_loops.h"

#define ELEMENT double
#define TOTAL   EXPSUM_float64
#include "cpu/kernels/fold_loops.h"

/* `total` sums elements, and `spread` sums the squares of their distances from the mean m. `top` finds the largest
** element, and `expsum` sums exp(x - m) for the largest element m. */
#define FLOAT_FOLDS(D, T, ...)                                                                    \
  FOLDS(D, total, double, WIDE_##D, double, 0, m_plus(a, x), a + b)                               \
  FOLDS(D, spread, double, WIDE_##D, double, 0, a + (x - m) * (x - m), a + b)                     \
  FOLDS(D, top, T, SAME_##D, double, -(T)INFINITY, m_max(a, x), m_max(a, b))                      \
  FOLDS(D, expsum, T, EXPSUM_##D, T, 0, a + (double)m_exp(x - m), a + b)
EACH_REALFLOAT(FLOAT_FOLDS, )

#define D float32
#include "cpu/kernels/state_float.h"

#define D float64
#include "cpu/kernels/state_float.h"

EACH_REALFLOAT(FOLD_STATES, moments, moments)
EACH_REALFLOAT(FOLD_STATES, logsum, logsum)

/* ---- largest and smallest ----
** The state is the value and the position of the first extreme element, or of the first NaN. */

enum {
  FIND = 64,            /* the number of elements that are compared before the result is tested */
  FIND_LAST = 8         /* the same number for the last elements of a row */
};

#define LOOPS "cpu/kernels/state_extreme.h"
#include "cpu/kernels/each_dtype.h"

/* True if x is better than the best element so far. An equal element is not better, so the first of equal elements
** stays. NaN is better than every number. */
#define BEATS(x, cmp, best) (((x) cmp (best)) | (((x) != (x)) & ((best) == (best))))

#define EXTREME(D, T, name, cmp, m_best, worst)                                                   \
  INLINE bool name##_beats_##D(T x, T best) { return BEATS(x, cmp, best); }                       \
  FOLDS(D, name, T, SAME_##D, double, worst(T), m_best(a, x), m_best(a, b))                 \
  static void name##_merge_##D(int64_t n, void *acc, const void *later) { extreme_merge_##D(name##_beats_##D, n, acc, later); }
#define EXTREME_FOLDS(D, T, name)                                                                 \
  static void name##_line_##D(int64_t n, const void *x, int64_t first, void *acc) {               \
    extreme_fold_##D(name##_beats_##D, name##_row_##D(n, x, NULL), n, x, first, acc);        \
  }                                                                                               \
  static void name##_tile_##D(const void *x, int64_t h, int64_t w, int64_t stride, int64_t first, void *acc) { \
    extreme_tile_##D(name##_beats_##D, x, h, w, stride, first, acc);                              \
  }                                                                                               \
  FOLD_STATES(D, T, name, extreme_##D)
EACH_REALS(EXTREME, largest, >, m_max, m_lowest)
EACH_REALS(EXTREME, smallest, <, m_min, m_highest)
EACH_REALS(EXTREME_FOLDS, largest)
EACH_REALS(EXTREME_FOLDS, smallest)
#define STATE_largest(D)  extreme_##D
#define INIT_largest(D)   extreme_init_##D
#define MERGE_largest(D)  largest_merge_##D
#define STATE_smallest(D) extreme_##D
#define INIT_smallest(D)  extreme_init_##D
#define MERGE_smallest(D) smallest_merge_##D

#endif
