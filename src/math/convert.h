#ifndef LT_MATH_CONVERT_H
#define LT_MATH_CONVERT_H

/* Conversions between dtypes. from_<dtype>(stored) converts a stored element to the value used in computations, and
** to_<dtype>(value) converts back. Integers wrap. Floats are clamped to the range of an integer dtype, and NaN
** becomes 0. Half floats round to nearest even. All functions are branch-free. */

#include "math/bits.h"

/* ---- floats to integers ---- */

/* Values are clamped before the conversion, because C leaves conversions of values out of range undefined, and the
** results of machines differ. */
#define SMALL_FROM_REAL(name, T, real, R, least, most)                                     \
  INLINE T name##_from_##real(R x) {                                                       \
    R c = x < least ? least : x > most ? most : x;                                         \
    return (T)(int32_t)(x != x ? 0 : c);                                                   \
  }
#define SMALL_FROM_REALS(name, T, least, most)                                             \
  SMALL_FROM_REAL(name, T, float32, float, least, most)                                    \
  SMALL_FROM_REAL(name, T, float64, double, least, most)
SMALL_FROM_REALS(int8, int8_t, -128, 127)
SMALL_FROM_REALS(int16, int16_t, -32768, 32767)
SMALL_FROM_REALS(uint8, uint8_t, 0, 255)
SMALL_FROM_REALS(uint16, uint16_t, 0, 65535)

INLINE int32_t int32_from_float32(float x) {
  float c = x < -0x1p31f ? -0x1p31f : x;
  int32_t i = (int32_t)(x < 0x1p31f ? c : 0);          /* NaN fails the comparison and becomes 0 */
  return x >= 0x1p31f ? INT32_MAX : i;
}
INLINE int32_t int32_from_float64(double x) {
  double c = x < -2147483648.0 ? -2147483648.0 : x > 2147483647.0 ? 2147483647.0 : x;
  return (int32_t)(x != x ? 0 : c);
}

/* Converts x, clamped to the range of uint32. If an integral value below 2^52 is added to 2^52, the low bits of the
** sum are the value. */
INLINE uint32_t uint32_from_float64(double x) {
  double c = x < 0 ? 0 : x > 4294967295.0 ? 4294967295.0 : x;
  return (uint32_t)bits_float64(m_trunc_float64(x != x ? 0 : c) + 0x1p52);
}
INLINE uint32_t uint32_from_float32(float x) { return uint32_from_float64((double)x); }

/* Converts an integral a with 0 <= a < 2^64. The high and the low 32 bits are converted separately, because SSE and
** AVX2 have no instruction for this conversion; AVX-512 has one. */
INLINE uint64_t uint64_words(double a) {
  double high = a * 0x1p-32 + 0x1p52;
  double low = a - (high - 0x1p52) * 0x1p32;
  return (bits_float64(high) << 32) + (bits_float64(low + ROUNDER64) - bits_float64(ROUNDER64));
}

INLINE int64_t int64_from_float64(double x) {
  double a = abs_float64(x);
  double c = a < 0x1p63 ? a : 0;
#if defined(__AVX512DQ__) || !defined(__SSE2__)
  int64_t i = (int64_t)c;
#else
  int64_t i = (int64_t)uint64_words(m_trunc_float64(c));
#endif
  i = x < 0 ? -i : i;
  i = x >= 0x1p63 ? INT64_MAX : i;
  return x <= -0x1p63 ? INT64_MIN : i;
}
INLINE uint64_t uint64_from_float64(double x) {
  double c = x > 0 && x < 0x1p64 ? x : 0;
#if defined(__AVX512DQ__) || !defined(__SSE2__)
  uint64_t i = (uint64_t)c;
#else
  uint64_t i = uint64_words(m_trunc_float64(c));
#endif
  return x >= 0x1p64 ? UINT64_MAX : i;
}
INLINE int64_t  int64_from_float32(float x)  { return int64_from_float64((double)x); }
INLINE uint64_t uint64_from_float32(float x) { return uint64_from_float64((double)x); }

/* Every integer dtype is converted through uint64_t. Then conversions between all widths wrap modulo 2^width. */
#define FROM_INTEGER(name, T) INLINE T name##_from_integer(uint64_t x) { return (T)x; }
FROM_INTEGER(int8, int8_t)
FROM_INTEGER(int16, int16_t)
FROM_INTEGER(int32, int32_t)
FROM_INTEGER(int64, int64_t)
FROM_INTEGER(uint8, uint8_t)
FROM_INTEGER(uint16, uint16_t)
FROM_INTEGER(uint32, uint32_t)
FROM_INTEGER(uint64, uint64_t)

