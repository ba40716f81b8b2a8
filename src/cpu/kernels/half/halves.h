#ifndef LT_CPU_KERNELS_HALF_HALVES_H
#define LT_CPU_KERNELS_HALF_HALVES_H

/* Conversions between half floats and float32 in vectors. widen_float16 and widen_bfloat16 convert HALVES elements to
** float32. narrow_float16 and narrow_bfloat16 convert HALVES elements to half floats, rounded to the nearest. HAS_HALVES
** is 1 and these functions are defined if the processor has instructions for float16. */

#include <string.h>
#if defined(__F16C__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "math/convert.h"

#if defined(__AVX512F__)
#define HAS_HALVES 1
enum { HALVES = 16 };
INLINE void widen_float16(float *d, const uint16_t *s) {
  _mm512_storeu_ps(d, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)s)));
}
INLINE void narrow_float16(uint16_t *d, const float *s) {
  _mm256_storeu_si256((__m256i *)d, _mm512_cvtps_ph(_mm512_loadu_ps(s), _MM_FROUND_TO_NEAREST_INT));
}
INLINE void widen_bfloat16(float *d, const uint16_t *s) {
  _mm512_storeu_si512(d, _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)s)), 16));
}
INLINE void narrow_bfloat16(uint16_t *d, const float *s) {
  __m512 x = _mm512_loadu_ps(s);
  __m512i u = _mm512_castps_si512(x), top = _mm512_srli_epi32(u, 16), odd = _mm512_and_si512(top, _mm512_set1_epi32(1));
  __m512i r = _mm512_srli_epi32(_mm512_add_epi32(_mm512_add_epi32(u, _mm512_set1_epi32(0x7fff)), odd), 16);
  r = _mm512_mask_or_epi32(r, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), top, _mm512_set1_epi32(0x40));
  _mm256_storeu_si256((__m256i *)d, _mm512_cvtepi32_epi16(r));
}
#elif defined(__F16C__)
#define HAS_HALVES 1
enum { HALVES = 8 };
INLINE void widen_float16(float *d, const uint16_t *s) {
  _mm256_storeu_ps(d, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)s)));
}
INLINE void narrow_float16(uint16_t *d, const float *s) {
  _mm_storeu_si128((__m128i *)d, _mm256_cvtps_ph(_mm256_loadu_ps(s), _MM_FROUND_TO_NEAREST_INT));
}
INLINE void widen_bfloat16(float *d, const uint16_t *s) {
  __m256i u = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)s));
  _mm256_storeu_ps(d, _mm256_castsi256_ps(_mm256_slli_epi32(u, 16)));
}
INLINE void narrow_bfloat16(uint16_t *d, const float *s) {
  __m256 x = _mm256_loadu_ps(s), nan = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
  __m256i u = _mm256_castps_si256(x), top = _mm256_srli_epi32(u, 16), odd = _mm256_and_si256(top, _mm256_set1_epi32(1));
  __m256i r = _mm256_srli_epi32(_mm256_add_epi32(_mm256_add_epi32(u, _mm256_set1_epi32(0x7fff)), odd), 16);
  r = _mm256_blendv_epi8(r, _mm256_or_si256(top, _mm256_set1_epi32(0x40)), _mm256_castps_si256(nan));
  _mm_storeu_si128((__m128i *)d, _mm_packus_epi32(_mm256_castsi256_si128(r), _mm256_extracti128_si256(r, 1)));
}
#elif defined(__aarch64__)
#define HAS_HALVES 1
enum { HALVES = 4 };
INLINE void widen_float16(float *d, const uint16_t *s) {
  vst1q_f32(d, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(s))));
}
INLINE void narrow_float16(uint16_t *d, const float *s) {
  vst1_u16(d, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(s))));
}
INLINE void widen_bfloat16(float *d, const uint16_t *s) {
  vst1q_f32(d, vreinterpretq_f32_u32(vshlq_n_u32(vmovl_u16(vld1_u16(s)), 16)));
}
INLINE void narrow_bfloat16(uint16_t *d, const float *s) {
  float32x4_t x = vld1q_f32(s);
  uint32x4_t u = vreinterpretq_u32_f32(x), top = vshrq_n_u32(u, 16), odd = vandq_u32(top, vdupq_n_u32(1));
  uint32x4_t r = vshrq_n_u32(vaddq_u32(vaddq_u32(u, vdupq_n_u32(0x7fff)), odd), 16);
  vst1_u16(d, vmovn_u32(vbslq_u32(vceqq_f32(x, x), r, vorrq_u32(top, vdupq_n_u32(0x40)))));
}
#endif

#endif
