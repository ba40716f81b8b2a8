#ifndef LT_CPU_KERNELS_FOLD_H
#define LT_CPU_KERNELS_FOLD_H

/* Definitions that the loops of reductions (such as sum) and scans (such as cumulative sum) share. An accumulator is
** the intermediate result of a reduction or scan. Folding an element updates the accumulator by the op's rule in
** ops.def. */

#ifdef __AVX__
#include <immintrin.h>
#endif

#include "cpu/cpu.h"
#include "math/scalar.h"

#define OUTLINE static __attribute__((noinline, unused))

/* Types of accumulators for each compute dtype. WIDE, for sums and products, is a 64-bit integer, double or
** complex128. FLAG, for truth values, has the size of the element, at most 8 bytes, so that comparisons need no
** narrowing. SAME is the element's type, and COUNT, for numbers of elements, is int64_t. */
typedef int64_t  WIDE_bool;
typedef uint64_t WIDE_uint8, WIDE_uint16, WIDE_uint32, WIDE_uint64;
typedef int64_t  WIDE_int8, WIDE_int16, WIDE_int32, WIDE_int64;
typedef double   WIDE_float32, WIDE_float64;
typedef complex128_t WIDE_complex64, WIDE_complex128;
typedef uint8_t  FLAG_bool, FLAG_uint8, FLAG_int8;
typedef uint16_t FLAG_uint16, FLAG_int16;
typedef uint32_t FLAG_uint32, FLAG_int32, FLAG_float32;
typedef uint64_t FLAG_uint64, FLAG_int64, FLAG_float64, FLAG_complex64, FLAG_complex128;
#define ACCUMULATORS(D, T, ...) typedef T SAME_##D; typedef int64_t COUNT_##D;
EACH_ANY(ACCUMULATORS, )

/* DTYPE_OF(T) is the dtype of the C type T. */
#define DTYPE_OF(T) _Generic((T)0, bool: DT_bool, float: DT_float32, double: DT_float64,        \
  complex64_t: DT_complex64, complex128_t: DT_complex128,                                       \
  uint8_t: DT_uint8, uint16_t: DT_uint16, uint32_t: DT_uint32, uint64_t: DT_uint64,             \
  int8_t: DT_int8, int16_t: DT_int16, int32_t: DT_int32, int64_t: DT_int64)

/* m_lowest(C) and m_highest(C) are the least and the greatest value of the C type C, including -infinity and
** infinity. */
#define m_lowest(C)  _Generic((C)0, float: -INFINITY, double: -(double)INFINITY, \
  uint8_t: 0, uint16_t: 0, uint32_t: 0, uint64_t: 0,                             \
  int8_t: INT8_MIN, int16_t: INT16_MIN, int32_t: INT32_MIN, int64_t: INT64_MIN)
#define m_highest(C) _Generic((C)0, float: INFINITY, double: (double)INFINITY,            \
  uint8_t: UINT8_MAX, uint16_t: UINT16_MAX, uint32_t: UINT32_MAX, uint64_t: UINT64_MAX,   \
  int8_t: INT8_MAX, int16_t: INT16_MAX, int32_t: INT32_MAX, int64_t: INT64_MAX)

enum {
  LANE_BYTES = 256,   /* the size in bytes of accumulators for a long row: 8 registers of AVX2 hide the latency of an
                      ** addition */
  LANES = LANE_BYTES / 8
};
_Static_assert(SHORT_FOLD <= 4 * LANE_BYTES / 16, "no accumulator is larger than 16 bytes");

enum { WIDENED = 16 };      /* the number of floats that are converted to double at a time */
#define IS_WIDENED(from, to) _Generic((from)0, float: _Generic((to)0, double: true, default: false), default: false)

/* Converts n floats to double, 4 floats with one instruction; n must be a multiple of 4. gcc's own code reads 8
** floats and splits the vector, which doubles the time of a sum. */
INLINE void widen(int64_t n, double *to, const float *from) {
#ifdef __AVX__
  for (int64_t i = 0; i < n; i += 4) _mm256_storeu_pd(to + i, _mm256_cvtps_pd(_mm_loadu_ps(from + i)));
#else
  for (int64_t i = 0; i < n; i++) to[i] = (double)from[i];
#endif
}

/* INIT defines functions for a row of ops.def: fn_none returns the accumulator of an empty sequence, such as 0 for a
** sum, and fn_init sets n accumulators to this value. */
#define INIT(D, fn, C_, A_, init)                                                                       \
  INLINE A_ fn##_none_##D(void) { typedef C_ C; typedef A_ A; (void)sizeof(C), (void)sizeof(A); return (init); } \
  static __attribute__((unused)) void fn##_init_##D(int64_t n, void *acc) {                             \
    for (int64_t j = 0; j < n; j++) ((A_ *)acc)[j] = fn##_none_##D();                                   \
  }

/* STEPS defines functions for the expressions of a row of ops.def: fn_step adds an element to an accumulator, and
** fn_join merges two accumulators. */
#define STEPS(D, fn, C_, A_, M, step, merge)                                                            \
  INLINE A_ fn##_step_##D(A_ a, C_ x, M m) { typedef C_ C; typedef A_ A; (void)sizeof(C), (void)m; return (A)(step); } \
  INLINE A_ fn##_join_##D(A_ a, A_ b) { typedef A_ A; return (A)(merge); }

/* FOLDS defines the functions of a row of ops.def for dtype D: fn_columns and fn_row by the loops of fold_loops.h,
** and fn_join, which merges two accumulators. Accumulators have type `total`. C_ is the type to which elements are
** converted for `step`. The number m, which `step` may use, has type M. It comes from `means`, or is 0 if `means` is
** NULL. */
#define FOLDS(D, fn, C_, total, M, init, step, merge)                                                   \
  INIT(D, fn, C_, total, init) STEPS(D, fn, C_, total, M, step, merge)                                  \
  OUTLINE void fn##_columns_##D(int64_t rows, int64_t n, const void *x, int64_t stride, total *acc, const M *means) { \
    ISA_PASTE(columns, total)(fn##_step_##D, rows, n, x, stride, acc, means);                           \
  }                                                                                                     \
  static __attribute__((unused)) total fn##_row_##D(int64_t n, const void *x, const M *means) {                                \
    return ISA_PASTE(row, total)(fn##_step_##D, fn##_join_##D, fn##_columns_##D, fn##_none_##D(), n, x, means); \
  }

#endif
