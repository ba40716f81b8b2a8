#ifndef LT_MATH_POWERS_H
#define LT_MATH_POWERS_H

/* Powers of real floats with a constant exponent. NaN, infinities and zeros give the results of m_pow. The results of
** functions of float are rounded once from double, so the largest error is 0.5 ulp. The functions of double correct the
** rounding errors of their steps. spec/array/power_spec.lua tests the errors. */

#include "math/bits.h"

/* ---- x^3 and x^4 ---- */

INLINE float m_cube_float32(float x) {
  double w = (double)x;
  return (float)(w * w * w);
}
INLINE float m_fourth_float32(float x) {
  double w = (double)x, p = w * w;
  return (float)(p * p);
}

/* With p, the rounded x^2, and e = x^2 - p, x^3 is p x + e x, and x^4 is p^2 + 2 e p. The products of e are left out if
** the result overflows, because 2 e p could be infinite or NaN, or if the result is subnormal. The largest error found in
** tests is 1.0 ulp with FMA and 1.2 ulp without FMA. With FMA, it is 0.5 ulp for results above 2^-1000. */
INLINE double m_cube_float64(double x) {
  double p = x * x, y = fma_float64(p, x, product_error(x, x, p) * x);
  return p > 0x1p-682 && p < 0x1p700 ? y : p * x;
}
INLINE double m_fourth_float64(double x) {
  double p = x * x, y = fma_float64(p, p, product_error(x, x, p) * (p + p));
  return p > 0x1p-511 && p < 0x1p520 ? y : p * p;
}

/* ---- x^(1/2) and x^(-1/2) ---- */

/* The sum x + 0 turns -0 into 0. */
INLINE float  m_root_float32(float x)  { return x == -INFINITY ? INFINITY : BUILTIN(sqrtf)(x + 0.0f); }
INLINE double m_root_float64(double x) { return x == -INFINITY ? INFINITY : BUILTIN(sqrt)(x + 0.0); }

/* Improves the quotient of floats by a step of Newton's method in double. */
INLINE float m_inverse_root_float32(float x) {
  float r = 1.0f / BUILTIN(sqrtf)(x + 0.0f);
  double w = (double)r, t = 1.0 - (double)x * w * w;
  float y = (float)(w + 0.5 * w * t);
  return x == -INFINITY ? 0 : x > 0 && x < INFINITY ? y : r;
}

/* With the rounded root s and the rounded quotient r = 1 / s, 1 / sqrt(x) is r (1 + (1 - r s) - (x - s^2) r^2 / 2). A
** tiny x is multiplied by 2^600. The largest error found in tests is 0.5 ulp. */
INLINE double m_inverse_root_float64(double x) {
  bool tiny = x < 0x1p-900;
  double u = tiny ? x * 0x1p600 : x, s = BUILTIN(sqrt)(u + 0.0), r = 1.0 / s, p = s * s, q = r * s;
  double root_error = (u - p) - product_error(s, s, p), error = (1.0 - q) - product_error(r, s, q);
  double y = fma_float64(r, error - 0.5 * root_error * r * r, r);
  return x == -INFINITY ? 0 : (x > 0 && x < INFINITY ? y : r) * (tiny ? 0x1p300 : 1.0);
}

/* ---- x^-2 ---- */

INLINE float m_inverse_square_float32(float x) {
  double w = (double)x;
  return (float)(1.0 / (w * w));
}

/* With the rounded quotient r = 1 / x, x^-2 is r^2 + 2 r^2 (1 - r x). The largest error found in tests is 1.0 ulp with
** FMA and 1.2 ulp without FMA. With FMA, it is 0.5 ulp for results above 2^-1000. */
INLINE double m_inverse_square_float64(double x) {
  double r = 1.0 / x, p = r * x, q = r * r, error = (1.0 - p) - product_error(r, x, p);
  return fma_float64(r, r, q > 0 && q < INFINITY ? q * (error + error) : 0);
}

#endif
