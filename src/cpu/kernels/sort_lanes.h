#ifndef LT_CPU_KERNELS_SORT_LANES_H
#define LT_CPU_KERNELS_SORT_LANES_H

/* What sorting needs of vector registers of 32-bit and of 64-bit keys, as AVX-512 and AVX2 have it. Without either
** SORT_LANES is 0.
**
**   LANES_S                      keys in a register, S being 32 or 64
**   load_S, store_S              LANES_S keys
**   load_part_S, store_part_S    the first n of them; the other lanes are `fill`
**   min_S, max_S, reverse_S
**   swap_S(v, d, h)              compares lanes i and i ^ d; the lesser goes to the one without bit h, d's highest
**   split_S(v, pivot, low, high) keys up to the pivot to low, the others to high, each LANES_S wide; how many to low */

#include "cpu/cpu.h"

#if defined(__AVX512F__) && defined(__AVX512BW__)
#include <immintrin.h>
#define SORT_LANES 1

enum { LANES_32 = 16, LANES_64 = 8 };
typedef __m512i lanes_32, lanes_64;

/* vpcompress to memory takes some hundred cycles on Zen 4: to a register, and all of that to memory. */
#define AVX512_LANES(S, K, mask)                                                                              \
  INLINE __m512i load_##S(const K *p) { return _mm512_loadu_si512(p); }                                       \
  INLINE void store_##S(K *p, __m512i v) { _mm512_storeu_si512(p, v); }                                       \
  INLINE mask first_##S(int64_t n) { return (mask)((1u << n) - 1); }                                          \
  INLINE __m512i load_part_##S(const K *p, int64_t n, K fill) {                                               \
    return _mm512_mask_loadu_epi##S(fill_##S(fill), first_##S(n), p);                                         \
  }                                                                                                           \
  INLINE void store_part_##S(K *p, int64_t n, __m512i v) { _mm512_mask_storeu_epi##S(p, first_##S(n), v); }   \
  INLINE __m512i min_##S(__m512i a, __m512i b) { return _mm512_min_epi##S(a, b); }                            \
  INLINE __m512i max_##S(__m512i a, __m512i b) { return _mm512_max_epi##S(a, b); }                            \
  INLINE __m512i reverse_##S(__m512i v) {                                                                     \
    return _mm512_permutexvar_epi##S(_mm512_xor_si512(lane_##S(), fill_##S(LANES_##S - 1)), v);               \
  }                                                                                                           \
  INLINE __m512i swap_##S(__m512i v, int d, int h) {                                                          \
    const __m512i lane = lane_##S();                                                                          \
    __m512i other = _mm512_permutexvar_epi##S(_mm512_xor_si512(lane, fill_##S(d)), v);                        \
    mask upper = _mm512_test_epi##S##_mask(lane, fill_##S(h));                                                \
    return _mm512_mask_max_epi##S(_mm512_min_epi##S(v, other), upper, v, other);                              \
  }                                                                                                           \
  INLINE int split_##S(__m512i v, K pivot, K *low, K *high) {                                                 \
    mask up_to = _mm512_cmple_epi##S##_mask(v, fill_##S(pivot));                                              \
    store_##S(low, _mm512_maskz_compress_epi##S(up_to, v));                                                   \
    store_##S(high, _mm512_maskz_compress_epi##S((mask)~up_to, v));                                           \
    return __builtin_popcount(up_to);                                                                         \
  }

INLINE __m512i fill_32(int32_t x) { return _mm512_set1_epi32(x); }
INLINE __m512i fill_64(int64_t x) { return _mm512_set1_epi64(x); }
INLINE __m512i lane_32(void) { return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }
INLINE __m512i lane_64(void) { return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7); }
AVX512_LANES(32, int32_t, __mmask16)
AVX512_LANES(64, int64_t, __mmask8)

#elif defined(__AVX2__)
#include <immintrin.h>
#define SORT_LANES 1

enum { LANES_32 = 8, LANES_64 = 4 };
typedef __m256i lanes_32, lanes_64;

/* Where the lanes of a mask go when those whose bit is 0 come first, in 4 bits each. */
#define BITS_BELOW(m, b) __builtin_popcount((m) & ((1 << (b)) - 1))
#define SLOT(m, b, n)    ((m) >> (b) & 1 ? (n) - BITS_BELOW(m, n) + BITS_BELOW(m, b) : (b) - BITS_BELOW(m, b))
#define PUT_32(m, b)     ((uint32_t)(b) << 4 * SLOT(m, b, 8))
#define PUT_64(m, b)     ((uint32_t)((2 * (b) + 1) << 4 | 2 * (b)) << 8 * SLOT(m, b, 4))
#define ORDER_32(m)      (PUT_32(m, 0) | PUT_32(m, 1) | PUT_32(m, 2) | PUT_32(m, 3) |  \
                          PUT_32(m, 4) | PUT_32(m, 5) | PUT_32(m, 6) | PUT_32(m, 7))
