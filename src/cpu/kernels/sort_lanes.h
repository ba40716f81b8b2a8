#ifndef LT_CPU_KERNELS_SORT_LANES_H
#define LT_CPU_KERNELS_SORT_LANES_H

/* Vector registers with keys of BITS (32 or 64) bits, for AVX-512 and AVX2. Without both, SORT_LANES is 0.
**
**    LANES                      the number of keys in a register
**    load, store                read or write LANES keys
**    load_part, store_part      read or write the first n keys; load_part sets the other lanes to `fill`
**    min, max                   compare two registers lane by lane
**    reverse                    reverses the order of the lanes
**    swap(v, d, h)              compares lanes i and i ^ d, and puts the greater key into the lane whose number has
**                               bit h, the top bit of d
**    split(v, pivot, low, high) writes the keys up to the pivot to low, and the other keys to high; both have space
**                               for LANES keys. Returns the number of keys in low */

#include "cpu/cpu.h"

/* EPI(_mm512_min) is _mm512_min_epi32 or _mm512_min_epi64; EPI_MASK appends _mask. */
#define PASTE_BITS_(name, bits, end) name##bits##end
#define PASTE_BITS(name, bits, end) PASTE_BITS_(name, bits, end)
#define EPI(name)      PASTE_BITS(name##_epi, BITS, )
#define EPI_MASK(name) PASTE_BITS(name##_epi, BITS, _mask)

#if defined(__AVX512F__) && defined(__AVX512BW__)
#include <immintrin.h>
#define SORT_LANES 1

enum { LANES = 512 / BITS };
typedef __m512i lanes;
#if BITS == 32
typedef __mmask16 mask;
INLINE __m512i lane_numbers(void) {
  return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
#else
typedef __mmask8 mask;
INLINE __m512i lane_numbers(void) { return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7); }
#endif

INLINE __m512i all(KEY x) { return EPI(_mm512_set1)(x); }

INLINE __m512i load(const KEY *p) { return _mm512_loadu_si512(p); }
INLINE void store(KEY *p, __m512i v) { _mm512_storeu_si512(p, v); }
INLINE mask first_lanes(int64_t n) { return (mask)((1u << n) - 1); }
INLINE __m512i load_part(const KEY *p, int64_t n, KEY fill) {
  return EPI(_mm512_mask_loadu)(all(fill), first_lanes(n), p);
}

INLINE void store_part(KEY *p, int64_t n, __m512i v) { EPI(_mm512_mask_storeu)(p, first_lanes(n), v); }
INLINE __m512i min(__m512i a, __m512i b) { return EPI(_mm512_min)(a, b); }
INLINE __m512i max(__m512i a, __m512i b) { return EPI(_mm512_max)(a, b); }
INLINE __m512i reverse(__m512i v) {
  return EPI(_mm512_permutexvar)(_mm512_xor_si512(lane_numbers(), all(LANES - 1)), v);
}
INLINE __m512i swap(__m512i v, int d, int h) {
  const __m512i lane = lane_numbers();
  __m512i other = EPI(_mm512_permutexvar)(_mm512_xor_si512(lane, all(d)), v);
  mask upper = EPI_MASK(_mm512_test)(lane, all(h));
  return EPI(_mm512_mask_max)(EPI(_mm512_min)(v, other), upper, v, other);
}

/* Compresses to a register and then stores the register, because vpcompress to memory takes more than a hundred cycles
** on Zen 4. Returns the number of keys in `low`. */
INLINE int split(__m512i v, KEY pivot, KEY *low, KEY *high) {
  mask up_to = EPI_MASK(_mm512_cmple)(v, all(pivot));
  store(low, EPI(_mm512_maskz_compress)(up_to, v));
  store(high, EPI(_mm512_maskz_compress)((mask)~up_to, v));
  return __builtin_popcount(up_to);
}

#elif defined(__AVX2__)
#include <immintrin.h>
#define SORT_LANES 1

enum { LANES = 256 / BITS };
typedef __m256i lanes;

/* A table of permutations, indexed by a mask of lanes. A permutation puts the lanes with mask bit 0 before the lanes
** with mask bit 1. Its 4-bit field i is the number of the 32-bit lane that goes to place i. */
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
#if BITS == 32
typedef int masked;
#define MOVE_MASK(v) _mm256_movemask_ps(_mm256_castsi256_ps(v))
static const uint32_t order[256] = {SIXTY_FOUR(0), SIXTY_FOUR(64), SIXTY_FOUR(128), SIXTY_FOUR(192)};
INLINE __m256i all(KEY x) { return _mm256_set1_epi32(x); }
INLINE __m256i lane_numbers(void) { return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7); }
#else
typedef long long masked;
#define MOVE_MASK(v) _mm256_movemask_pd(_mm256_castsi256_pd(v))
static const uint32_t order[16] = {SIXTEEN(ORDER_64, 0)};
INLINE __m256i all(KEY x) { return _mm256_set1_epi64x(x); }
INLINE __m256i lane_numbers(void) { return _mm256_setr_epi64x(0, 1, 2, 3); }
#endif

INLINE __m256i load(const KEY *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }
INLINE void store(KEY *p, __m256i v) { _mm256_storeu_si256((__m256i *)(void *)p, v); }
INLINE __m256i first_lanes(int64_t n) { return EPI(_mm256_cmpgt)(all((KEY)n), lane_numbers()); }
INLINE __m256i load_part(const KEY *p, int64_t n, KEY fill) {
  __m256i first = first_lanes(n);
  return _mm256_blendv_epi8(all(fill), EPI(_mm256_maskload)((const masked *)p, first), first);
}

INLINE void store_part(KEY *p, int64_t n, __m256i v) {
  EPI(_mm256_maskstore)((masked *)p, first_lanes(n), v);
}
INLINE __m256i min(__m256i a, __m256i b) { return _mm256_blendv_epi8(a, b, EPI(_mm256_cmpgt)(a, b)); }
INLINE __m256i max(__m256i a, __m256i b) { return _mm256_blendv_epi8(b, a, EPI(_mm256_cmpgt)(a, b)); }
INLINE __m256i across(__m256i v, int d) {        /* lane i of the result is lane i ^ d of v */
  __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  __m256i from = _mm256_xor_si256(lane, _mm256_set1_epi32(d * (int)(sizeof(KEY) / 4)));
  return _mm256_permutevar8x32_epi32(v, from);
}
INLINE __m256i reverse(__m256i v) { return across(v, LANES - 1); }
INLINE __m256i swap(__m256i v, int d, int h) {
  __m256i other = across(v, d), upper = _mm256_and_si256(lane_numbers(), all(h));
  __m256i greater = EPI(_mm256_cmpgt)(v, other);
  return _mm256_blendv_epi8(v, other, _mm256_xor_si256(greater, EPI(_mm256_cmpeq)(upper, all(h))));
}

INLINE __m256i gather_lanes(__m256i v, uint32_t places) {
  __m256i shifts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
  return _mm256_permutevar8x32_epi32(v, _mm256_srlv_epi32(_mm256_set1_epi32((int32_t)places), shifts));
}

INLINE int split(__m256i v, KEY pivot, KEY *low, KEY *high) {
  __m256i above = EPI(_mm256_cmpgt)(v, all(pivot));
  int mask = MOVE_MASK(above);
  store(low, gather_lanes(v, order[mask]));
  store(high, gather_lanes(v, order[~mask & ((1 << LANES) - 1)]));
  return LANES - __builtin_popcount((unsigned)mask);
}

#else
#define SORT_LANES 0
#endif

#endif
