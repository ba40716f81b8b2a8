#ifndef LT_KERNELS_FOLD_H
#define LT_KERNELS_FOLD_H

/* What the loops of reductions and scans share: accumulator types, identities, and the two shapes of
** loop that fold elements into accumulators. */

#include "../scalar.h"

#define INLINE static inline __attribute__((always_inline))

/* Accumulator of sums and products: exact enough or wide enough for the elements of each compute dtype. */
typedef int64_t  wide_bool;
typedef uint64_t wide_uint8, wide_uint16, wide_uint32, wide_uint64;
typedef int64_t  wide_int8, wide_int16, wide_int32, wide_int64;
typedef double   wide_float32, wide_float64;

/* Truth values as wide as the element, so that comparisons need no narrowing. */
typedef uint8_t  flag_bool, flag_uint8, flag_int8;
typedef uint16_t flag_uint16, flag_int16;
typedef uint32_t flag_uint32, flag_int32, flag_float32;
typedef uint64_t flag_uint64, flag_int64, flag_float64;

#define ACCUM_WIDE(D, T)  wide_##D
#define ACCUM_FLAG(D, T)  flag_##D
#define ACCUM_SAME(D, T)  T
#define ACCUM_COUNT(D, T) int64_t

/* The dtype of a C type. */
#define DTYPE_OF(T) _Generic((T)0, bool: DT_bool, float: DT_float32, double: DT_float64,        \
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
  LANES = 128,        /* accumulators of a long row: more than hide any latency, few to merge */
  FEW_LANES = 16,     /* of a short one */
  LONG_ROW = 2048     /* from here on the many lanes pay */
};

/* fn_columns: acc[j] takes x[r][j] of every row r. No two j depend on each other, so that every compiler
** vectorises it whatever `step` is; four rows a pass save loads and stores of acc. `m` is M[j * m_step],
** a value that the step may use. */
#define COLUMNS(fn, C_, A_, M_, step)                                                                   \
  INLINE void fn##_columns(int64_t rows, int64_t n, const C_ *X, int64_t stride, A_ *acc, const M_ *M,  \
                           int64_t m_step) {                                                            \
    typedef C_ C;                                                                                       \
    typedef A_ A;                                                                                       \
    (void)M, (void)m_step;                                                                              \
    for (; rows >= 4; rows -= 4, X += 4 * stride) {                                                     \
      _Pragma("omp simd")                                                                               \
      for (int64_t j = 0; j < n; j++) {                                                                 \
        USE_M(M_) A a = acc[j];                                                                         \
        C x = X[j];                                                                                     \
        a = (step), x = X[stride + j];                                                                  \
        a = (step), x = X[2 * stride + j];                                                              \
        a = (step), x = X[3 * stride + j];                                                              \
        acc[j] = (A)(step);                                                                             \
      }                                                                                                 \
    }                                                                                                   \
    for (; rows > 0; rows--, X += stride) {                                                             \
      _Pragma("omp simd")                                                                               \
      for (int64_t j = 0; j < n; j++) { USE_M(M_) A a = acc[j]; C x = X[j]; acc[j] = (A)(step); }       \
    }                                                                                                   \
  }
#define USE_M(M_) const M_ m = M ? M[j * m_step] : (M_)0; (void)m;

/* fn_row: one accumulator of n elements in a row: the row is read as rows of `lanes` columns, whose
** accumulators are then merged in halves. */
#define ROW(fn, C_, A_, M_, init, merge)                                                                \
  INLINE void fn##_merge_lanes(int64_t n, A_ *acc, const A_ *later) {                                   \
    for (int64_t j = 0; j < n; j++) { typedef A_ A; A a = acc[j], b = later[j]; acc[j] = (A)(merge); }  \
  }                                                                                                     \
  INLINE A_ fn##_lanes(int64_t lanes, int64_t n, const C_ *X, const M_ *M) {                            \
    typedef C_ C;                                                                                       \
    typedef A_ A;                                                                                       \
    A lane[LANES];                                                                                      \
    for (int64_t k = 0; k < lanes; k++) lane[k] = (init);                                               \
    int64_t rows = n / lanes;                                                                           \
    fn##_columns(rows, lanes, X, lanes, lane, M, 0);                                                    \
    fn##_columns(1, n % lanes, X + rows * lanes, lanes, lane, M, 0);                                    \
    for (int64_t w = lanes / 2; w > 0; w /= 2) fn##_merge_lanes(w, lane, lane + w);                     \
    (void)sizeof(C);                                                                                    \
    return lane[0];                                                                                     \
  }                                                                                                     \
  static A_ fn##_row(int64_t n, const C_ *X, const M_ *M) {                                             \
    return n >= LONG_ROW ? fn##_lanes(LANES, n, X, M) : fn##_lanes(FEW_LANES, n, X, M);                 \
  }

#endif