#define ORDER_64(m)      (PUT_64(m, 0) | PUT_64(m, 1) | PUT_64(m, 2) | PUT_64(m, 3))
#define FOUR(ORDER, m)   ORDER(m), ORDER((m) + 1), ORDER((m) + 2), ORDER((m) + 3)
#define SIXTEEN(ORDER, m) FOUR(ORDER, m), FOUR(ORDER, (m) + 4), FOUR(ORDER, (m) + 8), FOUR(ORDER, (m) + 12)
#define SIXTY_FOUR(m)    SIXTEEN(ORDER_32, m), SIXTEEN(ORDER_32, (m) + 16), \
                         SIXTEEN(ORDER_32, (m) + 32), SIXTEEN(ORDER_32, (m) + 48)
static const uint32_t order_32[256] = {SIXTY_FOUR(0), SIXTY_FOUR(64), SIXTY_FOUR(128), SIXTY_FOUR(192)};
static const uint32_t order_64[16] = {SIXTEEN(ORDER_64, 0)};

#define AVX2_LANES(S, K, masked, PACK)                                                                        \
  INLINE __m256i load_##S(const K *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }        \
  INLINE void store_##S(K *p, __m256i v) { _mm256_storeu_si256((__m256i *)(void *)p, v); }                    \
  INLINE __m256i first_##S(int64_t n) { return _mm256_cmpgt_epi##S(fill_##S((K)n), lane_##S()); }             \
  INLINE __m256i load_part_##S(const K *p, int64_t n, K fill) {                                               \
    __m256i first = first_##S(n);                                                                             \
    return _mm256_blendv_epi8(fill_##S(fill), _mm256_maskload_epi##S((const masked *)p, first), first);       \
  }                                                                                                           \
  INLINE void store_part_##S(K *p, int64_t n, __m256i v) {                                                    \
    _mm256_maskstore_epi##S((masked *)p, first_##S(n), v);                                                    \
  }                                                                                                           \
  INLINE __m256i min_##S(__m256i a, __m256i b) { return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi##S(a, b)); } \
  INLINE __m256i max_##S(__m256i a, __m256i b) { return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi##S(a, b)); } \
  INLINE __m256i across_##S(__m256i v, int d) {        /* lane i: lane i ^ d of v */                          \
    __m256i from = _mm256_xor_si256(lane_32(), fill_32(d * (int)(sizeof(K) / 4)));                            \
    return _mm256_permutevar8x32_epi32(v, from);                                                              \
  }                                                                                                           \
  INLINE __m256i reverse_##S(__m256i v) { return across_##S(v, LANES_##S - 1); }                              \
  INLINE __m256i swap_##S(__m256i v, int d, int h) {                                                          \
    __m256i other = across_##S(v, d), upper = _mm256_and_si256(lane_##S(), fill_##S(h));                      \
    __m256i greater = _mm256_cmpgt_epi##S(v, other);                                                          \
    return _mm256_blendv_epi8(v, other, _mm256_xor_si256(greater, _mm256_cmpeq_epi##S(upper, fill_##S(h))));  \
  }                                                                                                           \
  INLINE __m256i gather_lanes_##S(__m256i v, uint32_t order) {                                                \
    __m256i shifts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);                                          \
    return _mm256_permutevar8x32_epi32(v, _mm256_srlv_epi32(fill_32((int32_t)order), shifts));                \
  }                                                                                                           \
  INLINE int split_##S(__m256i v, K pivot, K *low, K *high) {                                                 \
    __m256i above = _mm256_cmpgt_epi##S(v, fill_##S(pivot));                                                  \
    int mask = _mm256_movemask_##PACK(_mm256_castsi256_##PACK(above));                                        \
    store_##S(low, gather_lanes_##S(v, order_##S[mask]));                                                     \
    store_##S(high, gather_lanes_##S(v, order_##S[~mask & ((1 << LANES_##S) - 1)]));                          \
    return LANES_##S - __builtin_popcount((unsigned)mask);                                                    \
  }

INLINE __m256i fill_32(int32_t x) { return _mm256_set1_epi32(x); }
INLINE __m256i fill_64(int64_t x) { return _mm256_set1_epi64x(x); }
INLINE __m256i lane_32(void) { return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7); }
INLINE __m256i lane_64(void) { return _mm256_setr_epi64x(0, 1, 2, 3); }
AVX2_LANES(32, int32_t, int, ps)
AVX2_LANES(64, int64_t, long long, pd)

#else
#define SORT_LANES 0
#endif

#endif