/* A complex number is converted to a real dtype by its real part. */
#define FROM_COMPLEX(name, T)                                                                       \
  INLINE T name##_from_complex64(complex64_t z)   { return name##_from_float32(real_complex64(z)); } \
  INLINE T name##_from_complex128(complex128_t z) { return name##_from_float64(real_complex128(z)); }
FROM_COMPLEX(int8, int8_t)
FROM_COMPLEX(int16, int16_t)
FROM_COMPLEX(int32, int32_t)
FROM_COMPLEX(int64, int64_t)
FROM_COMPLEX(uint8, uint8_t)
FROM_COMPLEX(uint16, uint16_t)
FROM_COMPLEX(uint32, uint32_t)
FROM_COMPLEX(uint64, uint64_t)

#define CONVERT_TO(name, x)                                                                         \
  GENERIC(x, CASE(float, name##_from_float32), CASE(double, name##_from_float64),                    \
          CASE(complex64_t, name##_from_complex64), CASE(complex128_t, name##_from_complex128),      \
          CASE_ELSE(name##_from_integer))(x)
#define to_int8(x)   CONVERT_TO(int8, x)
#define to_int16(x)  CONVERT_TO(int16, x)
#define to_int32(x)  CONVERT_TO(int32, x)
#define to_int64(x)  CONVERT_TO(int64, x)
#define to_uint8(x)  CONVERT_TO(uint8, x)
#define to_uint16(x) CONVERT_TO(uint16, x)
#define to_uint32(x) CONVERT_TO(uint32, x)
#define to_uint64(x) CONVERT_TO(uint64, x)
#define to_bool(x)   ((x) != 0)

/* ---- to floats ---- */

/* Converts 64-bit integers to double on machines without an instruction for this conversion. The high 32 bits are put
** into the low mantissa bits of the double 2^84, whose last bit counts 2^32. The low 32 bits are put into the low
** mantissa bits of the double 2^52. `bias` is the sum of the constants that were added. Subtracting `bias` is exact, so
** that the result is rounded once. */
#if defined(__SSE2__) && !defined(__AVX512DQ__)
INLINE double float64_words(uint64_t high, uint64_t low, double bias) {
  double h = from_bits_float64(high | 0x4530000000000000u);          /* the double 2^84 + 2^32 high */
  return (h - bias) + from_bits_float64(low | 0x4330000000000000u);   /* plus the double 2^52 + low */
}
INLINE double float64_from_uint64(uint64_t x) {
  return float64_words(x >> 32, x & 0xffffffffu, 0x1p84 + 0x1p52);
}
INLINE double float64_from_int64(int64_t x) {
  return float64_words(((uint64_t)x >> 32) ^ 0x80000000u, (uint64_t)x & 0xffffffffu, 0x1p84 + 0x1p63 + 0x1p52);
}
#else
INLINE double float64_from_uint64(uint64_t x) { return (double)x; }
INLINE double float64_from_int64(int64_t x)   { return (double)x; }
#endif
INLINE double float64_from_real(double x) { return x; }

INLINE double float64_from_complex64(complex64_t z)   { return (double)real_complex64(z); }
INLINE double float64_from_complex128(complex128_t z) { return real_complex128(z); }

#define to_float32(x) ((float)(x))
#define to_float64(x)                                                                               \
  GENERIC(x, CASE(int64_t, float64_from_int64), CASE(uint64_t, float64_from_uint64),                 \
          CASE(complex64_t, float64_from_complex64), CASE(complex128_t, float64_from_complex128),    \
          CASE_ELSE(float64_from_real))(x)
#define to_complex64(x)  ((complex64_t)(x))
#define to_complex128(x) ((complex128_t)(x))

/* ---- half floats ----
** A half float is stored as a bit pattern and computed as float. */

#if LT_ON_GPU && !defined(LT_EMULATOR)
/* The GPU has one instruction for each conversion. NaN is handled separately, because the instruction changes a NaN's
** bits. */
INLINE float from_float16(uint16_t h) {
  uint32_t nan = (uint32_t)(h & 0x8000u) << 16 | 0x7f800000u | (uint32_t)(h & 0x3ffu) << 13;
  float x = native_float32_from_float16(h);
  return x != x ? from_bits_float32(nan) : x;
}
INLINE uint16_t float16_from_float32(float x) {
  uint32_t u = bits_float32(x), nan = (u >> 16 & 0x8000u) | 0x7e00u | (u >> 13 & 0x3ffu);
  return (uint16_t)(x != x ? nan : native_float16_from_float32(x));
}
#else
/* The bits of the half float are shifted to their places in a float. The exponent is then 112 too small, so the
** number is multiplied by 2^112. The multiplication also normalises subnormals. */
INLINE float from_float16(uint16_t h) {
  uint32_t magnitude = h & 0x7fffu, sign = (uint32_t)(h & 0x8000u) << 16;
  uint32_t u = bits_float32(from_bits_float32(magnitude << 13) * 0x1p112f);
  u |= magnitude >= 0x7c00u ? 0x7f800000u : 0;      /* sets the exponent of infinity and NaN */
  return from_bits_float32(u | sign);
}

/* If |x| < 2^-14, the result is subnormal, and its bits are the last bits of 1/2 + |x|. */
INLINE uint16_t float16_from_float32(float x) {
  uint32_t u = bits_float32(x), a = u & 0x7fffffffu, sign = (u >> 16) & 0x8000u;
  uint32_t normal = (a + 0xc8000fffu + ((a >> 13) & 1)) >> 13;
  uint32_t subnormal = bits_float32(from_bits_float32(a) + 0.5f) - 0x3f000000u;
  uint32_t h = a < 0x38800000u ? subnormal : normal;
  h = a >= 0x477ff000u ? 0x7c00u : h;
  h = a > 0x7f800000u ? 0x7e00u | (a >> 13 & 0x3ffu) : h;
  return (uint16_t)(h | sign);
}
#endif

INLINE float from_bfloat16(uint16_t h) { return from_bits_float32((uint32_t)h << 16); }

INLINE uint16_t bfloat16_from_float32(float x) {
  uint32_t u = bits_float32(x), rounded = (u + 0x7fffu + ((u >> 16) & 1)) >> 16;
  return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? u >> 16 | 0x40u : rounded);
}

/* Returns x as a float rounded to odd. Rounding this float to fewer bits gives x rounded once. */
INLINE float round_to_odd(double x) {
  float f = (float)x;
  uint32_t u = bits_float32(f);
  double back = (double)f;
  u -= abs_float64(back) > abs_float64(x);      /* rounds toward 0 */
  u |= back != x && x == x;                     /* sets the last bit if no float equals x */
  return from_bits_float32(u);
}
INLINE uint16_t float16_from_float64(double x)  { return float16_from_float32(round_to_odd(x)); }
INLINE uint16_t bfloat16_from_float64(double x) { return bfloat16_from_float32(round_to_odd(x)); }

/* A double cannot store all bits of a large 64-bit integer. These functions replace the lowest 11 bits of such an
** integer by one sticky bit, so that converting the integer to a half float rounds only once. */
INLINE int64_t sticky_int64(int64_t x) {
  int64_t far = (x & ~(int64_t)0x7ff) | ((x & 0x7ff) != 0 ? 0x800 : 0);
  return x < (int64_t)1 << 53 && x > -((int64_t)1 << 53) ? x : far;
}
INLINE uint64_t sticky_uint64(uint64_t x) {
  uint64_t far = (x & ~(uint64_t)0x7ff) | ((x & 0x7ff) != 0 ? 0x800 : 0);
  return x < (uint64_t)1 << 53 ? x : far;
}
INLINE uint16_t float16_from_int64(int64_t x)    { return float16_from_float64(to_float64(sticky_int64(x))); }
INLINE uint16_t float16_from_uint64(uint64_t x)  { return float16_from_float64(to_float64(sticky_uint64(x))); }
INLINE uint16_t bfloat16_from_int64(int64_t x)   { return bfloat16_from_float64(to_float64(sticky_int64(x))); }
INLINE uint16_t bfloat16_from_uint64(uint64_t x) { return bfloat16_from_float64(to_float64(sticky_uint64(x))); }

FROM_COMPLEX(float16, uint16_t)
FROM_COMPLEX(bfloat16, uint16_t)

#define CONVERT_TO_HALF(name, x)                                                                    \
  GENERIC(x, CASE(float, name##_from_float32), CASE(double, name##_from_float64),                    \
          CASE(int64_t, name##_from_int64), CASE(uint64_t, name##_from_uint64),                      \
          CASE(int32_t, name##_from_float64), CASE(uint32_t, name##_from_float64),                   \
          CASE(complex64_t, name##_from_complex64), CASE(complex128_t, name##_from_complex128),      \
          CASE_ELSE(name##_from_float32))(x)
#define to_float16(x)  CONVERT_TO_HALF(float16, x)
#define to_bfloat16(x) CONVERT_TO_HALF(bfloat16, x)

/* A bool is read as a byte, because compilers do not vectorise conversions from _Bool. */
INLINE uint8_t from_bool(bool x) { return byte_of_bool(x); }

/* For these dtypes the stored element is the value itself. */
#define from_int8(x)    (x)
#define from_int16(x)   (x)
#define from_int32(x)   (x)
#define from_int64(x)   (x)
#define from_uint8(x)   (x)
#define from_uint16(x)  (x)
#define from_uint32(x)  (x)
#define from_uint64(x)  (x)
#define from_float32(x) (x)
#define from_float64(x) (x)
#define from_complex64(x)  (x)
#define from_complex128(x) (x)

#endif
