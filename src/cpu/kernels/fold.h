#ifndef LT_CPU_KERNELS_FOLD_H
#define LT_CPU_KERNELS_FOLD_H

/* Shared by the loops of reductions and scans: accumulator types, identities, and the two forms of loops that fold
** elements into accumulators. */

#ifdef __AVX__
#include <immintrin.h>
#endif

#include "math/scalar.h"

#define OUTLINE static __attribute__((noinline))

/* Accumulator of sums and products: exact enough or wide enough for the elements of each compute dtype. */
typedef int64_t  wide_bool;
typedef uint64_t wide_uint8, wide_uint16, wide_uint32, wide_uint64;
typedef int64_t  wide_int8, wide_int16, wide_int32, wide_int64;
typedef double   wide_float32, wide_float64;
typedef complex128_t wide_complex64, wide_complex128;

/* Truth values as wide as the element, so that comparisons need no narrowing. */
typedef uint8_t  flag_bool, flag_uint8, flag_int8;
typedef uint16_t flag_uint16, flag_int16;
typedef uint32_t flag_uint32, flag_int32, flag_float32;
typedef uint64_t flag_uint64, flag_int64, flag_float64, flag_complex64, flag_complex128;

#define ACCUM_WIDE(D, T)  wide_##D
#define ACCUM_FLAG(D, T)  flag_##D
#define ACCUM_SAME(D, T)  T
#define ACCUM_COUNT(D, T) int64_t

/* The dtype of a C type. */
#define DTYPE_OF(T) _Generic((T)0, bool: DT_bool, float: DT_float32, double: DT_float64,        \
  complex64_t: DT_complex64, complex128_t: DT_complex128,                                       \
  uint8_t: DT_uint8, uint16_t: DT_uint16, uint32_t: DT_uint32, uint64_t: DT_uint64,             \
  int8_t: DT_int8, int16_t: DT_int16, int32_t: DT_int32, int64_t: DT_int64)

/* Least and greatest value of the type C. */
#define m_lowest(C)  _Generic((C)0, float: -INFINITY, double: -(double)INFINITY, \
  uint8_t: 0, uint16_t: 0, uint32_t: 0, uint64_t: 0,                             \
  int8_t: INT8_MIN, int16_t: INT16_MIN, int32_t: INT32_MIN, int64_t: INT64_MIN)
#define m_highest(C) _Generic((C)0, float: INFINITY, double: (double)INFINITY,            \
  uint8_t: UINT8_MAX, uint16_t: UINT16_MAX, uint32_t: UINT32_MAX, uint64_t: UINT64_MAX,   \
  int8_t: INT8_MAX, int16_t: INT16_MAX, int32_t: INT32_MAX, int64_t: INT64_MAX)

enum {
  LANE_BYTES = 256,   /* bytes of accumulators for a long row: 8 registers of AVX2 hide the latency of an addition */
  LANES = LANE_BYTES / 8,
  FEW_LANES = 16      /* of a short row: few enough for gcc to unroll the merge */
};

