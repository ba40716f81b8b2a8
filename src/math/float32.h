#ifndef LT_MATH_FLOAT32_H
#define LT_MATH_FLOAT32_H

/* Elementary functions of float. The functions are branch-free and correct for every float (NaN, infinities, -0,
** subnormals). Coefficients are least-squares fits at Chebyshev nodes, which are close to minimax. If
** rounding to float would cost more than 2 ulp, a function is computed by sums of two floats (float32_fused.h) or in
** double. spec/array/math_spec.lua repeats the measurements of all errors given in this file. */

#include "math/bits.h"

/* ---- exponentials ---- */

/* Returns r with x = n ln 2 + r and |r| <= 0.35, for |x| < 2^20, and sets *n. */
INLINE float exp_reduce_float32(float x, int32_t *n) {
  float k = fma_float32(x, 0x1.715476p0f, ROUNDER32);
  *n = (int32_t)(bits_float32(k) - bits_float32(ROUNDER32));
  k -= ROUNDER32;
  return fma_float32(k, -0x1.0bfbe8p-15f, fma_float32(k, -0x1.62ep-1f, x));   /* k * 0x1.62e is exact */
}

/* Returns e^r - 1 for |r| <= 0.35. */
INLINE float expm1_core_float32(float r) {
  float p = POLY32(6, r, 0x1p-1f, 0x1.555556p-3f, 0x1.5554ecp-5f, 0x1.110fe4p-7f, 0x1.6d4926p-10f, 0x1.a28996p-13f);
  return fma_float32(r * r, p, r);
}

/* Computes e^x as 2^n y with 0.7 < y < 1.42. The exponent bits of y are increased by n. If the result may be
** subnormal, they are increased by 64 more, and a product with 2^-64 rounds the result once. Results beyond the range
** of float are replaced at the end, which does not delay the other operations. The largest error found in tests is 1.0
** ulp. */
INLINE float m_exp_float32(float x) {
  int32_t n;
  float y = expm1_core_float32(exp_reduce_float32(x, &n)) + 1.0f;
  bool low = x < -86.0f;
  y = from_bits_float32(bits_float32(y) + ((uint32_t)n << 23) + bits_float32(low ? 0x1p-63f : 0));
  y *= low ? 0x1p-64f : 1.0f;
  y = x <= 0x1.62e42ep6f ? y : x * INFINITY;
  return x < -104.0f ? 0 : y;
}

/* Computes e^x - 1 as 2^n (e^r - 1) + (2^n - 1). Half of this sum is computed and then doubled, because 2^128 is not a
** finite float. The largest error found in tests is 1.3 ulp. */
INLINE float m_expm1_float32(float x) {
  int32_t n;
  float c = limit_float32(x, -20.0f, 89.0f);
  float e = expm1_core_float32(exp_reduce_float32(c, &n)), s = pow2_float32(n - 1);
  float y = fma_float32(s, e, s - 0.5f);
  return add_sign_float32(n == 0 ? e : y + y, x);
}

/* Computes 1 / (1 + e^-x) as s / (s + 1 + y) with e^-x = (1 + y) / s and s = 2^-n. The digits of s that s + 1 has no
** room for are added to y. The largest error found in tests is 1.6 ulp. */
INLINE float m_sigmoid_float32(float x) {
  int32_t n;
  float c = -limit_float32(x, -104.0f, 40.0f);
  float y = expm1_core_float32(exp_reduce_float32(c, &n)), s = pow2_float32(64 - n) * 0x1p-64f, t = s + 1.0f;
  return s / (t + (y + (s - (t - 1.0f))));
}

/* Returns e^x for -87 <= x <= 0. In this range 2^n is not subnormal. */
INLINE float exp_near_float32(float x) {
  int32_t n;
  float core = expm1_core_float32(exp_reduce_float32(x, &n)), s = pow2_float32(n);
  return fma_float32(core, s, s);
}

