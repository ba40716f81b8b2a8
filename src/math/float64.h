#ifndef LT_MATH_FLOAT64_H
#define LT_MATH_FLOAT64_H

/* Elementary functions of double, computed like the functions of float32.h. If one more rounding would give an error
** above 2 ulp, an intermediate value is a sum of two doubles (double-double). spec/array/math_spec.lua repeats the
** measurements of all errors given in this file. */

#include "math/float32.h"

/* ---- exponentials ---- */

/* Returns r with x + l = k ln 2 + r and |r| <= 0.35, for |x| < 2^20 and |l| <= 2 ulp(x). Sets *rounded to k +
** ROUNDER64, the form of k that pow2_float64 requires. */
INLINE double exp_reduce_sum(double x, double l, double *rounded) {
  double k = fma_float64(x, 0x1.71547652b82fep0, ROUNDER64);
  *rounded = k;
  k -= ROUNDER64;
  return fma_float64(k, -0x1.62e42fefa38p-1, x) + fma_float64(k, -0x1.ef35793c7673p-45, l);   /* k * 0x1.62e… is
                                                                                              ** exact */
}

INLINE double exp_reduce_float64(double x, double *rounded) {
  double k = fma_float64(x, 0x1.71547652b82fep0, ROUNDER64);
  *rounded = k;
  k -= ROUNDER64;
  return fma_float64(k, -0x1.ef35793c7673p-45, fma_float64(k, -0x1.62e42fefa38p-1, x));
}

/* Like exp_reduce_sum for l = 0, but returns r as the sum of two doubles, the result and *l. */
INLINE double exp_reduce_pair(double x, double *l, double *rounded) {
  double k = fma_float64(x, 0x1.71547652b82fep0, ROUNDER64);
  *rounded = k;
  k -= ROUNDER64;
  double h = fma_float64(k, -0x1.62e42fefa38p-1, x), r = fma_float64(k, -0x1.ef35793c7673p-45, h);
  *l = fma_float64(k, -0x1.ef35793c7673p-45, h - r);
  return r;
}

/* Returns e^r - 1 for |r| <= 0.35. */
INLINE double expm1_core_float64(double r) {
  double p = ESTRIN64(11, r, 0x1p-1, 0x1.5555555555559p-3, 0x1.5555555555557p-5, 0x1.111111110f5abp-7,
                      0x1.6c16c16c15466p-10, 0x1.a01a01b07793p-13, 0x1.a01a01ac2f10bp-16, 0x1.71ddf68a1645bp-19,
                      0x1.27e4cea70122ap-22, 0x1.af625f9ec609ap-26, 0x1.1f883f7208c7ap-29);
  return fma_float64(r * r, p, r);
}

/* Returns y 2^k for |k| < 2000, where `rounded` is k + ROUNDER64. The factor 2^k is split in two, so that the product
** is rounded only once, even if the result is subnormal. */
INLINE double scale_float64(double y, double rounded) {
  double k = rounded - ROUNDER64, half = fma_float64(k, 0.5, ROUNDER64);
  return y * pow2_float64(half) * pow2_float64(k - (half - ROUNDER64) + ROUNDER64);
}

/* Computes e^x as 2^k y with 0.7 < y < 1.42. The exponent bits of y are increased by k. If the result may be
** subnormal, they are increased by 64 more, and a product with 2^-64 rounds the result once. Results beyond the range
** of double are replaced at the end, which delays no other operation. The largest error found in tests is 1.0 ulp. */
INLINE double m_exp_float64(double x) {
  double k, y = expm1_core_float64(exp_reduce_float64(x, &k)) + 1.0;
  bool low = x < -708.0;
  y = from_bits_float64(bits_float64(y) + (bits_float64(k) << 52) + bits_float64(low ? 0x1p-959 : 0));
  y *= low ? 0x1p-64 : 1.0;
  y = x <= 0x1.62e42fefa39efp9 ? y : x * INFINITY;
  return x < -746.0 ? 0 : y;
}

/* The largest error found in tests is 1.9 ulp. */
INLINE double m_expm1_float64(double x) {
  double k, c = limit_float64(x, -50.0, 710.0);
  double e = expm1_core_float64(exp_reduce_float64(c, &k)), s = pow2_float64(k - 1.0);
  double y = fma_float64(s, e, s - 0.5);
  return add_sign_float64(k == ROUNDER64 ? e : y + y, x);
}

/* Computed like m_sigmoid_float32. The largest error found in tests is 1.7 ulp. */
INLINE double m_sigmoid_float64(double x) {
  double k, c = -limit_float64(x, -746.0, 40.0);
  double y = expm1_core_float64(exp_reduce_float64(c, &k));
  double s = pow2_float64((2.0 * ROUNDER64 + 64.0) - k) * 0x1p-64, t = s + 1.0;
  return s / (t + (y + (s - (t - 1.0))));
}

