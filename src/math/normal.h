#ifndef LT_MATH_NORMAL_H
#define LT_MATH_NORMAL_H

/* Two normals from two random words (Box–Muller): the same bits on every device. */

#include "math/scalar.h"

/* v below 2^53. Where there is no such instruction: each half goes below the exponent of 2^52. */
INLINE double double_of(uint64_t v) {
#if defined(__AVX512DQ__) || !defined(__SSE2__)
  return (double)(int64_t)v;
#else
  double high = from_bits_float64(v >> 32 | 0x4330000000000000);
  double low = from_bits_float64((uint32_t)v | 0x4330000000000000);
  return (high - 0x1p52) * 0x1p32 + (low - 0x1p52);
#endif
}

/* sin(πt), cos(πt) for |t| <= 1: t is a multiple q of 1/2 and a rest, of which the Taylor series end below
** the last bit. Lighter than m_sin and m_cos, which take any argument. */
#define TURN(T, MAGIC, SIN, COS)                                                                      \
  INLINE void turn_##T(T t, T *sine, T *cosine) {                                                     \
    T q = (2 * t + MAGIC) - MAGIC;                     /* rounded to an integer, -2 … 2 */            \
    T y = (t - q * (T)0.5) * (T)3.14159265358979323846, z = y * y;                                    \
    T s = y + y * z * (SIN), c = 1 + z * (COS);                                                       \
    bool odd = (q == 1) | (q == -1), half = (q == 2) | (q == -2);                                     \
    T a = odd ? c : s, b = odd ? s : c;                                                               \
    *sine = (half | (q == -1)) ? -a : a;                                                              \
    *cosine = (half | (q == 1)) ? -b : b;                                                             \
  }
TURN(float, 0x1.8p23f, -1 / 6.f + z * (1 / 120.f + z * (-1 / 5040.f + z * (1 / 362880.f))),
     -0.5f + z * (1 / 24.f + z * (-1 / 720.f + z * (1 / 40320.f))))
TURN(double, 0x1.8p52,
     -1 / 6. + z * (1 / 120. + z * (-1 / 5040. + z * (1 / 362880. + z * (-1 / 39916800. + z * (1 / 6227020800. +
     z * (-1 / 1307674368000. + z * (1 / 355687428096000.))))))),
     -0.5 + z * (1 / 24. + z * (-1 / 720. + z * (1 / 40320. + z * (-1 / 3628800. + z * (1 / 479001600. +
     z * (-1 / 87178291200. + z * (1 / 20922789888000.))))))))

/* *x and *y from words: the first gives the radius, the second the angle in half turns. */
INLINE void normals_float32(uint32_t first, uint32_t second, float mean, float deviation, float *x, float *y) {
  float u = ((float)(int32_t)(first >> 1) + 0.5f) * 0x1p-31f, log = m_log(u), s, c;      /* (0, 1] */
  turn_float((float)(int32_t)second * 0x1p-31f, &s, &c);
  float radius = deviation * m_sqrt(-2 * log);
  *x = mean + radius * c;
  *y = mean + radius * s;
}

INLINE void normals_float64(uint64_t first, uint64_t second, double mean, double deviation, double *x, double *y) {
  double u = (double_of(first >> 11) + 0.5) * 0x1p-53, log = m_log(u), s, c;             /* (0, 1] */
  turn_double(double_of(second >> 11) * 0x1p-52 - 1, &s, &c);
  double radius = deviation * m_sqrt(-2 * log);
  *x = mean + radius * c;
  *y = mean + radius * s;
}

#endif