/* The derivative of x s with s = 1 / (1 + e^-x) is s (1 + x (1 - s)). The error is below 2e-7. */
INLINE float m_silu_slope_float32(float x) {
  float a = abs_float32(x), b = a > 80.0f ? 80.0f : a;
  float e = exp_near_float32(-b), d = 1.0f / (1.0f + e), ed = e * d;
  return (x < 0 ? ed : d) * fma_float32(add_sign_float32(b, x), x < 0 ? d : ed, 1.0f);
}

/* The derivative of gelu. gelu(x) is x Phi(x), and its derivative is Phi(x) + x phi(x), where Phi is the distribution
** function and phi the density of the standard normal distribution. Phi(-a) is approximated by e^(-a^2 / 2)
** P(1 / (1 + p a)), formula 7.1.26 of Abramowitz and Stegun. The error is below 3e-7. */
INLINE float m_gelu_slope_float32(float x) {
  float a = abs_float32(x), b = a > 13.0f ? 13.0f : a;
  float e = exp_near_float32(-0.5f * b * b), t = 1.0f / fma_float32(b, 0.231641888f, 1.0f);
  float p = fma_float32(fma_float32(fma_float32(fma_float32(0.5307027145f, t, -0.7265760135f), t, 0.7107068705f), t,
                                    -0.142248368f), t, 0.127414796f) * t;
  float tail = p * e, slope = b * e * 0.39894228f;
  return x < 0 ? tail - slope : 1.0f - tail + slope;
}

/* For |r| <= 0.35, coshm1_core returns cosh r - 1, and sinh_core returns sinh r. */
INLINE float coshm1_core_float32(float r) {
  float z = r * r;
  return z * POLY32(3, z, 0x1p-1f, 0x1.5554ep-5f, 0x1.6d56f2p-10f);
}
INLINE float sinh_core_float32(float r) {
  float z = r * r;
  return fma_float32(r * z, POLY32(3, z, 0x1.555556p-3f, 0x1.110fe4p-7f, 0x1.a28956p-13f), r);
}

/* With a = n ln 2 + r, s = 2^(n-1) and t = 2^(-n-1):
**      sinh a = (s - t) cosh r + (s + t) sinh r
**      cosh a = (s + t) cosh r + (s - t) sinh r
** If n exceeds 100, s is halved and the result doubled, because s would be infinite at n = 129.
** The largest error found in tests is 1.3 ulp with FMA and 1.7 ulp without FMA. */
INLINE float m_sinh_float32(float x) {
  int32_t n;
  float a = abs_float32(x), r = exp_reduce_float32(a > 89.5f ? 89.5f : a, &n);
  bool top = n > 100;
  float s = pow2_float32(top ? n - 2 : n - 1), t = top ? 0 : pow2_float32(-n - 1);
  float y = (s - t) + fma_float32(s + t, sinh_core_float32(r), (s - t) * coshm1_core_float32(r));
  return add_sign_float32(top ? y + y : y, x);
}

/* The largest error found in tests is 1.8 ulp with FMA and 1.6 ulp without FMA. */
INLINE float m_cosh_float32(float x) {
  int32_t n;
  float a = abs_float32(x), r = exp_reduce_float32(a > 89.5f ? 89.5f : a, &n);
  bool top = n > 100;
  float s = pow2_float32(top ? n - 2 : n - 1), t = top ? 0 : pow2_float32(-n - 1);
  float y = (s + t) + fma_float32(s - t, sinh_core_float32(r), (s + t) * coshm1_core_float32(r));
  return top ? y + y : y;
}

/* Computes tanh x as x + x^3 P(x^2) for |x| < 0.55, otherwise as 1 - 2 / (e^2x + 1). The largest error found in tests
** is 1.3 ulp. */
INLINE float m_tanh_float32(float x) {
  int32_t n;
  float a = abs_float32(x), z = x * x;
  float p = POLY32(5, z, -0x1.55554ap-2f, 0x1.110dp-3f, -0x1.b9235cp-5f, 0x1.5918dcp-6f, -0x1.9a7b74p-8f);
  float r = exp_reduce_float32(a > 10.0f ? 20.0f : a + a, &n);
  float s = pow2_float32(n), e = fma_float32(s, expm1_core_float32(r), s);
  float y = a < 0.55f ? fma_float32(a * z, p, a) : 1.0f - 2.0f / (e + 1.0f);
  return add_sign_float32(y, x);
}