INLINE double coshm1_core_float64(double r) {
  double z = r * r;
  return z * POLY64(6, z, 0x1p-1, 0x1.5555555555558p-5, 0x1.6c16c16c14f95p-10, 0x1.a01a01adbcf39p-16,
                    0x1.27e4cb5435d6ap-22, 0x1.1f8d4d39774bep-29);
}
INLINE double sinh_core_float64(double r) {
  double z = r * r;
  double p = POLY64(5, z, 0x1.5555555555559p-3, 0x1.111111110f5abp-7, 0x1.a01a01b07765ap-13, 0x1.71ddf68a96833p-19,
                    0x1.af625eb630b05p-26);
  return fma_float64(r * z, p, r);
}

/* The largest error found in tests is 1.7 ulp with FMA and 1.8 ulp without FMA. */
INLINE double m_sinh_float64(double x) {
  double k, l, a = abs_float64(x), r = exp_reduce_pair(a > 710.6 ? 710.6 : a, &l, &k);
  bool top = a > 700.0;
  double s = pow2_float64(k - (top ? 2.0 : 1.0)), t = top ? 0 : pow2_float64((ROUNDER64 - 1.0) - (k - ROUNDER64));
  double c = fma_float64(s - t, coshm1_core_float64(r), (s + t) * l);
  double y = (s - t) + fma_float64(s + t, sinh_core_float64(r), c);
  return add_sign_float64(top ? y + y : y, x);
}

/* The largest error found in tests is 1.5 ulp. */
INLINE double m_cosh_float64(double x) {
  double k, a = abs_float64(x), r = exp_reduce_float64(a > 710.6 ? 710.6 : a, &k);
  bool top = a > 700.0;
  double s = pow2_float64(k - (top ? 2.0 : 1.0)), t = top ? 0 : pow2_float64((ROUNDER64 - 1.0) - (k - ROUNDER64));
  double y = (s + t) + fma_float64(s - t, sinh_core_float64(r), (s + t) * coshm1_core_float64(r));
  return top ? y + y : y;
}

/* The largest error found in tests is 1.5 ulp. */
INLINE double m_tanh_float64(double x) {
  double k, a = abs_float64(x), z = x * x;
  double p = POLY64(11, z, -0x1.555555555554fp-2, 0x1.111111111079bp-3, -0x1.ba1ba1b97da3ap-5, 0x1.664f485980badp-6,
                    -0x1.226e2f1757823p-7, 0x1.d6d29c1faf04bp-9, -0x1.7d8fdb472dc3fp-10, 0x1.3483f133836b2p-11,
                    -0x1.e9728951102b3p-13, 0x1.5d7c81247ec3bp-14, -0x1.472592468a24p-16);
  double r = exp_reduce_float64(a > 22.0 ? 44.0 : a + a, &k);
  double s = pow2_float64(k), e = fma_float64(s, expm1_core_float64(r), s);
  double y = a < 0.55 ? fma_float64(a * z, p, a) : 1.0 - 2.0 / (e + 1.0);
  return add_sign_float64(y, x);
}

/* ---- logarithms ---- */

INLINE double log_limits_float64(double x, double y) {
  y = x == INFINITY ? x : y;
  return x > 0 ? y : x == 0 ? -INFINITY : NAN;
}

/* Like log_split_float64, but x may also be subnormal. */
INLINE double log_split_any(double x, double *e) {
  bool tiny = x < 0x1p-1022;
  double m = log_split_float64(tiny ? x * 0x1p54 : x, e);
  *e -= tiny ? 54.0 : 0;
  return m;
}

/* Returns t with log(1 + f) = f - f^2/2 + t, for sqrt(1/2) <= 1 + f < sqrt(2). The argument `half` is f^2/2. With s =
** f / (2 + f), t is s (half + R(s^2)), where R is defined by log((1 + s) / (1 - s)) = 2s + s R(s^2). */
INLINE double log_tail_float64(double f, double half) {
  double s = f / (2.0 + f), z = s * s;
  double p = POLY64(7, z, 0x1.5555555555595p-1, 0x1.999999997f1bp-2, 0x1.249249428d955p-2, 0x1.c71c5190106afp-3,
                    0x1.7466572e2a609p-3, 0x1.399f4f868b3bcp-3, 0x1.2f1db1fd1244ap-3);
  return s * fma_float64(z, p, half);
}

/* The largest error found in tests is 0.8 ulp. */
INLINE double m_log_float64(double x) {
  double e, f = log_split_any(x, &e) - 1.0, half = 0.5 * f * f;
  double t = fma_float64(e, 0x1.ef35793c7673p-45, log_tail_float64(f, half));
  return log_limits_float64(x, fma_float64(e, 0x1.62e42fefa38p-1, f - (half - t)));
}

