#ifndef LT_CPU_SORT_LANES_H
#define LT_CPU_SORT_LANES_H

/* What sorting needs of vector registers of 32-bit and of 64-bit keys, as AVX-512 and AVX2 have it. Without either
** SORT_LANES is 0.
**
**   LANES_S                      keys in a register, S being 32 or 64
**   load_S, store_S              LANES_S keys
**   load_part_S, store_part_S    the first n of them; the other lanes are `fill`
**   min_S, max_S, reverse_S
**   swap_S(v, d, h)              compares lanes i and i ^ d; the lesser goes to the one without bit h, d's highest
**   split_S(v, pivot, low, high) keys up to the pivot to low, the others to high, each LANES_S wide; how many went to low */

#include "../cpu.h"

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

#else
#define SORT_LANES 0
#endif

#endif