/* ---- logarithms ---- */

/* Returns m and sets *e with x = 2^e m and sqrt(1/2) <= m < sqrt(2). Subnormals are multiplied by 2^23 first. */
INLINE float log_split_float32(float x, int32_t *e) {
  bool tiny = x < 0x1p-126f;
  uint32_t u = bits_float32(tiny ? x * 0x1p23f : x) - 0x3f3504f3u;
  *e = ((int32_t)u >> 23) - (tiny ? 23 : 0);
  return from_bits_float32((u & 0x7fffffu) + 0x3f3504f3u);
}

/* Returns log(1 + f) - f for sqrt(1/2) <= 1 + f < sqrt(2). */
INLINE float log_tail_float32(float f) {
  float z = f * f;
  float p = POLY32(8, f, 0x1.555564p-2f, -0x1.00024p-2f, 0x1.99986cp-3f, -0x1.54666cp-3f,
                   0x1.236212p-3f, -0x1.0e7188p-3f, 0x1.0271dep-3f, -0x1.2d3d7cp-4f);
  return fma_float32(f * z, p, -0.5f * z);
}

/* Returns a logarithm's value for the special cases: -infinity for x = 0, NaN for x < 0, and x for infinity and NaN.
** Returns y for any other x. */
INLINE float log_limits_float32(float x, float y) {
  y = x == INFINITY ? x : y;
  return x > 0 ? y : x == 0 ? -INFINITY : NAN;
}

/* The largest error found in tests is 0.8 ulp. */
INLINE float m_log_float32(float x) {
  int32_t n;
  float f = log_split_float32(x, &n) - 1.0f, e = (float)n;
  float y = f + fma_float32(e, 0x1.0bfbe8p-15f, log_tail_float32(f));
  return log_limits_float32(x, fma_float32(e, 0x1.62ep-1f, y));
}

/* The exponent is added separately, so that the logarithms of powers of two are exact. The largest error found in
** tests is 0.9 ulp with FMA and 1.6 ulp without FMA. */
INLINE float m_log2_float32(float x) {
  int32_t n;
  float f = log_split_float32(x, &n) - 1.0f, t = log_tail_float32(f);
  float y = fma_float32(f, 0x1.4ae0cp-26f, t * 0x1.715476p0f);
  return log_limits_float32(x, (float)n + fma_float32(f, 0x1.715476p0f, y));
}

/* The largest error found in tests is 0.9 ulp with FMA and 1.3 ulp without FMA. */
INLINE float m_log10_float32(float x) {
  int32_t n;
  float f = log_split_float32(x, &n) - 1.0f, e = (float)n, t = log_tail_float32(f);
  float y = fma_float32(e, 0x1.3509f8p-18f, fma_float32(f, -0x1.5b235ep-27f, t * 0x1.bcb7b2p-2f));
  return log_limits_float32(x, fma_float32(e, 0x1.344p-2f, fma_float32(f, 0x1.bcb7b2p-2f, y)));
}

/* Computes log(u) with u = 1 + x = 2^e m. f = m - 1 is computed as 2^-e x + (2^-e - 1), which is rounded once. The
** largest error found in tests is 1.5 ulp. */
INLINE float m_log1p_float32(float x) {
  int32_t n;
  float u = 1.0f + x, m = log_split_float32(u, &n), e = (float)n, s = pow2_float32(-n);
  float f = n == 0 ? x : n > 24 ? m - 1.0f : fma_float32(s, x, s - 1.0f);
  float y = f + fma_float32(e, 0x1.0bfbe8p-15f, log_tail_float32(f));
  return add_sign_float32(log_limits_float32(u, fma_float32(e, 0x1.62ep-1f, y)), x);
}

/* ---- trigonometric functions ---- */

