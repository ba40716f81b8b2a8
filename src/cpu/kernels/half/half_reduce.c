/* Inner loops of sums and extremes of half floats, which convert in registers: writing and reading the converted
** elements would take longer than folding them. Accumulators and bits are those of reduce.c for float32. */

#include "cpu/kernels/fold.h"
#include "cpu/kernels/half/halves.h"

#ifdef HAS_HALVES

enum { PASS_ROWS = 8 };      /* the number of rows that are folded into columns before the accumulators are stored */
_Static_assert(HALF_FOLD >= 4 * LANE_BYTES / sizeof(float), "shorter rows have other lanes");

#define TOTAL double
#include "cpu/kernels/half/half_fold.h"
#define TOTAL float
#include "cpu/kernels/half/half_fold.h"

/* Converts HALVES floats to double. */
#if defined(__AVX512F__)
INLINE void widen_floats(double *d, const float *s) {
  __m512 f = _mm512_loadu_ps(s);
  _mm512_storeu_pd(d, _mm512_cvtps_pd(_mm512_castps512_ps256(f)));
  _mm512_storeu_pd(d + 8, _mm512_cvtps_pd(_mm512_extractf32x8_ps(f, 1)));
}
#else
INLINE void widen_floats(double *d, const float *s) { widen(HALVES, d, s); }
#endif

#define WIDEN_DOUBLES(D) \
  INLINE void widen_doubles_##D(double *d, const uint16_t *s) { float f[HALVES]; widen_##D(f, s); widen_floats(d, f); }
WIDEN_DOUBLES(float16)
WIDEN_DOUBLES(bfloat16)

/* STEP defines the step of an op: `load` converts elements, and `expr` computes the accumulator from the accumulator a
** and the element x. KERNELS defines the kernels of the op. */
#define STEP(D, name, C, load, expr)                                                    \
  INLINE void name##_step_##D(C *acc, const uint16_t *X) {                              \
    C v[HALVES];                                                                        \
    load##_##D(v, X);                                                                   \
    _Pragma("omp simd")                                                                 \
    for (int j = 0; j < HALVES; j++) { C a = acc[j], x = v[j]; acc[j] = (expr); }       \
  }
#define KERNELS(D, name, C, none)                                                       \
  static void name##_fold_##D(int64_t rows, int64_t n, const uint16_t *X, int64_t stride, void *acc) { \
    fold_rows_##C(name##_step_##D, name##_join, none, rows, n, X, stride, acc);         \
  }                                                                                     \
  static void name##_columns_##D(int64_t rows, int64_t n, const uint16_t *X, int64_t stride, void *acc) { \
    fold_columns_##C(name##_step_##D, rows, n, X, stride, acc);                         \
  }
#define FOLD(name, C, none, load, expr, merge)                                          \
  INLINE C name##_join(C a, C b) { return merge; }                                      \
  STEP(float16, name, C, load, expr) KERNELS(float16, name, C, none)                    \
  STEP(bfloat16, name, C, load, expr) KERNELS(bfloat16, name, C, none)

FOLD(sum,     double, 0,         widen_doubles, m_plus(a, x), a + b)
FOLD(squares, double, 0,         widen_doubles, a + x * x,    a + b)
FOLD(max,     float,  -INFINITY, widen,         m_max(a, x),  m_max(a, b))
FOLD(min,     float,  INFINITY,  widen,         m_min(a, x),  m_min(a, b))

#define ENTRY(name) {{name##_fold_float16, name##_columns_float16}, {name##_fold_bfloat16, name##_columns_bfloat16}}
const half_reduce_table ISA_NAME(half_reduce_table) = {{
  [REDUCE_sum] = ENTRY(sum), [REDUCE_mean] = ENTRY(sum), [REDUCE_norm_2_] = ENTRY(squares),
  [REDUCE_max] = ENTRY(max), [REDUCE_min] = ENTRY(min),
}};

#else
const half_reduce_table ISA_NAME(half_reduce_table) = {{{{NULL, NULL}}}};
#endif