/* fn_columns: acc[j] takes x[r][j] of every row r. The j are independent, so every compiler vectorises the loop for any
** `step`; four rows in a pass save loads and stores of acc. With COLUMNS_M, the step may use m, column j's M[j]. */
#define COLUMNS(fn, C_, A_, step) COLUMNS_OF(fn, C_, A_, double, 0, step)
#define COLUMNS_M(fn, C_, A_, M_, step) COLUMNS_OF(fn, C_, A_, M_, M[j], step)
#define COLUMNS_OF(fn, C_, A_, M_, m_of_j, step)                                                        \
  INLINE void fn##_inlined(int64_t rows, int64_t n, const C_ *X, int64_t stride, A_ *acc, const M_ *M) { \
    typedef C_ C;                                                                                       \
    typedef A_ A;                                                                                       \
    (void)M;                                                                                            \
    for (; rows >= 4; rows -= 4, X += 4 * stride) {                                                     \
      _Pragma("omp simd")                                                                               \
      for (int64_t j = 0; j < n; j++) {                                                                 \
        const M_ m = m_of_j;                                                                            \
        A a = acc[j];                                                                                   \
        C x = X[j];                                                                                     \
        a = (step), x = X[stride + j];                                                                  \
        a = (step), x = X[2 * stride + j];                                                              \
        a = (step), x = X[3 * stride + j];                                                              \
        acc[j] = (A)(step);                                                                             \
        (void)m;                                                                                        \
      }                                                                                                 \
    }                                                                                                   \
    for (; rows > 0; rows--, X += stride) {                                                             \
      _Pragma("omp simd")                                                                               \
      for (int64_t j = 0; j < n; j++) {                                                                 \
        const M_ m = m_of_j;                                                                            \
        A a = acc[j];                                                                                   \
        C x = X[j];                                                                                     \
        acc[j] = (A)(step);                                                                             \
        (void)m;                                                                                        \
      }                                                                                                 \
    }                                                                                                   \
  }                                                                                                     \
  OUTLINE void fn##_columns(int64_t rows, int64_t n, const void *x, int64_t stride, A_ *acc, const M_ *M) { \
    fn##_inlined(rows, n, x, stride, acc, M);                                                           \
  }                                                                                                     \
  INLINE void fn##_lanes(int64_t rows, int64_t n, const C_ *X, A_ *lane, const M_ *M) {                 \
    typedef C_ C;                                                                                       \
    typedef A_ A;                                                                                       \
    (void)M;                                                                                            \
    for (int64_t r = 0; r < rows; r++, X += n)                                                          \
      for (int64_t j = 0; j < n; j++) {                                                                 \
        const M_ m = m_of_j;                                                                            \
        A a = lane[j];                                                                                  \
        C x = X[j];                                                                                     \
        lane[j] = (A)(step);                                                                            \
        (void)m;                                                                                        \
      }                                                                                                 \
  }

/* COLUMNS for floats with accumulators of double. gcc would read 8 floats and split them; one instruction reads 4
** floats and widens them, which halves the time of a sum. */
enum { WIDENED = 16 };      /* floats at a time */

INLINE void widen(int64_t n, double *to, const float *from) {
#ifdef __AVX__
  for (int64_t i = 0; i < n; i += 4) _mm256_storeu_pd(to + i, _mm256_cvtps_pd(_mm_loadu_ps(from + i)));
#else
  for (int64_t i = 0; i < n; i++) to[i] = (double)from[i];
#endif
}

#define COLUMNS_WIDENED(fn, step)                                                                       \
  INLINE double fn##_step(double a, double x) { typedef double A; return (A)(step); }                   \
  INLINE double fn##_four(double a, double x, double y, double z, double w) {                           \
    return fn##_step(fn##_step(fn##_step(fn##_step(a, x), y), z), w);                                   \
  }                                                                                                     \
  INLINE void fn##_inlined(int64_t rows, int64_t n, const float *X, int64_t stride, double *acc, const double *M) { \
    for (; rows >= 4; rows -= 4, X += 4 * stride) {                                                     \
      const float *Y = X + stride, *Z = Y + stride, *W = Z + stride;                                    \
      double x[WIDENED], y[WIDENED], z[WIDENED], w[WIDENED];                                            \
      int64_t j = 0;                                                                                    \
      for (; j + WIDENED <= n; j += WIDENED) {                                                          \
        widen(WIDENED, x, X + j), widen(WIDENED, y, Y + j);                                             \
        widen(WIDENED, z, Z + j), widen(WIDENED, w, W + j);                                             \
        for (int64_t k = 0; k < WIDENED; k++) acc[j + k] = fn##_four(acc[j + k], x[k], y[k], z[k], w[k]); \
      }                                                                                                 \
      for (; j < n; j++)                                                                                \
        acc[j] = fn##_four(acc[j], (double)X[j], (double)Y[j], (double)Z[j], (double)W[j]);             \
    }                                                                                                   \
    for (; rows > 0; rows--, X += stride)                                                               \
      for (int64_t j = 0; j < n; j++) acc[j] = fn##_step(acc[j], (double)X[j]);                         \
    (void)M;                                                                                            \
  }                                                                                                     \
  OUTLINE void fn##_columns(int64_t rows, int64_t n, const void *x, int64_t stride, double *acc, const double *M) { \
    fn##_inlined(rows, n, x, stride, acc, M);                                                           \
  }                                                                                                     \
  INLINE void fn##_lanes(int64_t rows, int64_t n, const float *X, double *lane, const double *M) {       \
    for (int64_t r = 0; r < rows; r++, X += n) {                                                        \
      double x[LANES];                                                                                  \
      widen(n, x, X);                                                                                   \
      for (int64_t j = 0; j < n; j++) lane[j] = fn##_step(lane[j], x[j]);                               \
    }                                                                                                   \
    (void)M;                                                                                            \
  }