/* Returns r = a - q pi/2 with |r| <= 0.8, for 0 <= a <= TRIG_LIMIT_float32. The last two bits of *q are the
** quadrant. */
#define TRIG_LIMIT_float32 0x1p17f
INLINE float trig_reduce_float32(float a, uint32_t *q) {
  float k = fma_float32(a, 0x1.45f306p-1f, ROUNDER32);
  *q = bits_float32(k);
  k -= ROUNDER32;
#if LT_HAS_FMA
  return fma_float32(k, -0x1.84698ap-48f, fma_float32(k, -0x1.4442dp-24f, fma_float32(k, -0x1.921fb4p0f, a)));
#else
  return (float)(((double)a - (double)k * 0x1.921fb544p0) - (double)k * 0x1.0b4611a626331p-34);
#endif
}

/* Returns the same remainder as trig_reduce_float32, for every float a >= 0, but is slower. 2/pi is stored as seven
** pieces of 29 bits. The product of a and a piece is exact. The product's remainder modulo 4 (one turn) is exact,
** too. */
INLINE double trig_reduce_any(double a, uint32_t *q) {
  static const double two_over_pi[] = {0x1.45f306dp-1, 0x1.9391054p-30, 0x1.4fe13abp-59, 0x1.d1f534dp-88,
                                       0x1.b81b6c5p-117, 0x1.5993c4p-148, 0x1.c820ff2p-175};
  double sum = 0, error = 0;
  for (int i = 0; i < 7; i++) {
    double t = a * two_over_pi[i];
    t -= 4 * m_round_float64(t * 0.25);
    double s = sum + t;
    error += sum_error(sum, t, s);
    sum = s;
  }
  double k = sum + ROUNDER64;
  *q = (uint32_t)bits_float64(k);
  return ((sum - (k - ROUNDER64)) + error) * 0x1.921fb54442d18p0;
}

INLINE float sin_core_float32(float r, float z) {
  return fma_float32(r * z, POLY32(4, z, -0x1.555556p-3f, 0x1.111162p-7f, -0x1.a045a2p-13f, 0x1.77058ep-19f), r);
}
INLINE float cos_core_float32(float z) {
  float p = POLY32(3, z, 0x1.555548p-5f, -0x1.6c0b08p-10f, 0x1.999a6cp-16f);
  return fma_float32(z * z, p, fma_float32(z, -0.5f, 1.0f));
}

/* Returns sin(r + q pi/2). */
INLINE float sin_quadrant_float32(float r, uint32_t q) {
  float z = r * r;
  float y = q & 1 ? cos_core_float32(z) : sin_core_float32(r, z);
  return from_bits_float32(bits_float32(y) ^ (q & 2) << 30);
}

/* Computes sin |x| and adds the sign of x, so that the sine of -0 is -0. The largest error of sin and cos found in
** tests is 1.5 ulp. */
#define SIN_FLOAT32(name, REDUCE)                                                     \
  INLINE float name(float x) {                                                        \
    uint32_t q;                                                                       \
    float r = (float)REDUCE(abs_float32(x), &q);                                      \
    uint32_t y = bits_float32(sin_quadrant_float32(r, q));                            \
    return from_bits_float32(y ^ (bits_float32(x) & 0x80000000u));                    \
  }
#define COS_FLOAT32(name, REDUCE)                                                     \
  INLINE float name(float x) {                                                        \
    uint32_t q;                                                                       \
    float r = (float)REDUCE(abs_float32(x), &q);                                      \
    return sin_quadrant_float32(r, q + 1);                                            \
  }
SIN_FLOAT32(m_sin_float32, trig_reduce_float32)
SIN_FLOAT32(sin_any_float32, trig_reduce_any)
COS_FLOAT32(m_cos_float32, trig_reduce_float32)
COS_FLOAT32(cos_any_float32, trig_reduce_any)

/* Returns asin(s) - s for 0 <= s <= 1/2, where z = s^2. */
INLINE float asin_tail_float32(float s, float z) {
  return s * z * POLY32(6, z, 0x1.55554cp-3f, 0x1.33389ap-4f, 0x1.6cab96p-5f, 0x1.04a6c2p-5f,
                        0x1.d81a22p-7f, 0x1.33a37ep-5f);
}