/* Returns h and sets *l with log(1 + f) = h + *l. h has 21 bits, so that its products with 24-bit numbers are
** exact. */
INLINE double log_parts_float64(double f, double *l) {
  double half = 0.5 * f * f, t = log_tail_float64(f, half);
  double h = from_bits_float64(bits_float64(f - half) & 0xffffffff00000000u);
  *l = ((f - h) - half) + t;
  return h;
}

/* The largest error found in tests is 0.8 ulp. */
INLINE double m_log2_float64(double x) {
  double e, l, h = log_parts_float64(log_split_any(x, &e) - 1.0, &l);
  double a = h * 0x1.715476p0, b = fma_float64(l + h, 0x1.4ae0bf85ddf44p-26, l * 0x1.715476p0);
  double s = e + a;
  return log_limits_float64(x, s + (b + ((e - s) + a)));
}

/* The largest error found in tests is 0.7 ulp. */
INLINE double m_log10_float64(double x) {
  double e, l, h = log_parts_float64(log_split_any(x, &e) - 1.0, &l);
  double a = h * 0x1.bcb7b2p-2, b = fma_float64(l + h, -0x1.5b235e39ab2a9p-27, l * 0x1.bcb7b2p-2);
  double k = e * 0x1.34413509f78p-2, s = k + a;
  return log_limits_float64(x, s + (fma_float64(e, 0x1.fef311f12b358p-46, b) + ((k - s) + a)));
}

/* Returns log((u + l) 2^more), for a normal u with |l| <= ulp(u). */
INLINE double log_sum_float64(double u, double l, double more) {
  double e, g = log_split_float64(u, &e) - 1.0;
  l *= e > 1000.0 ? 0 : pow2_float64(ROUNDER64 - e);
  double f = g + l, rest = (g - f) + l, half = 0.5 * f * f;
  e += more;
  double t = log_tail_float64(f, half) + fma_float64(e, 0x1.ef35793c7673p-45, fma_float64(-rest, f, rest));
  return fma_float64(e, 0x1.62e42fefa38p-1, f - (half - t));
}

/* Returns log(1 + h + l). */
INLINE double log1p_sum_float64(double h, double l) {
  double u = 1.0 + h;
  return log_sum_float64(u, sum_error(1.0, h, u) + l, 0);
}

/* The largest error found in tests is 0.8 ulp. */
INLINE double m_log1p_float64(double x) {
  return add_sign_float64(log_limits_float64(1.0 + x, log1p_sum_float64(x, 0)), x);
}

/* With a = |x|, asinh a is log(1 + a + a^2 / (1 + sqrt(1 + a^2))), and log(2a) for a > 2^28. The largest error found
** in tests is 1.2 ulp. */
INLINE double m_asinh_float64(double x) {
  double a = abs_float64(x), z = a * a, t = z / (1.0 + BUILTIN(sqrt)(1.0 + z));
  bool big = a > 0x1p28;
  double h = a + t, l = (a - h) + t, u = 1.0 + h;
  l += sum_error(1.0, h, u);
  double y = log_sum_float64(big ? a : u, big ? 0 : l, big ? 1.0 : 0);
  return add_sign_float64(a < INFINITY ? y : a, x);
}

/* With t = x - 1, acosh x is log(1 + t + sqrt(t (t + 2))), and log(2x) for x > 2^28. The square root is a sum of two
** doubles. The largest error found in tests is 0.8 ulp. */
INLINE double m_acosh_float64(double x) {
  double t = x - 1.0, w = x + 1.0, p = t * w, s = BUILTIN(sqrt)(p), square = s * s;
  double more = product_error(t, w, p) + t * sum_error(x, 1.0, w);
  double part = ((p - square) - product_error(s, s, square) + more) / (s + s);
  bool big = x > 0x1p28;
  double h = s + t, l = sum_error(s, t, h) + (s == 0 ? 0 : part), u = 1.0 + h;
  l += sum_error(1.0, h, u) + sum_error(x, -1.0, t);
  double y = log_sum_float64(big ? x : u, big ? 0 : l, big ? 1.0 : 0);
  return x >= 1.0 ? x < INFINITY ? y : x : NAN;
}

/* With a = |x|, atanh a is log(1 + 2a / (1 - a)) / 2. The quotient is a sum of two doubles. The largest error found
** in tests is 0.9 ulp. */
INLINE double m_atanh_float64(double x) {
  double a = abs_float64(x), d = 1.0 - a, q = 2.0 * a / d, p = q * d;
  double l = (((2.0 * a - p) - product_error(q, d, p)) - q * sum_error(1.0, -a, d)) / d;
  double y = 0.5 * log1p_sum_float64(q, l);
  y = a < 1.0 ? y : a == 1.0 ? INFINITY : NAN;
  return add_sign_float64(y, x);
}

/* ---- trigonometric functions ---- */

