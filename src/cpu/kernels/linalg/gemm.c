/* Inner loops of luatensor's own matrix products: the register tile, and products of vectors. gemm.c, gemm_own.c and
** gemv_own.c of cpu/linalg call them. */

#include <string.h>

#include "cpu/kernels/vector.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* A tile of c has ROWS × 2 vectors of accumulators. ROWS is the largest number for which the accumulators fit into the
** registers together with two vectors of b and one vector of a. Without fused multiply-add, one register more is
** needed, for the product. */
#if defined(__AVX512F__)
enum { ROWS = 14 };
#define FMA_float(a, b, c)  (vector_float)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c))
#define FMA_double(a, b, c) (vector_double)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c))
#elif defined(__FMA__)
enum { ROWS = 6 };
#define FMA_float(a, b, c)  (vector_float)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))
#define FMA_double(a, b, c) (vector_double)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c))
#elif defined(__aarch64__)
enum { ROWS = 12 };
#define FMA_float(a, b, c)  (vector_float)vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b))
#define FMA_double(a, b, c) (vector_double)vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#else
enum { ROWS = 6 };
#define FMA_float(a, b, c)  ((c) + (a) * (b))
#define FMA_double(a, b, c) ((c) + (a) * (b))
#endif
#define FMA_uint16_t(a, b, c) ((c) + (a) * (b))
#define FMA_uint32_t(a, b, c) ((c) + (a) * (b))
#define FMA_uint64_t(a, b, c) ((c) + (a) * (b))

#define STORED float
#define TYPE float
#include "cpu/kernels/linalg/gemm_types.h"
#define STORED double
#define TYPE double
#include "cpu/kernels/linalg/gemm_types.h"
#define STORED uint8_t
#define TYPE uint16_t
#include "cpu/kernels/linalg/gemm_types.h"
#define STORED uint16_t
#define TYPE uint16_t
#include "cpu/kernels/linalg/gemm_types.h"
#define STORED uint32_t
#define TYPE uint32_t
#include "cpu/kernels/linalg/gemm_types.h"
#define STORED uint64_t
#define TYPE uint64_t
#include "cpu/kernels/linalg/gemm_types.h"

/* Wrapping products of signed and unsigned integers have the same bits, so both use the kernel of the unsigned type.
** Products of 8-bit integers are computed in 16 bits. */
#define ENTRY(S, compute_dtype)                                           \
  {.compute = compute_dtype, .rows = ROWS, .columns = 2 * LANES_##S,      \
   .tile = tile_##S, .dot = dot_##S, .axpy = axpy_##S, .merge = merge_##S}

const gemm_table ISA_NAME(gemm_table) = {.kernel = {
  [DT_float16] = ENTRY(float, DT_float32), [DT_bfloat16] = ENTRY(float, DT_float32),
  [DT_float32] = ENTRY(float, DT_float32), [DT_float64] = ENTRY(double, DT_float64),
  [DT_uint8] = ENTRY(uint8_t, DT_uint16), [DT_int8] = ENTRY(uint8_t, DT_int16),
  [DT_uint16] = ENTRY(uint16_t, DT_uint16), [DT_int16] = ENTRY(uint16_t, DT_int16),
  [DT_uint32] = ENTRY(uint32_t, DT_uint32), [DT_int32] = ENTRY(uint32_t, DT_int32),
  [DT_uint64] = ENTRY(uint64_t, DT_uint64), [DT_int64] = ENTRY(uint64_t, DT_int64),
}};
