/* Inner loops of luatensor's own matrix products: the register tile, products of vectors, and products of small
** matrices. gemm.c, gemm_own.c and gemv_own.c of cpu/linalg call them. */

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

/* Products of small matrices need fused multiply-add. Without it, the kernels of OpenBLAS are faster, because they may
** use AVX. A tile of such a product has up to WIDEST vectors of columns. EACH_TILE(X) expands X(rows, vectors) for each
** tile whose accumulators fit into the registers, and DIRECT_ROWS has the most rows of a tile of 1, 2 … WIDEST vectors.
** Square tiles need the fewest instructions for each multiplication: 14 × 2 vectors take 51 instructions for 28
** multiplications, and 5 × 5 vectors take 40 for 25. Cascade Lake executes four instructions and two multiplications in a
** cycle.
**
** The other macros interleave two vectors within each part of 16 bytes. LOW_32(a, b) is a0 b0 a1 b1, and
** HIGH_32(a, b) is a2 b2 a3 b3, of elements of 32 bits. LOW_64(a, b) is a0 b0, and HIGH_64(a, b) is a1 b1, of elements of 64 bits.
** load_parts(from, at) loads part i of a vector from address from[i] + at. HAS_MASKS is true if the processor has
** instructions that load and store part of a vector. */
#define TO_4(X, w)  X(1, w) X(2, w) X(3, w) X(4, w)
#define TO_5(X, w)  TO_4(X, w) X(5, w)
#define TO_6(X, w)  TO_5(X, w) X(6, w)
#define TO_9(X, w)  TO_6(X, w) X(7, w) X(8, w) X(9, w)
#define TO_12(X, w) TO_9(X, w) X(10, w) X(11, w) X(12, w)
#define TO_14(X, w) TO_12(X, w) X(13, w) X(14, w)
#define TO_16(X, w) TO_14(X, w) X(15, w) X(16, w)
#if defined(__AVX512F__)
#define EACH_TILE(X) TO_16(X, 1) TO_14(X, 2) TO_9(X, 3) TO_6(X, 4) TO_5(X, 5)
#define DIRECT_ROWS {16, 14, 9, 6, 5}
enum { WIDEST = 5 };
#define LOW_32(a, b)  _mm512_unpacklo_epi32((__m512i)(a), (__m512i)(b))
#define HIGH_32(a, b) _mm512_unpackhi_epi32((__m512i)(a), (__m512i)(b))
#define LOW_64(a, b)  _mm512_unpacklo_epi64((__m512i)(a), (__m512i)(b))
#define HIGH_64(a, b) _mm512_unpackhi_epi64((__m512i)(a), (__m512i)(b))
#define HAS_MASKS true
INLINE __m128i load_16(const void *from, int64_t at) { return _mm_loadu_si128((const void *)((const char *)from + at)); }
INLINE __m512i load_parts(const void *const from[4], int64_t at) {
  __m512i v = _mm512_castsi128_si512(load_16(from[0], at));
  v = _mm512_inserti32x4(v, load_16(from[1], at), 1);
  v = _mm512_inserti32x4(v, load_16(from[2], at), 2);
  return _mm512_inserti32x4(v, load_16(from[3], at), 3);
}
#elif defined(__FMA__)
#define EACH_TILE(X) TO_12(X, 1) TO_6(X, 2) TO_4(X, 3)
#define DIRECT_ROWS {12, 6, 4}
enum { WIDEST = 3 };
#define LOW_32(a, b)  _mm256_unpacklo_epi32((__m256i)(a), (__m256i)(b))
#define HIGH_32(a, b) _mm256_unpackhi_epi32((__m256i)(a), (__m256i)(b))
#define LOW_64(a, b)  _mm256_unpacklo_epi64((__m256i)(a), (__m256i)(b))
#define HIGH_64(a, b) _mm256_unpackhi_epi64((__m256i)(a), (__m256i)(b))
#define HAS_MASKS true
INLINE __m128i load_16(const void *from, int64_t at) { return _mm_loadu_si128((const void *)((const char *)from + at)); }
INLINE __m256i load_parts(const void *const from[2], int64_t at) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(load_16(from[0], at)), load_16(from[1], at), 1);
}
/* Returns the mask of the first n bytes of a vector, for n < 32. n is a multiple of 4. */
INLINE __m256i first_bytes(int64_t n) {
  static const int mask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
  return _mm256_loadu_si256((const __m256i *)(mask + 8 - n / 4));
}
#elif defined(__aarch64__)
#define EACH_TILE(X) TO_12(X, 1) TO_12(X, 2) TO_9(X, 3)
#define DIRECT_ROWS {12, 12, 9}
enum { WIDEST = 3 };
#define LOW_32(a, b)  vzip1q_u32((uint32x4_t)(a), (uint32x4_t)(b))
#define HIGH_32(a, b) vzip2q_u32((uint32x4_t)(a), (uint32x4_t)(b))
#define LOW_64(a, b)  vzip1q_u64((uint64x2_t)(a), (uint64x2_t)(b))
#define HIGH_64(a, b) vzip2q_u64((uint64x2_t)(a), (uint64x2_t)(b))
#define HAS_MASKS false
INLINE uint8x16_t load_parts(const void *const from[1], int64_t at) { return vld1q_u8((const uint8_t *)from[0] + at); }
#endif

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