/* Returns r and sets *l with r + *l = a - q pi/2 and |r| <= 0.79, for 0 <= a <= TRIG_LIMIT_float64. The last two bits
** of *q are the quadrant. */
#define TRIG_LIMIT_float64 0x1p20
INLINE double trig_reduce_float64(double a, uint64_t *q, double *l) {
  double k = fma_float64(a, 0x1.45f306dc9c883p-1, ROUNDER64);
  *q = bits_float64(k);
  k -= ROUNDER64;
#if LT_HAS_FMA
  double h = fma_float64(k, -0x1.921fb54442d18p0, a);             /* this product and sum are exact */
  double r = fma_float64(k, -0x1.1a62633145c06p-54, h);
  double t = fma_float64(k, -0x1.1a62633145c06p-54, h - r);
  t = fma_float64(k, -0x1.c1cd129024e09p-107, t);
#else
  double h = a - k * 0x1.921fb544p0, p = k * 0x1.0b4611a6p-34;    /* products of k with these 33-bit pieces are
                                                                  ** exact */
  double r = h - p;
  double t = (((h - r) - p) - k * 0x1.3198a2ep-69) - k * 0x1.b839a252049c1p-104;
#endif
  double s = r + t;
  *l = (r - s) + t;
  return s;
}

/* Like trig_reduce_float64, but slower and for every finite a >= 0 (Payne-Hanek reduction). For a = m * 2^e, the
** product of a and 2/pi modulo 4 depends only on those bits of 2/pi whose value, multiplied by 2^e, is at most 2. */
RARE double trig_reduce_any64(double a, uint64_t *q, double *l) {
  static const uint64_t two_over_pi[] = {   /* 64 zero bits, then the bits of 2/pi */
    0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};
  uint64_t u = bits_float64(a);
  int e = (int)(u >> 52) - 1075;
  if (e < -60 || e > 971) {                 /* numbers below 2^-8 need no reduction; e > 971: infinity or NaN */
    *q = 0;
    *l = 0;
    return e > 0 ? NAN : a;
  }
  uint64_t m = (u & 0xfffffffffffff) | 0x10000000000000, w[3];
  int start = e + 62, word = start / 64, shift = start % 64;
  for (int i = 0; i < 3; i++)
    w[i] = shift ? two_over_pi[word + i] << shift | two_over_pi[word + i + 1] >> (64 - shift) : two_over_pi[word + i];
  uint64_t low = m * w[1], high = m * w[0] + high_product(m, w[1]), more = high_product(m, w[2]);
  high += low + more < low;                 /* bits 62 and 63 of high count quarter turns, and the lower bits are the
                                            ** fraction of a quarter turn */
  low += more;
  *q = (high >> 62) + (high >> 61 & 1);
  high = high << 2 | low >> 62;
  low <<= 2;
  bool negative = high >> 63;               /* rounds to the nearest quarter turn: up if the top bit of the fraction
                                            ** is set */
  high = negative ? ~high + (low == 0) : high;
  low = negative ? 0 - low : low;
  int zeros = leading_zeros(high | 1);      /* `| 1` avoids leading_zeros(0) and changes no result, because no double
                                            ** is that close to a multiple of pi/2 */
  high = zeros ? high << zeros | low >> (64 - zeros) : high;
  low <<= zeros;
  double unit = from_bits_float64((uint64_t)(1023 - 64 - zeros) << 52), sign = negative ? -unit : unit;
  double h = (double)(high & ~(uint64_t)0x7ff) * sign;
  double t = ((double)(high & 0x7ff) + (double)low * 0x1p-64) * sign;
  double r = h * 0x1.921fb54442d18p0;
  double s = product_error(h, 0x1.921fb54442d18p0, r) + (t * 0x1.921fb54442d18p0 + h * 0x1.1a62633145c06p-54);
  *l = s;
  return r;
}

/* sin_tail returns sin(r + l) - r. cos_tail returns cos(r + l) - w, where w = 1 - r^2/2. The argument z is r^2. */
INLINE double sin_tail_float64(double r, double l, double z) {
  double p = POLY64(6, z, -0x1.5555555555548p-3, 0x1.111111110f77cp-7, -0x1.a01a019bf7b7ap-13, 0x1.71de356491ac2p-19,
                    -0x1.ae5e590de2accp-26, 0x1.5d8f9380909ebp-33);
  return fma_float64(r * z, p, fma_float64(-0.5 * z, l, l));
}
INLINE double cos_tail_float64(double r, double l, double z, double w) {
  double p = POLY64(6, z, 0x1.555555555554ap-5, -0x1.6c16c16c14e49p-10, 0x1.a01a019c68736p-16, -0x1.27e4f7d8d8492p-22,
                    0x1.1ee9cca9c9d8bp-29, -0x1.8f9f594e9bc6ap-37);
  return ((1.0 - w) - 0.5 * z) + fma_float64(z * z, p, -r * l);
}

INLINE double sin_quadrant_float64(double r, double l, uint64_t q) {
  double z = r * r, w = 1.0 - 0.5 * z;
  double y = is_odd(q) ? w + cos_tail_float64(r, l, z, w) : r + sin_tail_float64(r, l, z);
  return from_bits_float64(bits_float64(y) ^ (q & 2) << 62);
}

