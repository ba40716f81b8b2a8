/* Inner loops of own matrix products: packing into panels, and the register tile. See cpu/linalg/gemm.c. */

#include <string.h>

#include "cpu/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* A tile of c is ROWS × 2 vectors: as many sums as fit in the registers beside two vectors of b, one of
** a, and a product where there is no fused multiply-add. */
#if defined(__AVX512F__)
enum { BYTES = 64, ROWS = 14 };
#define FMA_float(a, b, c)  (float_vector)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c))
#define FMA_double(a, b, c) (double_vector)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c))
#elif defined(__FMA__)
enum { BYTES = 32, ROWS = 6 };
#define FMA_float(a, b, c)  (float_vector)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))
#define FMA_double(a, b, c) (double_vector)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c))
#elif defined(__aarch64__)
enum { BYTES = 16, ROWS = 12 };
#define FMA_float(a, b, c)  (float_vector)vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b))
#define FMA_double(a, b, c) (double_vector)vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#else
enum { BYTES = 16, ROWS = 6 };
#define FMA_float(a, b, c)  ((c) + (a) * (b))
#define FMA_double(a, b, c) ((c) + (a) * (b))
#endif
#define FMA_uint16_t(a, b, c) ((c) + (a) * (b))
#define FMA_uint32_t(a, b, c) ((c) + (a) * (b))
#define FMA_uint64_t(a, b, c) ((c) + (a) * (b))

/* A product where there is only that: gemm_kernel in cpu.h says what each function does. */
#define KERNEL(T)                                                                                    \
  typedef T T##_vector __attribute__((vector_size(BYTES)));                                          \
  typedef T T##_loose __attribute__((vector_size(BYTES), aligned(sizeof(T)), may_alias));            \
  enum { T##_LANES = BYTES / sizeof(T) };                                                            \
                                                                                                     \
  static void tile_##T(int64_t k, const void *a, const void *b, void *c, int64_t row, bool add) {    \
    const T *x = a, *y = b;                                                                          \
    T##_vector sum[ROWS][2] = {{{0}}};                                                               \
    for (int64_t p = 0; p < k; p++, x += ROWS, y += 2 * T##_LANES) {                                 \
      T##_vector y0 = *(const T##_loose *)y, y1 = *(const T##_loose *)(y + T##_LANES);               \
      _Pragma("GCC unroll 16")                                                                       \
      for (int i = 0; i < ROWS; i++) {                                                               \
        T##_vector v = x[i] - (T##_vector){0};                                                       \
        sum[i][0] = FMA_##T(v, y0, sum[i][0]);                                                       \
        sum[i][1] = FMA_##T(v, y1, sum[i][1]);                                                       \
      }                                                                                              \
    }                                                                                                \
    T *z = c;                                                                                        \
    _Pragma("GCC unroll 16")                                                                         \
    for (int i = 0; i < ROWS; i++, z += row) {                                                       \
      T##_loose *z0 = (T##_loose *)z, *z1 = (T##_loose *)(z + T##_LANES);                            \
      if (add) sum[i][0] += *z0, sum[i][1] += *z1;                                                   \
      *z0 = sum[i][0];                                                                               \
      *z1 = sum[i][1];                                                                               \
    }                                                                                                \
  }                                                                                                  \
                                                                                                     \
  static void dot_##T(int64_t n, const void *a, const void *b, void *sum) {                          \
    const T *x = a, *y = b;                                                                          \
    T s = 0;                                                                                         \
    _Pragma("omp simd reduction(+ : s)")                                                             \
    for (int64_t i = 0; i < n; i++) s = (T)(s + x[i] * y[i]);                                        \
    *(T *)sum = (T)(*(T *)sum + s);                                                                  \
  }                                                                                                  \
                                                                                                     \
  static void axpy_##T(int64_t n, const void *factor, const void *x, void *y) {                      \
    const T f = *(const T *)factor, *from = x;                                                       \
    T *to = y;                                                                                       \
    _Pragma("omp simd")                                                                              \
    for (int64_t i = 0; i < n; i++) to[i] = (T)(to[i] + f * from[i]);                                \
  }

KERNEL(float)
KERNEL(double)
KERNEL(uint16_t)
KERNEL(uint32_t)
KERNEL(uint64_t)

/* Part of a tile into c: c = alpha * tile + beta * c, any strides; S is c's type, T the tile's. */
#define MERGE(S, T, FIELD)                                                                           \
  static void merge_##S(int64_t m, int64_t n, const void *tile, int64_t row, void *c,                \
                        const int64_t stride[2], scalar alpha, scalar beta) {                        \
    const T *t = tile;                                                                               \
    S *z = c;                                                                                        \
    const T x = (T)alpha.FIELD, y = (T)beta.FIELD;                                                   \
    for (int64_t i = 0; i < m; i++, t += row, z += stride[0])                                        \
      for (int64_t j = 0; j < n; j++) {                                                              \
        S *at = z + j * stride[1];                                                                   \
        *at = (S)(y == 0 ? x * t[j] : x * t[j] + y * (T)*at);                                        \
      }                                                                                              \
  }
MERGE(float, float, f)
MERGE(double, double, f)
MERGE(uint8_t, uint16_t, i)
MERGE(uint16_t, uint16_t, i)
MERGE(uint32_t, uint32_t, i)
MERGE(uint64_t, uint64_t, i)

/* Wrapping products have the same bits signed and unsigned; 8-bit ones are made in 16 bits. */
#define ENTRY(S, T, compute_dtype)                                                                   \
  {.compute = compute_dtype, .rows = ROWS, .columns = 2 * T##_LANES,                                 \
   .tile = tile_##T, .dot = dot_##T, .axpy = axpy_##T, .merge = merge_##S}

const gemm_table ISA_NAME(gemm_table) = {.kernel = {
  [DT_float16] = ENTRY(float, float, DT_float32), [DT_bfloat16] = ENTRY(float, float, DT_float32),
  [DT_float32] = ENTRY(float, float, DT_float32), [DT_float64] = ENTRY(double, double, DT_float64),
  [DT_uint8] = ENTRY(uint8_t, uint16_t, DT_uint16), [DT_int8] = ENTRY(uint8_t, uint16_t, DT_int16),
  [DT_uint16] = ENTRY(uint16_t, uint16_t, DT_uint16), [DT_int16] = ENTRY(uint16_t, uint16_t, DT_int16),
  [DT_uint32] = ENTRY(uint32_t, uint32_t, DT_uint32), [DT_int32] = ENTRY(uint32_t, uint32_t, DT_int32),
  [DT_uint64] = ENTRY(uint64_t, uint64_t, DT_uint64), [DT_int64] = ENTRY(uint64_t, uint64_t, DT_int64),
}};