/* For x > 1/2, asin x is pi/2 - 2 asin(sqrt((1 - x) / 2)). For |x| > 1, the square root is NaN. The largest error
** found in tests is 1.5 ulp. */
INLINE float m_asin_float32(float x) {
  float a = abs_float32(x);
  bool big = a > 0.5f;
  float z = big ? 0.5f - 0.5f * a : a * a, s = big ? BUILTIN(sqrtf)(z) : a;
  float t = asin_tail_float32(s, z);
  float y = big ? 0x1.921fb6p0f - (2.0f * s + (2.0f * t + 0x1.777a5cp-25f)) : s + t;
  return add_sign_float32(y, x);
}

/* The largest error found in tests is 1.0 ulp. */
INLINE float m_acos_float32(float x) {
  float a = abs_float32(x);
  bool big = a > 0.5f;
  float z = big ? 0.5f - 0.5f * a : a * a, s = big ? BUILTIN(sqrtf)(z) : x;
  float t = asin_tail_float32(s, z);
  float y = 2.0f * (s + t);
  y = x < 0 ? 0x1.921fb6p1f - (y + 0x1.777a5cp-24f) : y;
  return big ? y : 0x1.921fb6p0f - (s + (t + 0x1.777a5cp-25f));
}

/* Returns atan(t) for 0 <= t <= 1. */
INLINE float atan_core_float32(float t) {
  float z = t * t;
  float p = POLY32(9, z, -0x1.55553ap-2f, 0x1.9991p-3f, -0x1.24177ap-3f, 0x1.c0318ep-4f, -0x1.570ap-4f,
                   0x1.d6df4p-5f, -0x1.f725a8p-6f, 0x1.5d8a76p-7f, -0x1.c7e326p-10f);
  return fma_float32(t * z, p, t);
}

/* The largest error found in tests is 1.3 ulp. */
INLINE float m_atan_float32(float x) {
  float a = abs_float32(x);
  bool big = a > 1.0f;
  float p = atan_core_float32(big ? 1.0f / a : a);
  return add_sign_float32(big ? 0x1.921fb6p0f - (p + 0x1.777a5cp-25f) : p, x);
}

/* Returns the angle of the point (x, y). Computes atan(smaller / larger) from the absolute values of the coordinates,
** and maps this angle to the octant of the point. The largest error found in tests is 1.5 ulp. */
INLINE float m_atan2_float32(float y, float x) {
  float a = abs_float32(x), b = abs_float32(y);
  bool steep = b > a;
  float high = steep ? b : a, low = steep ? a : b;
  float t = low / high;
  t = high == 0 ? 0 : low == INFINITY ? 1.0f : t;
  float p = atan_core_float32(t);
  p = steep ? 0x1.921fb6p0f - (p + 0x1.777a5cp-25f) : p;
  p = bits_float32(x) >> 31 ? 0x1.921fb6p1f - (p + 0x1.777a5cp-24f) : p;
  p = add_sign_float32(p, y);
  return x != x || y != y ? NAN : p;
}

/* ---- functions computed in double ----
** Their polynomials have the degree that float needs. The result is rounded to float once. */