/* Returns tan(r + l) = s / c if q is even, -c / s if q is odd. s, c and the quotient are sums of two doubles. */
INLINE double tan_quadrant_float64(double r, double l, uint64_t q) {
  double z = r * r, w = 1.0 - 0.5 * z;
  double st = sin_tail_float64(r, l, z), ct = cos_tail_float64(r, l, z, w);
  double s = r + st, c = w + ct, sl = (r - s) + st, cl = (w - c) + ct;
  bool odd = is_odd(q);
  double n = odd ? -c : s, nl = odd ? -cl : sl, d = odd ? s : c, dl = odd ? sl : cl;
  double inverse = 1.0 / d, y = n * inverse, p = y * d;
  double rest = ((n - p) - product_error(y, d, p)) + (nl - y * dl);
  return fma_float64(rest, inverse, y);
}

/* Reduces an argument of sin, cos or tan to r + *l. If `any` is true, a may be any finite double >= 0, otherwise a <=
** TRIG_LIMIT_float64. The largest errors found in tests are 0.8 ulp for sin and cos and 1.0 ulp for tan. */
INLINE double trig_reduce(const bool any, double a, uint64_t *q, double *l) {
  return any ? trig_reduce_any64(a, q, l) : trig_reduce_float64(a, q, l);
}
INLINE double sin_reduced(const bool any, double x) {
  uint64_t q;
  double l, r = trig_reduce(any, abs_float64(x), &q, &l);
  uint64_t y = bits_float64(sin_quadrant_float64(r, l, q));
  return from_bits_float64(y ^ (bits_float64(x) & 0x8000000000000000u));
}
INLINE double cos_reduced(const bool any, double x) {
  uint64_t q;
  double l, r = trig_reduce(any, abs_float64(x), &q, &l);
  return sin_quadrant_float64(r, l, q + 1);
}
INLINE double tan_reduced(const bool any, double x) {
  uint64_t q;
  double l, r = trig_reduce(any, abs_float64(x), &q, &l);
  uint64_t y = bits_float64(tan_quadrant_float64(r, l, q));
  return from_bits_float64(y ^ (bits_float64(x) & 0x8000000000000000u));
}
INLINE double m_sin_float64(double x) { return sin_reduced(false, x); }
INLINE double m_cos_float64(double x) { return cos_reduced(false, x); }
INLINE double m_tan_float64(double x) { return tan_reduced(false, x); }
INLINE double sin_any_float64(double x) { return sin_reduced(true, x); }
INLINE double cos_any_float64(double x) { return cos_reduced(true, x); }
INLINE double tan_any_float64(double x) { return tan_reduced(true, x); }

INLINE double asin_tail_float64(double s, double z) {
  double p = ESTRIN64(13, z, 0x1.5555555555577p-3, 0x1.333333332e1b5p-4, 0x1.6db6db7209136p-5, 0x1.f1c71a992177fp-6,
                      0x1.6e8bde5eef62bp-6, 0x1.1c49f9e9a1923p-6, 0x1.ca1ea226fce04p-7, 0x1.758d268f2ba9ep-7,
                      0x1.6111c748f1729p-7, 0x1.e878ce6d30065p-9, 0x1.62daa94926753p-6, -0x1.56eedd4982377p-6,
                      0x1.0af379e321ae3p-5);
  return s * z * p;
}

/* The largest error found in tests is 1.6 ulp. */
INLINE double m_asin_float64(double x) {
  double a = abs_float64(x);
  bool big = a > 0.5;
  double z = big ? 0.5 - 0.5 * a : a * a, s = big ? BUILTIN(sqrt)(z) : a;
  double t = asin_tail_float64(s, z);
  double y = big ? 0x1.921fb54442d18p0 - (2.0 * s + (2.0 * t - 0x1.1a62633145c07p-54)) : s + t;
  return add_sign_float64(y, x);
}

/* The largest error found in tests is 1.1 ulp. */
INLINE double m_acos_float64(double x) {
  double a = abs_float64(x);
  bool big = a > 0.5;
  double z = big ? 0.5 - 0.5 * a : a * a, s = big ? BUILTIN(sqrt)(z) : x;
  double t = asin_tail_float64(s, z);
  double y = 2.0 * (s + t);
  y = x < 0 ? 0x1.921fb54442d18p1 - (y - 0x1.1a62633145c07p-53) : y;
  return big ? y : 0x1.921fb54442d18p0 - (s + (t - 0x1.1a62633145c07p-54));
}

