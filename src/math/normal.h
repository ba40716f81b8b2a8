#ifndef LT_MATH_NORMAL_H
#define LT_MATH_NORMAL_H

/* Converts two random words to two normally distributed numbers (Box–Muller), with the same bits on every device. */

#include "math/scalar.h"

/* Converts v, which is below 2^53, to double. On machines without an instruction for this conversion, the high and
** the low 32 bits become mantissas of doubles with the exponent of 2^52. */
INLINE double double_of(uint64_t v) {
#if defined(__AVX512DQ__) || !defined(__SSE2__)
  return (double)(int64_t)v;
#else
  double high = from_bits_float64(v >> 32 | 0x4330000000000000);
  double low = from_bits_float64((uint32_t)v | 0x4330000000000000);
  return (high - 0x1p52) * 0x1p32 + (low - 0x1p52);
#endif
}

/* Taylor series in z = y^2: sine_series is (sin y - y) / y^3 and cosine_series is (cos y - 1) / y^2, for |y| <=
** π/4. */
INLINE float sine_series_float32(float z) { return -1 / 6.f + z * (1 / 120.f + z * (-1 / 5040.f + z * (1 / 362880.f))); }
INLINE float cosine_series_float32(float z) { return -0.5f + z * (1 / 24.f + z * (-1 / 720.f + z * (1 / 40320.f))); }
INLINE double sine_series_float64(double z) {
  return -1 / 6. + z * (1 / 120. + z * (-1 / 5040. + z * (1 / 362880. + z * (-1 / 39916800. + z * (1 / 6227020800. +
         z * (-1 / 1307674368000. + z * (1 / 355687428096000.)))))));
}
INLINE double cosine_series_float64(double z) {
  return -0.5 + z * (1 / 24. + z * (-1 / 720. + z * (1 / 40320. + z * (-1 / 3628800. + z * (1 / 479001600. +
         z * (-1 / 87178291200. + z * (1 / 20922789888000.)))))));
}

#define TYPE float32
#define T float
#define ROUNDER 0x1.8p23f
#include "math/turn.h"

#define TYPE float64
#define T double
#define ROUNDER 0x1.8p52
#include "math/turn.h"

/* Sets *x and *y to two normally distributed numbers with this mean and standard deviation. The first word gives the
** radius, and the second word gives the angle in half turns. */
INLINE void normals_float32(uint32_t first, uint32_t second, float mean, float deviation, float *x, float *y) {
  float u = ((float)(int32_t)(first >> 1) + 0.5f) * 0x1p-31f, log = m_log(u), s, c;      /* u is in (0, 1] */
  turn_float32((float)(int32_t)second * 0x1p-31f, &s, &c);
  float radius = deviation * m_sqrt(-2 * log);
  *x = mean + radius * c;
  *y = mean + radius * s;
}

INLINE void normals_float64(uint64_t first, uint64_t second, double mean, double deviation, double *x, double *y) {
  double u = (double_of(first >> 11) + 0.5) * 0x1p-53, log = m_log(u), s, c;             /* u is in (0, 1] */
  turn_float64(double_of(second >> 11) * 0x1p-52 - 1, &s, &c);
  double radius = deviation * m_sqrt(-2 * log);
  *x = mean + radius * c;
  *y = mean + radius * s;
}

#endif