/* Returns m and sets *e with x = 2^e m and sqrt(1/2) <= m < sqrt(2), for a normal x > 0. */
INLINE double log_split_float64(double x, double *e) {
  uint64_t u = bits_float64(x) + 0x00095f619980c433u;   /* adds the bits of 1 minus the bits of sqrt(1/2) */
  *e = from_bits_float64((u >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
  return from_bits_float64((u & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu);
}

/* Returns log(1 + x) for a finite x > -1, with an error of 2^-32. */
INLINE double log1p_low(double x) {
  double e, u = 1.0 + x, m = log_split_float64(u, &e), f = e == 0 ? x : m - 1.0, z = f * f;
  double p = POLY64(10, f, 0x1.555553cc6c96bp-2, -0x1.ffffd456c1e33p-3, 0x1.999aaed1be662p-3, -0x1.5563cd90881b7p-3,
                    0x1.247d772713c18p-3, -0x1.fccd7be0151f6p-4, 0x1.c5b2b95f4a427p-4, -0x1.bd2ee99a54440p-4,
                    0x1.ac6d914f66fa5p-4, -0x1.d2a9f97c7f6cdp-5);
  return fma_float64(e, 0x1.62e42fefa39efp-1, f + fma_float64(f * z, p, -0.5 * z));
}

/* The largest error found in tests is 0.6 ulp. */
INLINE float m_asinh_float32(float x) {
  double a = (double)abs_float32(x), z = a * a;
  double y = log1p_low(a + z / (1.0 + BUILTIN(sqrt)(1.0 + z)));
  return add_sign_float32(a < INFINITY ? (float)y : abs_float32(x), x);
}

/* The largest error found in tests is 0.5 ulp. */
INLINE float m_acosh_float32(float x) {
  double t = (double)x - 1.0;
  double y = log1p_low(t + BUILTIN(sqrt)(t * (t + 2.0)));
  return x >= 1.0f ? x < INFINITY ? (float)y : x : NAN;
}

/* The largest error found in tests is 0.6 ulp. */
INLINE float m_atanh_float32(float x) {
  float b = abs_float32(x);
  double a = (double)b;
  float y = (float)(0.5 * log1p_low(2.0 * a / (1.0 - a)));
  y = b < 1.0f ? y : b == 1.0f ? INFINITY : NAN;
  return add_sign_float32(y, x);
}

/* Computes erf x as x + x P(x^2) for |x| < 1, otherwise as 1 - e^-q(|x|), where q = -log(erfc). The largest error
** found in tests is 1.0 ulp with FMA and 1.1 ulp without FMA. */
INLINE float m_erf_float32(float x) {
  int32_t n;
  float a = abs_float32(x), z = x * x, b = a > 4.0f ? 4.0f : a;
  float p = POLY32(7, z, 0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2cfp-4f, -0x1.b7f864p-6f, 0x1.53fff8p-8f,
                   -0x1.a3cc6p-11f, 0x1.48f632p-14f);
  float q = POLY32(7, b, 0x1.507d7ep-12f, 0x1.208e56p+0f, 0x1.46a91cp-1f, 0x1.a6ce08p-4f, -0x1.66b54cp-6f,
                   0x1.842d62p-9f, -0x1.89d64ep-13f);
  float r = exp_reduce_float32(-q, &n), s = pow2_float32(n);
  float y = a < 1.0f ? fma_float32(a, p, a) : (1.0f - s) - s * expm1_core_float32(r);
  return add_sign_float32(a > 4.0f ? 1.0f : a == a ? y : x, x);
}

/* The largest error found in tests is 0.5 ulp. */
INLINE float m_hypot_float32(float x, float y) {
  double a = (double)x, b = (double)y;
  bool inf = abs_float32(x) == INFINITY || abs_float32(y) == INFINITY;
  return inf ? INFINITY : (float)BUILTIN(sqrt)(a * a + b * b);
}

/* Returns x^y, where r is |x|^y for a finite |x| > 0. The sign of the result and the special cases follow annex F of
** C99; they are chosen in float, because a vector has twice as many floats as doubles. */
INLINE float pow_limits_float32(float x, float y, float r) {
  float ax = abs_float32(x), end = (ax == 0) == (y < 0) ? INFINITY : 0.0f;     /* the result if |x| is 0 or infinite */
  r = ax == 0 ? end : r;
  r = ax == INFINITY ? end : r;
  float odd = m_trunc_float32(0.5f * y) != 0.5f * y ? sign_float32(x) : 1.0f;
  float fraction = x < 0 ? ax < INFINITY ? NAN : 1.0f : 1.0f;
  r *= m_trunc_float32(y) == y ? odd : fraction;
  r = x != x ? x : r;
  r = y != y ? y : r;
  r = y == 0 ? 1.0f : r;
  return x == 1.0f ? 1.0f : r;
}

/* tan, erfc, gelu, softplus, logaddexp and pow */
#if LT_HAS_FMA
#include "math/float32_fused.h"
#else
#include "math/float32_wide.h"
#endif

#endif