INLINE double atan_core_float64(double t) {
  double z = t * t;
  double p = POLY64(20, z, -0x1.555555555551dp-2, 0x1.9999999994b2ap-3, -0x1.249249235b8ddp-3, 0x1.c71c7177f1d92p-4,
                    -0x1.745d112838b2ap-4, 0x1.3b1360a947fb9p-4, -0x1.110e21d2b3095p-4, 0x1.e1b97f3e12242p-5,
                    -0x1.ae55096b9368bp-5, 0x1.82bb636c9849p-5, -0x1.5952abe4777d1p-5, 0x1.2b8aaa1b5cc83p-5,
                    -0x1.e7f86f40667aap-6, 0x1.65cb86b9d2074p-6, -0x1.c2ff531d3802fp-7, 0x1.d14dff356d651p-8,
                    -0x1.73a83d3cf664ep-9, 0x1.aac081129fa99p-11, -0x1.37417c1333f96p-13, 0x1.af3c2dd3bf209p-17);
  return fma_float64(t * z, p, t);
}

/* The largest error found in tests is 1.5 ulp with FMA and 1.6 ulp without FMA. */
INLINE double m_atan_float64(double x) {
  double a = abs_float64(x);
  bool big = a > 1.0;
  double p = atan_core_float64(big ? 1.0 / a : a);
  return add_sign_float64(big ? 0x1.921fb54442d18p0 - (p - 0x1.1a62633145c07p-54) : p, x);
}

/* The largest error found in tests is 1.5 ulp. */
INLINE double m_atan2_float64(double y, double x) {
  double a = abs_float64(x), b = abs_float64(y);
  bool steep = b > a;
  double high = steep ? b : a, low = steep ? a : b;
  double t = low / high;
  t = high == 0 ? 0 : low == INFINITY ? 1.0 : t;
  double p = atan_core_float64(t);
  p = steep ? 0x1.921fb54442d18p0 - (p - 0x1.1a62633145c07p-54) : p;
  p = sign_float64(x) < 0 ? 0x1.921fb54442d18p1 - (p - 0x1.1a62633145c07p-53) : p;
  p = add_sign_float64(p, y);
  return x != x || y != y ? NAN : p;
}

/* ---- special functions ---- */

/* Returns y and sets *rest and *rounded with e^-(h + l) T(a) = (y + *rest) 2^k, where *rounded is k + ROUNDER64. T(a)
** is erfc(2a/c) e^(4a^2/c^2) with c = ch + cl. T(a) is computed as t P(w) with t = c / (a + c) and w = (c - a) / (a +
** c). */
INLINE double erfc_core(double a, double ch, double cl, double h, double l, double *rest, double *rounded) {
  double n = ch - a, nl = sum_error(ch, -a, n) + cl, d = ch + a, dl = sum_error(ch, a, d) + cl;
  double inverse = 1.0 / d, w = n * inverse, t = ch * inverse, wd = w * d, td = t * d;
  double wl = ((n - wd) - product_error(w, d, wd) + (nl - w * dl)) * inverse;
  double tl = ((ch - td) - product_error(t, d, td) + (cl - t * dl)) * inverse;
  double q = ESTRIN64(24, w, 0x1.1e2deea6b113bp-3, 0x1.2a88e6107cd28p-6, -0x1.606e41551e99bp-7,
                    -0x1.a89eaff7cc8aap-9, 0x1.9517bb68c5ce2p-10, 0x1.b6fbf93fb3cdcp-12, -0x1.5ba436d490a38p-12,
                    -0x1.2053d82a92dcfp-16, 0x1.2ef9fda75deb9p-14, -0x1.1e77cb5120308p-16, -0x1.6bfa85dfbc54bp-17,
                    0x1.0e83d6952ec67p-17, -0x1.2f7d513f6c833p-21, -0x1.ea2615c4fc307p-20, 0x1.0e72dd7d99387p-20,
                    0x1.9c0bcb527a606p-28, -0x1.3fa16098ced4bp-22, 0x1.4c2df083ca1cfp-23, 0x1.cf14405e9644ap-27,
                    -0x1.b58257481e7d0p-25, 0x1.200f36a8517b8p-26, 0x1.447fb60f2c0dfp-28, -0x1.10276bd64cd17p-28,
                    0x1.61fb300ff6014p-31);
  double slope = fma_float64(w, 0x1.1e2deea6b113bp-2, 0x1.5fd386754effap-2);        /* approximates the derivative of
                                                                                    ** P */
  double wq = w * q, b = 0x1.5fd386754effap-2 + wq, bl = ((0x1.5fd386754effap-2 - b) + wq) + product_error(w, q, wq);
  double wb = w * b, p = 0x1.058671b52c776p-1 + wb, pl = ((0x1.058671b52c776p-1 - p) + wb) + product_error(w, b, wb);
  pl = fma_float64(wl, slope, fma_float64(w, bl, pl));
  double y = t * p, yl = product_error(t, p, y) + fma_float64(t, pl, tl * p);
  double r = exp_reduce_sum(-h, -l, rounded);
  double e = expm1_core_float64(r);
  *rest = fma_float64(y, e, fma_float64(yl, e, yl));
  return y;
}