/* Chooses between the two by the accumulator: WIDE or not. */
#define COLUMNS_SAME(D, ...)  COLUMNS(__VA_ARGS__)
#define COLUMNS_FLAG(D, ...)  COLUMNS(__VA_ARGS__)
#define COLUMNS_COUNT(D, ...) COLUMNS(__VA_ARGS__)
#define COLUMNS_WIDE(D, ...)  COLUMNS_WIDE_##D(__VA_ARGS__)
#define COLUMNS_WIDE_bool     COLUMNS
#define COLUMNS_WIDE_uint8    COLUMNS
#define COLUMNS_WIDE_uint16   COLUMNS
#define COLUMNS_WIDE_uint32   COLUMNS
#define COLUMNS_WIDE_uint64   COLUMNS
#define COLUMNS_WIDE_int8     COLUMNS
#define COLUMNS_WIDE_int16    COLUMNS
#define COLUMNS_WIDE_int32    COLUMNS
#define COLUMNS_WIDE_int64    COLUMNS
#define COLUMNS_WIDE_float64  COLUMNS
#define COLUMNS_WIDE_complex64  COLUMNS
#define COLUMNS_WIDE_complex128 COLUMNS
#define COLUMNS_WIDE_float32(fn, T, A, step) COLUMNS_WIDENED(fn, step)

/* fn_row: one accumulator for n contiguous elements. The row is read as rows of `count` columns, whose accumulators are
** then merged pairwise. M[0 … LANES - 1] are all equal. */
#define ROW(fn, C_, A_, M_, init, merge)                                                                \
  INLINE void fn##_merge_lanes(int64_t n, A_ *acc, const A_ *later) {                                   \
    for (int64_t j = 0; j < n; j++) { typedef A_ A; A a = acc[j], b = later[j]; acc[j] = (A)(merge); }  \
  }                                                                                                     \
  static A_ fn##_row(int64_t n, const void *x, const M_ *M) {                                           \
    typedef C_ C;                                                                                       \
    const C *X = x;                                                                                     \
    typedef A_ A;                                                                                       \
    enum { MANY_LANES = LANE_BYTES / sizeof(A) };                                                       \
    A lane[MANY_LANES];                                                                                 \
    bool is_long = n >= 4 * MANY_LANES;                                                                 \
    int64_t count = is_long ? MANY_LANES : FEW_LANES, rest = n % count;                                 \
    for (int64_t k = 0; k < count; k++) lane[k] = (init);                                               \
    if (is_long) fn##_lanes(n / MANY_LANES, MANY_LANES, X, lane, M);                                    \
    else fn##_inlined(n / FEW_LANES, FEW_LANES, X, FEW_LANES, lane, M);                                 \
    if (rest) fn##_columns(1, rest, X + n - rest, 0, lane, M);                                          \
    for (; count > FEW_LANES; count /= 2) fn##_merge_lanes(count / 2, lane, lane + count / 2);          \
    for (int64_t w = FEW_LANES / 2; w > 0; w /= 2) fn##_merge_lanes(w, lane, lane + w);                 \
    return lane[0];                                                                                     \
  }

#endif