#ifdef EACH_TILE
enum {
  TALLEST       = 16,            /* the most rows of a tile of a small product */
  NEAR_ROWS     = 4,             /* the rows of a that are addressed by one pointer */
  MOST_SUMS     = 28,            /* the most vectors of sums of a tile */
  STRIP_VECTORS = 3 * DIRECT_K,  /* the most vectors of a packed strip of b: 24 KiB with AVX-512, of 32 KiB of L1 */
  MOST_IN_PLACE = 20 << 10,      /* the most bytes of a strip that 2 * MANY_ROWS rows or more read in place */
  MOST_CROSSING = 12 << 10,      /* the same, if the vectors of the strip cross cache lines */
  MOST_SPREAD   = 24 << 10,      /* the same, if each row took as many bytes as the power of two in its distance */
  FEW_ROWS      = 6,             /* the rows of c of one tile of the widest strip or two */
  MANY_ROWS     = 48             /* the rows of c from which packing a strip may save time */
};
#define STORED float
#include "cpu/kernels/linalg/gemm_direct.h"
#define STORED double
#include "cpu/kernels/linalg/gemm_direct.h"
#define FLOAT_ENTRY(S, dtype) ENTRY_OF(S, dtype, direct_##S, dots_##S)
#define HALF_ENTRY ENTRY_OF(float, DT_float32, NULL, dots_float)
#else
#define FLOAT_ENTRY ENTRY
#define HALF_ENTRY ENTRY(float, DT_float32)
#endif

/* Wrapping products of signed and unsigned integers have the same bits, so both use the kernel of the unsigned type.
** Products of 8-bit integers are computed in 16 bits. */
#define ENTRY_OF(S, compute_dtype, direct_kernel, dots_kernel)                                              \
  {.compute = compute_dtype, .rows = ROWS, .columns = 2 * LANES_##S, .tile = tile_##S, .dot = dot_##S,      \
   .dots = dots_kernel, .axpy = axpy_##S, .merge = merge_##S, .direct = direct_kernel}
#define ENTRY(S, compute_dtype) ENTRY_OF(S, compute_dtype, NULL, NULL)

const gemm_table ISA_NAME(gemm_table) = {.kernel = {
  [DT_float16] = HALF_ENTRY, [DT_bfloat16] = HALF_ENTRY,
  [DT_float32] = FLOAT_ENTRY(float, DT_float32), [DT_float64] = FLOAT_ENTRY(double, DT_float64),
  [DT_uint8] = ENTRY(uint8_t, DT_uint16), [DT_int8] = ENTRY(uint8_t, DT_int16),
  [DT_uint16] = ENTRY(uint16_t, DT_uint16), [DT_int16] = ENTRY(uint16_t, DT_int16),
  [DT_uint32] = ENTRY(uint32_t, DT_uint32), [DT_int32] = ENTRY(uint32_t, DT_int32),
  [DT_uint64] = ENTRY(uint64_t, DT_uint64), [DT_int64] = ENTRY(uint64_t, DT_int64),
}};