/* The largest error found in tests is 1.5 ulp. */
INLINE double m_erfc_float64(double x) {
  double k, rest, a = abs_float64(x), b = a > 27.5 ? 27.5 : a, h = b * b;
  double y = erfc_core(b, 2.0, 0, h, product_error(b, b, h), &rest, &k);
  y = scale_float64(y + rest, k);
  return x != x ? x : x < 0 ? 2.0 - y : y;
}

/* Computed like m_erf_float32. The polynomial q is fitted in b - 2, with an error that grows with q, because an error
** of q counts less as e^-q falls. The largest error found in tests is 1.5 ulp with FMA and 1.8 ulp without FMA. */
INLINE double m_erf_float64(double x) {
  double k, a = abs_float64(x), z = x * x, b = abs_to_float64(x, 6.0);
  double p = POLY64(12, z, 0x1.06eba8214db68p-3, -0x1.812746b0379b1p-2, 0x1.ce2f21a04082ep-4, -0x1.b82ce311eba87p-6,
                    0x1.565bccf799747p-8, -0x1.c02db00a57409p-11, 0x1.f9a2b66d6722ep-14, -0x1.f4ca131f54269p-17,
                    0x1.b97dc8876c8d6p-20, -0x1.5bfba3d117c4cp-23, 0x1.d6d12f4fa9961p-27, -0x1.aae0401af17fp-31);
  double q = ESTRIN64(17, b - 2.0, 0x1.575b329b1f51p+2, 0x1.1ac3258a8dbcfp+2, 0x1.d8f5dece92afcp-1,
                      0x1.0dc3b5fc0b801p-6, -0x1.d406b36e3c63ep-9, 0x1.7ffcfa29c229dp-11, -0x1.1bc3ac177a3c5p-13,
                      0x1.5b65e48c794fp-16, -0x1.05fe3b3a04fbap-19, -0x1.b5a3a68a1dfffp-23, 0x1.733f0a244f804p-23,
                      -0x1.ef69382521f56p-25, 0x1.e9119f88959a6p-27, -0x1.67f62f7d280a9p-29, 0x1.4e9692d43df9cp-33,
                      0x1.718154a9200d9p-34, -0x1.317d8fbe90c92p-36);
  double r = exp_reduce_float64(-q, &k), s = pow2_float64(k);
  double y = a < 1.0 ? fma_float64(a, p, a) : (1.0 - s) - s * expm1_core_float64(r);
  return add_sign_float64(a == a ? y : x, x);
}

/* Computes x Phi(x) as max(x, 0) - |x| Phi(-|x|) with the normal distribution function Phi, where Phi(-a) = erfc(a /
** sqrt 2) / 2. The factor 2^k is applied after the multiplication by x, because Phi may be subnormal where x Phi is
** not. The largest error found in tests is 1.7 ulp. */
INLINE double m_gelu_float64(double x) {
  double k, rest, b = abs_to_float64(x, 39.0), h = b * b, half = 0.5 * b;
  double y = erfc_core(b, 0x1.6a09e667f3bcdp1, -0x1.bdd3413b26456p-53, 0.5 * h, 0.5 * product_error(b, b, h),
                       &rest, &k);
  double p = half * y, left = scale_float64(p + fma_float64(half, rest, product_error(half, y, p)), k);
  return add_sign_float64((x < 0 ? 0 : x) - left, x);
}

/* Both arguments are scaled by a power of two if their squares would overflow or lose bits. The largest error found
** in tests is 1.2 ulp. */
INLINE double m_hypot_float64(double x, double y) {
  double a = abs_float64(x), b = abs_float64(y), high = a > b ? a : b;
  double s = high > 0x1p500 ? 0x1p-600 : high < 0x1p-400 ? 0x1p600 : 1.0;
  double u = s == 0x1p-600 ? 0x1p600 : s == 0x1p600 ? 0x1p-600 : 1.0;
  a *= s;
  b *= s;
  double r = BUILTIN(sqrt)(a * a + b * b) * u;
  return a == INFINITY || b == INFINITY ? INFINITY : r;
}

/* Returns log(1 + e^(x + l)) for x <= 0 and |l| <= ulp(x). With e = e^x and s = e / (2 + e), the logarithm of 1 + e is
** e - (half - s (half + R(s^2))), where half is e^2/2. R is the function of log_tail_float64, fitted for e <= 1. The
** error el of e, times about 1 - 3/2 s, is added. */
INLINE double log1p_exp_float64(double x, double l) {
  double k, y = expm1_core_float64(exp_reduce_float64(x < -746.0 ? -746.0 : x, &k)), u = 1.0 + y;
  double e = scale_float64(u, k), el = x > -40.0 ? fma_float64(e, l, ((1.0 - u) + y) * pow2_float64(k)) : 0;
  double half = 0.5 * e * e, s = e / (2.0 + e), z = s * s;
  double p = POLY64(10, z, 0x1.5555555555555p-1, 0x1.999999999a3ddp-2, 0x1.24924923d44c6p-2, 0x1.c71c727143318p-3,
                    0x1.745cf0b0e03bdp-3, 0x1.3b18b294bebf9p-3, 0x1.10ac75dc602b1p-3, 0x1.eb905e8575054p-4,
                    0x1.687a6e7c95176p-4, 0x1.4b0a26c5f2aefp-3);
  return e - (half - fma_float64(s, fma_float64(z, p, half), fma_float64(-1.5 * s, el, el)));
}

