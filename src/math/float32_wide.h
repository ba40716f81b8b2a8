#ifndef LT_MATH_FLOAT32_WIDE_H
#define LT_MATH_FLOAT32_WIDE_H

/* The functions of float32_fused.h for machines without FMA, on which sums of two floats take more time than double. The
** functions are computed in double and rounded to float once. Their polynomials have the degree that float needs.
** math/float32.h includes this file at its end. */

/* Returns tan r if q is even, -1 / tan r if q is odd, with the sign changed for x < 0. The function is computed in
** double, because a quotient of floats would add an error of 1 ulp. The largest error found in tests is 0.6 ulp. */
INLINE float tan_quadrant_float32(double r, uint32_t q, float x) {
  double z = r * r;
  double p = POLY64(8, z, 0x1.555553cf64977p-2, 0x1.1111a65abb5c4p-3, 0x1.b9f48c779e8b7p-5, 0x1.68c541c201122p-6,
                    0x1.0cbab3889ac5bp-7, 0x1.58a4c8501ec3ap-8, -0x1.cb7359eb371a8p-11, 0x1.1b2fb3166d7f2p-9);
  double t = fma_float64(r * z, p, r);
  bool odd = is_odd(q);
  float y = (float)((odd ? -1.0 : t) / (odd ? t : 1.0));
  return from_bits_float32(bits_float32(y) ^ (bits_float32(x) & 0x80000000u));
}

/* The largest error found in tests is 0.6 ulp. */
INLINE float m_tan_float32(float x) {
  double a = (double)abs_float32(x), k = fma_float64(a, 0x1.45f306dc9c883p-1, ROUNDER64);
  uint32_t q = (uint32_t)bits_float64(k);
  k -= ROUNDER64;
  return tan_quadrant_float32((a - k * 0x1.921fb544p0) - k * 0x1.0b4611a626331p-34, q, x);
}

INLINE float tan_any_float32(float x) {
  uint32_t q;
  double r = trig_reduce_any((double)abs_float32(x), &q);
  return tan_quadrant_float32(r, q, x);
}

/* Returns e^x for |x| < 745, with a relative error of 2^-31. The caller converts the result to float, which rounds
** results that are subnormal as floats. */
INLINE double exp_low(double x) {
  double k = fma_float64(x, 0x1.71547652b82fep0, ROUNDER64), s = pow2_float64(k);
  k -= ROUNDER64;
  double r = fma_float64(k, -0x1.62e42fefa39efp-1, x);
  double p = POLY64(6, r, 0x1.0000002af9ec8p-1, 0x1.5555557611006p-3, 0x1.5554a602b3099p-5, 0x1.1110ace953e4ap-7,
                    0x1.6d7c44a977694p-10, 0x1.a178256cc04d5p-13);
  return s * fma_float64(r * r, p, r + 1.0);
}

/* Returns erfc(a) e^(a^2) for 0 <= a <= 10.5, with an error of 2^-28, as a polynomial in (3 - a) / (3 + a). */
INLINE double erfcx_low(double a) {
  double t = 1.0 / (a + 3.0), w = (3.0 - a) * t;
  double p = POLY64(10, w, 0x1.6e9827d3d85d2p-2, 0x1.2d8830413882ap-2, 0x1.92ede08535430p-3, 0x1.a7e3b26741cf2p-4,
                    0x1.4664a17d34846p-5, 0x1.252bac7b3f999p-7, -0x1.ac549f08b695cp-12, -0x1.0d523e6820bc1p-10,
                    -0x1.520a7f9c1011bp-13, 0x1.c823b43ea1d87p-14);
  return 3.0 * t * p;
}

/* With a = |x|, erfc(a) is e^(-a^2) erfcx(a). For x < 0 the result is 2 - erfc(a). The largest error found in tests
** is 0.6 ulp. */
INLINE float m_erfc_float32(float x) {
  double a = (double)abs_float32(x), b = a > 10.5 ? 10.5 : a;
  double y = exp_low(-b * b) * erfcx_low(b);
  return x != x ? x : (float)(x < 0 ? 2.0 - y : y);
}

/* Computes x Phi(x) with the normal distribution function Phi, where Phi(-a) = e^(-a^2 / 2) erfcx(a / sqrt 2) / 2.
** The largest error found in tests is 0.6 ulp. */
INLINE float m_gelu_float32(float x) {
  double v = (double)x, a = (double)abs_float32(x), b = a > 14.8 ? 14.8 : a;
  double y = 0.5 * exp_low(-0.5 * b * b) * erfcx_low(b * 0x1.6a09e667f3bcdp-1);
  y = a > 14.8 ? 0 : y;
  float g = (float)(v * (x < 0 ? y : 1.0 - y));
  return x == -INFINITY ? -0.0f : g;
}

/* Computes log(1 + e^x) as max(x, 0) + log(1 + e^-|x|). The largest error found in tests is 0.6 ulp. */
INLINE float m_softplus_float32(float x) {
  double a = (double)abs_float32(x), b = a > 200.0 ? 200.0 : a;
  return (float)((x < 0 ? 0 : (double)x) + log1p_low(exp_low(-b)));
}

/* Computes log(e^x + e^y) as the larger argument + log(1 + e^-|x - y|). If the two terms have different signs, digits may
** cancel. The largest error found in tests is 0.5 ulp of the larger argument. */
INLINE float m_logaddexp_float32(float x, float y) {
  float high = y > x ? y : x, low = y > x ? x : y;
  double d = (double)low - (double)high;
  float r = (float)((double)high + log1p_low(exp_low(d > -200.0 ? d : -200.0)));
  r = high == low ? high + 0x1.62e43p-1f : r;
  r = abs_float32(high) == INFINITY ? high : r;
  return low != low ? low : r;
}

/* Computes x^y as e^(y log |x|). The logarithm has an error of 2^-38. An infinite y counts as 2^100, so that its product
** with log 1 is 0. The sign of the result and the special cases follow annex F of C99; they are chosen in float, because
** a vector has twice as many floats as doubles. The largest error found in tests is 0.6 ulp. */
INLINE float m_pow_float32(float x, float y) {
  float ax = abs_float32(x), finite = y > 0x1p100f ? 0x1p100f : y < -0x1p100f ? -0x1p100f : y;
  double e, m = log_split_float64((double)ax, &e), s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = POLY64(5, z, 0x1.5555555555555p-1, 0x1.99999851a6185p-2, 0x1.24937c95dd586p-2,
                    0x1.c65613dd2252cp-3, 0x1.8ee6fa6852f38p-3);
  double l = fma_float64(s * z, p, 2.0 * s), t = fma_float64(e, 0x1.62e42fefa39efp-1, l) * (double)finite;
  float r = (float)exp_low(t > 200.0 ? 200.0 : t < -200.0 ? -200.0 : t);
  return pow_limits_float32(x, y, r);
}

#endif