/* Computes log(e^x + e^y) as the larger argument + log(1 + e^-|x - y|). If the two terms have different signs, digits may
** cancel. The largest error found in tests is 2.5 ulp of the larger argument. */
INLINE double m_logaddexp_float64(double x, double y) {
  double high = y > x ? y : x, low = y > x ? x : y, d = low - high;
  double r = high + log1p_exp_float64(high == low ? 0 : d, sum_error(low, -high, d));
  r = abs_float64(high) == INFINITY ? high : r;
  return low != low ? low : r;
}

/* The largest error found in tests is 1.5 ulp. */
INLINE double m_softplus_float64(double x) { return (x > 0 ? x : 0) + log1p_exp_float64(-abs_float64(x), 0); }

/* ---- powers ---- */

/* Returns h and sets *l with h + *l = log x, for 0 < x < infinity, with an error of 2^-64. With x = 2^e m and s = (m
** - 1) / (m + 1), log x is 2s + s^3 (2/3 + s^2 P(s^2)) + e ln 2. */
INLINE double log_pair(double x, double *l) {
  double e, m = log_split_any(x, &e), f = m - 1.0, d = m + 1.0;
  double s = f / d, sd = s * d, sl = (((f - sd) - product_error(s, d, sd)) - s * sum_error(m, 1.0, d)) / d;
  double z = s * s, zl = product_error(s, s, z) + 2.0 * s * sl;
  double zp = z * POLY64(8, z, 0x1.9999999999995p-2, 0x1.2492492493157p-2, 0x1.c71c71c562ddfp-3, 0x1.745d183ecbb8bp-3,
                         0x1.3b135fb98e523p-3, 0x1.11211e69cf5fcp-3, 0x1.de241ae30940ep-4, 0x1.eb881d3c7eb44p-4);
  double v = 0x1.5555555555555p-1 + zp, vl = ((0x1.5555555555555p-1 - v) + zp) + 0x1.5555555555555p-55;
  double w = s * z, wl = product_error(s, z, w) + fma_float64(s, zl, sl * z);
  double t = w * v, tl = product_error(w, v, t) + fma_float64(w, vl, wl * v);
  double a = 2.0 * s + t, al = ((2.0 * s - a) + t) + (2.0 * sl + tl);
  double k = e * 0x1.62e42fefa38p-1, b = k + a, bl = ((k - b) + a) + fma_float64(e, 0x1.ef35793c7673p-45, al);
  double h = b + bl;
  *l = (b - h) + bl;
  return h;
}

/* silu_slope is the derivative of x / (1 + e^-x). gelu_slope is the derivative of x Phi(x), where Phi is the normal
** distribution function. */
INLINE double m_silu_slope_float64(double x) {
  double a = abs_float64(x), b = a > 700.0 ? 700.0 : a, e = m_exp_float64(-b), d = 1.0 / (1.0 + e);
  return (x < 0 ? e * d : d) * (1.0 + add_sign_float64(b, x) * (x < 0 ? d : e * d));
}
INLINE double m_gelu_slope_float64(double x) {
  double a = abs_float64(x), b = a > 40.0 ? 40.0 : a, slope = add_sign_float64(b * m_exp_float64(-0.5 * b * b), x);
  return 0.5 + 0.5 * m_erf_float64(x * 0x1.6a09e667f3bcdp-1) + slope * 0x1.9884533d43651p-2;
}

/* The largest error found in tests is 1.0 ulp. */
INLINE double m_pow_float64(double x, double y) {
  double l, a = abs_float64(x), h = log_pair(a, &l);
  double t = h * y, tl = product_error(h, y, t) + l * y;
  bool grows = (a > 1.0) == (y > 0);
  bool far = !(abs_float64(t) < 800.0) || a == 0 || a == INFINITY;
  t = a == 1.0 ? 0 : far ? (grows ? 800.0 : -800.0) : t;
  tl = far || a == 1.0 ? 0 : tl;
  double k, r = exp_reduce_sum(t, tl, &k);
  r = scale_float64(expm1_core_float64(r) + 1.0, k);
  double whole = m_trunc_float64(y), half = 0.5 * y;
  r *= whole != y ? 1.0 : m_trunc_float64(half) != half ? sign_float64(x) : 1.0;
  r = x < 0 ? whole != y ? a < INFINITY ? NAN : r : r : r;
  r = x != x ? x : y != y ? y : r;
  return x == 1.0 ? 1.0 : y == 0 ? 1.0 : r;
}

#endif
