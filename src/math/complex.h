#ifndef LT_MATH_COMPLEX_H
#define LT_MATH_COMPLEX_H

/* Functions of complex numbers z = x + iy. Functions that need a series, such as exp and log, are computed in
** double. For complex64 their results are then rounded once to float. All functions are correct for every pair of x
** and y. At zeros, infinities, NaN and on both sides of a branch cut they follow annex G of the C standard and the
** tables of the Python array API standard.
**
** "eps" in a comment is the error of a complex128 result: |result - exact| / |exact| in units of 2^-52. The error of
** complex64 results is at most 0.8 in units of 2^-23. spec/array/complex_math_spec.lua repeats the measurement of
** both errors. */

#include "math/float64.h"

/* Returns a scale for numbers with absolute values up to `high`, such that the squares of the scaled numbers neither
** overflow nor lose bits: 2^-600 above 2^500, 2^600 below 2^-400, otherwise 1. */
INLINE double safe_scale(double high) { return high > 0x1p500 ? 0x1p-600 : high < 0x1p-400 ? 0x1p600 : 1.0; }

INLINE double limited(double x, double most) { return x > most ? most : x < -most ? -most : x; }

/* ---- exponentials ---- */

/* Returns sin y and sets *cosine to cos y, for any y. */
INLINE double sine_cosine(double y, double *cosine) {
  uint64_t q;
  double l, r, a = abs_float64(y);
  if (a <= TRIG_LIMIT_float64) r = trig_reduce_float64(a, &q, &l);
  else r = trig_reduce_any64(a, &q, &l);
  *cosine = sin_quadrant_float64(r, l, q + 1);
  return from_bits_float64(bits_float64(sin_quadrant_float64(r, l, q)) ^ (bits_float64(y) & 0x8000000000000000u));
}

/* Splits e^x into f * 2^k: returns f and sets *rounded to k + ROUNDER64. x is clamped to -746 … 1460. Beyond
** these limits, e^x times a sine other than 0 is 0 or infinite. */
INLINE double exp_split(double x, double *rounded) {
  double c = x < -746.0 ? -746.0 : x > 1460.0 ? 1460.0 : x;
  return expm1_core_float64(exp_reduce_float64(c, rounded)) + 1.0;
}

/* Returns s e 2^k for a sine s, where `rounded` is k + ROUNDER64. The factor 2^k is split in three, because 2^k may
** overflow while the product with a tiny s does not. */
INLINE double times_exp(double s, double e, double rounded) {
  double k = rounded - ROUNDER64, third = fma_float64(k, 0x1.5555555555555p-2, ROUNDER64), f = pow2_float64(third);
  return s * f * e * f * pow2_float64(k - 2.0 * (third - ROUNDER64) + ROUNDER64);
}

/* Computes e^x (cos y + i sin y). The largest error found in tests is 1.1 eps. */
RARE complex128_t exp_parts(double x, double y) {
  double k, c, s = sine_cosine(y, &c), e = exp_split(x, &k);
  if (c != c && abs_float64(x) == INFINITY) return x < 0 ? make_complex128(0, 0) : make_complex128(INFINITY, NAN);
  return make_complex128(times_exp(c, e, k), y == 0 ? y : times_exp(s, e, k));
}

/* Computes e^z - 1 for z = x + iy as (e^x - 1) - 2 e^x sin^2(y/2) + i e^x sin y. The largest error found in tests is
** 2.2 eps. */
RARE complex128_t expm1_parts(double x, double y) {
  if (!(abs_float64(x) < 40.0)) {
    complex128_t e = exp_parts(x, y);
    return make_complex128(real_complex128(e) - 1.0, imag_complex128(e));
  }
  double k, c, h = sine_cosine(0.5 * y, &c), r = expm1_core_float64(exp_reduce_float64(x, &k)), s = pow2_float64(k);
  double e = fma_float64(s, r, s);
  return make_complex128(fma_float64(s, r, s - 1.0) - 2.0 * e * h * h, y == 0 ? y : 2.0 * e * h * c);
}

/* Computes 1 / (1 + e^-z). With c = cos(y/2), s = sin(y/2) and q = e^-|x|, the denominator is (1 + q) c + i (1 - q)
** s, up to a factor e^(z/2). The parts of this denominator have no cancellation, even close to a pole. The largest
** error found in tests is 2.1 eps. */
RARE complex128_t sigmoid_parts(double x, double y) {
  double k, c, s = sine_cosine(0.5 * y, &c), a = abs_float64(x);
  if (a == INFINITY) return make_complex128(x > 0 ? 1.0 : 0, 0);
  double r = expm1_core_float64(exp_reduce_float64(a > 746.0 ? -746.0 : -a, &k)), t = pow2_float64(k);
  double q = scale_float64(r + 1.0, k), p = a > 40.0 ? 1.0 : (1.0 - t) - t * r;
  double u = (1.0 + q) * c, v = p * s, d = u * u + v * v;
  return make_complex128((x < 0 ? q * (u * c - v * s) : u * c + v * s) / d, y == 0 ? y : 2.0 * q * s * c / d);
}

/* ---- hyperbolic and trigonometric functions ----
** The formulas sin z = -i sinh iz and tan z = -i tanh iz only exchange the real and the imaginary parts. */

/* Returns `product`. But if `product` is NaN and x or y is 0, returns 0 with the sign of x * y. */
INLINE double zero_or(double product, double x, double y) {
  double zero = add_sign_float64(0, sign_float64(x) * sign_float64(y));
  return product != product && (x == 0 || y == 0) ? zero : product;
}

/* Computes sinh x cos y + i cosh x sin y. The largest error found in tests is 1.3 eps. */
RARE complex128_t sinh_parts(double x, double y) {
  double c, s = sine_cosine(y, &c), a = abs_float64(x), re, im;
  if (a < 40.0) {
    re = m_sinh_float64(x) * c;
    im = m_cosh_float64(x) * s;
  } else {                                                  /* e^-2|x| is negligible */
    double k, e = exp_split(a, &k);
    re = times_exp(c, add_sign_float64(e, x), k - 1.0);
    im = times_exp(s, e, k - 1.0);
  }
  re = c != c && (x == 0 || a == INFINITY) ? x : re;
  return make_complex128(re, y == 0 ? y : im);
}

/* Computes cosh x cos y + i sinh x sin y. The largest error found in tests is 1.3 eps. */
RARE complex128_t cosh_parts(double x, double y) {
  double c, s = sine_cosine(y, &c), a = abs_float64(x), re, im;
  if (a < 40.0) {
    re = m_cosh_float64(x) * c;
    im = m_sinh_float64(x) * s;
  } else {
    double k, e = exp_split(a, &k);
    re = times_exp(c, e, k - 1.0);
    im = times_exp(s, add_sign_float64(e, x), k - 1.0);
  }
  return make_complex128(c != c && a == INFINITY ? a : re, zero_or(im, x, y));
}

/* Computes (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y). For |x| > 22 the result is ±1 + 4i sin y cos y
** e^-2|x|. The largest error found in tests is 2.1 eps. */
RARE complex128_t tanh_parts(double x, double y) {
  double c, s = sine_cosine(y, &c), a = abs_float64(x), sc = s * c;
  if (a > 22.0) {
    bool known = abs_float64(y) < INFINITY || a == INFINITY;
    double im = 4.0 * sc * m_exp_float64(-2.0 * a);
    return make_complex128(known ? sign_float64(x) : NAN, im != im && known ? add_sign_float64(0, y) : im);
  }
  double sh = m_sinh_float64(x), d = sh * sh + c * c;
  double re = sh * m_cosh_float64(x) / d;
  return make_complex128(x == 0 ? x : re, y == 0 ? y : sc / d);
}

INLINE complex128_t exchanged(complex128_t z) { return make_complex128(imag_complex128(z), real_complex128(z)); }
INLINE complex128_t sin_parts(double x, double y) { return exchanged(sinh_parts(y, x)); }
INLINE complex128_t cos_parts(double x, double y) { return cosh_parts(-y, x); }
INLINE complex128_t tan_parts(double x, double y) { return exchanged(tanh_parts(y, x)); }

/* ---- logarithms ---- */

/* Returns log|x + l + iy| for |l| <= ulp(x). The square of the absolute value is a sum of two doubles, so that no
** digits are lost near 1. The largest error of log and log1p found in tests is 1.0 eps. */
RARE double log_abs(double x, double l, double y) {
  double a = abs_float64(x), b = abs_float64(y), high = a > b ? a : b;
  double s = safe_scale(high), more = s < 1.0 ? 1200.0 : s > 1.0 ? -1200.0 : 0;
  double u = x * s, v = y * s, p = u * u, q = v * v, sum = p + q;
  double low = sum_error(p, q, sum) + (product_error(u, u, p) + product_error(v, v, q) + 2.0 * u * (l * s));
  double h = sum + low;
  double r = 0.5 * log_sum_float64(h, (sum - h) + low, more);
  r = x != x || y != y ? NAN : high == 0 ? -INFINITY : r;
  return a == INFINITY || b == INFINITY ? INFINITY : r;
}

RARE complex128_t log_parts(double x, double y) {
  return make_complex128(log_abs(x, 0, y), m_atan2_float64(y, x));
}

RARE complex128_t log1p_parts(double x, double y) {
  double u = 1.0 + x, l = sum_error(1.0, x, u);
  return make_complex128(log_abs(u, l, y), m_atan2_float64(y, u));
}

/* If x or y is 0, the real part is the real logarithm of |x| + |y|, which is exact for powers of the base. The
** largest error found in tests is 1.1 eps. */
#define LOG_TO_BASE(name, inverse)                                                                 \
  RARE complex128_t name##_parts(double x, double y) {                                             \
    double a = abs_float64(x), b = abs_float64(y);                                                 \
    double re = a == 0 || b == 0 ? m_##name##_float64(a + b) : log_abs(x, 0, y) * inverse;         \
    return make_complex128(re, m_atan2_float64(y, x) * inverse);                                   \
  }
LOG_TO_BASE(log2, 0x1.71547652b82fep0)
LOG_TO_BASE(log10, 0x1.bcb7b1526e50ep-2)

/* ---- roots ---- */

/* With p = sqrt((|x| + |z|) / 2) and q = y / 2p, the square root is p + iq for x >= 0. For x < 0 the root is |q| +
** ip, and the imaginary part has y's sign. The largest error found in tests is 1.2 eps. */
RARE complex128_t sqrt_parts(double x, double y) {
  double a = abs_float64(x), b = abs_float64(y), high = a > b ? a : b;
  if (b == INFINITY) return make_complex128(INFINITY, y);
  if (a == 0 && b == 0) return make_complex128(0, y);
  double s = safe_scale(high), back = s < 1.0 ? 0x1p300 : s > 1.0 ? 0x1p-300 : 1.0, u = a * s, v = b * s;
  double p = a == INFINITY ? a : back * BUILTIN(sqrt)(0.5 * (u + BUILTIN(sqrt)(u * u + v * v))), q = b / (p + p);
  return x < 0 ? make_complex128(q, add_sign_float64(p, y)) : make_complex128(p, add_sign_float64(q, y));
}

/* ---- inverse functions ---- */

/* Kahan's formulas, in which no digits cancel ("Branch cuts for complex elementary functions", 1987). For x, y >= 0,
** let p - iq = sqrt(1 - z) and c + id = sqrt(1 + z). Then asin z = atan2(x, pc + qd) + i asinh(pd + qc) and acos z =
** 2 atan2(p, c) - i asinh(pd + qc). The function returns asinh(pd + qc) and sets *w to pc + qd. The largest error of
** acos found in tests is 1.4 eps. */
INLINE double arc_parts(double x, double y, double *w, double *p, double *c) {
  complex128_t near_root = sqrt_parts(1.0 - x, y), far_root = sqrt_parts(1.0 + x, y);
  double q = imag_complex128(near_root), d = imag_complex128(far_root);
  *p = real_complex128(near_root);
  *c = real_complex128(far_root);
  *w = *p * *c + q * d;
  return x < 0x1p-28 && y < 0x1p-28 ? y : m_asinh_float64(*p * d + q * *c);
}

/* Computes asinh z as i asin(-iz). If |x| or |y| is 2^60 or more, asinh z is log 2z. The largest error found in tests
** is 1.7 eps. */
RARE complex128_t asinh_parts(double x, double y) {
  double a = abs_float64(x), b = abs_float64(y), re, im;
  if (!(a < 0x1p60 && b < 0x1p60)) {
    re = log_abs(x, 0, y) + 0x1.62e42fefa39efp-1;
    im = y == 0 ? y : m_atan2_float64(y, a);
  } else if (a < 0x1p-28 && b < 0x1p-28) {
    return make_complex128(x, y);
  } else {
    double w, p, c;
    re = arc_parts(b, a, &w, &p, &c);
    im = m_atan2_float64(b, w);
  }
  return make_complex128(add_sign_float64(re, x), add_sign_float64(im, y));
}
INLINE complex128_t asin_parts(double x, double y) { return exchanged(asinh_parts(y, x)); }

RARE complex128_t acos_parts(double x, double y) {
  double a = abs_float64(x), b = abs_float64(y), re, im;
  if (!(a < 0x1p60 && b < 0x1p60)) {
    re = x == 0 && y != y ? 0x1.921fb54442d18p0 : m_atan2_float64(b, x);
    im = log_abs(x, 0, y) + 0x1.62e42fefa39efp-1;
  } else {
    double w, p, c;
    im = arc_parts(a, b, &w, &p, &c);
    re = 2.0 * (x < 0 ? m_atan2_float64(c, p) : m_atan2_float64(p, c));
  }
  return make_complex128(re, -im * sign_float64(y));
}

/* acosh z is i acos z or -i acos z. The sign is chosen such that the real part is not negative. */
INLINE complex128_t acosh_parts(double x, double y) {
  complex128_t w = acos_parts(x, y);
  return make_complex128(abs_float64(imag_complex128(w)), add_sign_float64(real_complex128(w), y));
}

/* Computes log1p(4x / ((1 - x)^2 + y^2)) / 4 + i atan2(2y, (1 - x)(1 + x) - y^2) / 2. If |x| or |y| is 2^60 or more,
** the result is 1 / z + i pi/2. The largest error found in tests is 1.6 eps. */
RARE complex128_t atanh_parts(double x, double y) {
  double a = abs_float64(x), b = abs_float64(y), high = a > b ? a : b, re, im;
  if (!(a < 0x1p60 && b < 0x1p60)) {
    double u = a / high, v = b / high;
    re = a == 0 || a == INFINITY || b == INFINITY ? 0 : u / (u * u + v * v) / high;
    im = y != y || (x != x && b < INFINITY) ? NAN : 0x1.921fb54442d18p0;
  } else {
    double d = 1.0 - a, t = 4.0 * a / (d * d + b * b);
    re = a == 1.0 && b < 0x1p-500 ? 0.5 * (0x1.62e42fefa39efp-1 - m_log_float64(b)) : 0.25 * m_log1p_float64(t);
    im = 0.5 * m_atan2_float64(2.0 * b, d * (1.0 + a) - b * b);
  }
  return make_complex128(add_sign_float64(re, x), add_sign_float64(im, y));
}
INLINE complex128_t atan_parts(double x, double y) { return exchanged(atanh_parts(y, x)); }

/* ---- division and powers ---- */

/* Computes (a + ib) / (c + id) of floats. Infinite parts are replaced by 2^880. The rounding to float then gives an
** infinite quotient, or 0 if the divisor was infinite. */
INLINE complex128_t div_floats(double a, double b, double c, double d) {
  a = limited(a, 0x1p880);
  b = limited(b, 0x1p880);
  c = limited(c, 0x1p880);
  d = limited(d, 0x1p880);
  double s = c * c + d * d, inverse = 1.0 / s, far = add_sign_float64(INFINITY, c);
  double re = (rounded_product_float64(a, c) + b * d) * inverse;
  double im = (rounded_product_float64(b, c) - a * d) * inverse;
  return make_complex128(s == 0 ? far * a : re, s == 0 ? far * b : im);
}

/* Computes (a + ib) / (c + id) of doubles by Smith's method ("Algorithm 116: Complex division", 1962). If the divisor
** is real, the parts of the result are exactly the rounded quotients. Dividend and divisor are scaled if their parts
** are above 2^500 or below 2^-400. The largest error found in tests is 1.4 eps. */
INLINE double div_scale(double high) { return high > 0x1p500 ? 0x1p-500 : high < 0x1p-400 ? 0x1p500 : 1.0; }
INLINE complex128_t div_doubles(double a, double b, double c, double d) {
  double ah = abs_float64(a), bh = abs_float64(b), ch = abs_float64(c), dh = abs_float64(d);
  bool turned = ch < dh;                      /* true: dividend and divisor are multiplied by -i */
  double over = ah > bh ? ah : bh, under = turned ? dh : ch, far = add_sign_float64(INFINITY, c);
  double s = div_scale(over), t = div_scale(under), unscale = from_bits_float64(0x7fe0000000000000u - bits_float64(s));
  double u = limited((turned ? b : a) * s, 0x1p600), v = limited((turned ? -a : b) * s, 0x1p600);
  double w = limited((turned ? d : c) * t, 0x1p600), r = limited((turned ? -c : d) * t, 0x1p600);
  double ratio = r / w, e = w + r * ratio;
  double back = (under == INFINITY ? 0 : t) * (over == INFINITY ? over : unscale);
  double re = (u + v * ratio) / e * back, im = (v - u * ratio) / e * back;
  return make_complex128(under == 0 ? far * a : re, under == 0 ? far * b : im);
}

/* A double_pair is the number h + l. pair_products returns a b + c d. */
typedef struct { double h, l; } double_pair;
INLINE double_pair pair_products(double_pair a, double_pair b, double_pair c, double_pair d) {
  double p = a.h * b.h, q = c.h * d.h, s = p + q;
  double l = sum_error(p, q, s) + (product_error(a.h, b.h, p) + product_error(c.h, d.h, q));
  l += (a.h * b.l + a.l * b.h) + (c.h * d.l + c.l * d.h);
  double_pair r = {s + l, 0};
  r.l = (s - r.h) + l;
  return r;
}

/* Returns z^n for a finite z and an integer n with 1 <= |n| <= 256. z is scaled by a power of two to an absolute
** value of about 1, powers are computed as sums of two doubles, and the result is rounded once. The largest error
** found in tests is 1.1 eps. */
RARE complex128_t power_whole(double x, double y, double n) {
  double e, high = abs_float64(x) > abs_float64(y) ? abs_float64(x) : abs_float64(y);
  log_split_any(high, &e);
  double_pair u = {scale_float64(x, ROUNDER64 - e), 0}, v = {scale_float64(y, ROUNDER64 - e), 0};
  double_pair re = {1.0, 0}, im = {0, 0};
  for (int m = (int)abs_float64(n);; m >>= 1) {
    double_pair minus = {-v.h, -v.l};
    if (m & 1) {
      double_pair t = pair_products(re, u, im, minus);
      im = pair_products(re, v, im, u);
      re = t;
    }
    if (m < 2) break;
    double_pair t = pair_products(u, u, v, minus);
    v = pair_products(u, v, u, v);
    u = t;
  }
  complex128_t r = make_complex128(re.h, im.h);
  if (n < 0) r = div_doubles(1.0, 0, re.h, im.h);
  double k = e * n;
  k = (k > 2000.0 ? 2000.0 : k < -2000.0 ? -2000.0 : k) + ROUNDER64;
  return make_complex128(times_exp(real_complex128(r), 1.0, k), times_exp(imag_complex128(r), 1.0, k));
}

/* Computes (x + iy)^(u + iv). z^0 is 1. 0 to a power with a positive real part is 0, and 0 to a negative real power
** is infinite. Integral powers up to 256 are products. All other powers are e^w with w = (u + iv) log z. The largest
** error found in tests is (2 + |w|) eps. */
RARE complex128_t pow_parts(double x, double y, double u, double v) {
  bool real = v == 0;
  if (real && u == 0) return make_complex128(1.0, 0);
  if (x == 0 && y == 0) return u > 0 ? make_complex128(0, 0) : make_complex128(real && u < 0 ? INFINITY : NAN, NAN);
  if (real && y == 0 && x > 0) return make_complex128(m_pow_float64(x, u), add_sign_float64(0, sign_float64(y) * u));
  bool whole = m_trunc_float64(u) == u && abs_float64(u) <= 256.0;
  if (real && whole && abs_float64(x) < INFINITY && abs_float64(y) < INFINITY) return power_whole(x, y, u);
  double l = log_abs(x, 0, y), angle = m_atan2_float64(y, x);
  return real ? exp_parts(u * l, u * angle) : exp_parts(u * l - v * angle, v * l + u * angle);
}

/* Computes z / |z|. If exactly one part is infinite, the result is ±1 or ±i with the sign of this part. If both parts
** are infinite, the result is NaN. For zeros the result is +0. The largest error found in tests is 1.1 eps. */
INLINE complex128_t sign_parts(double x, double y) {
  double a = abs_float64(x), b = abs_float64(y), high = a > b ? a : b, s = safe_scale(high);
  bool x_far = a == INFINITY && b < INFINITY, y_far = b == INFINITY && a < INFINITY;
  double u = x_far ? sign_float64(x) : y_far ? 0 * x : x * s, v = y_far ? sign_float64(y) : x_far ? 0 * y : y * s;
  bool zero = high == 0 && a == b;
  double h = BUILTIN(sqrt)(u * u + v * v);
  return make_complex128(zero ? 0 : u / h, zero ? 0 : v / h);
}

/* ---- m_* functions of complex64 and complex128 ---- */

#define EACH_COMPLEX_UNARY(M)                                                                     \
  M(exp) M(expm1) M(log) M(log1p) M(log2) M(log10) M(sqrt) M(sin) M(cos) M(tan) M(asin) M(acos)   \
  M(atan) M(sinh) M(cosh) M(tanh) M(asinh) M(acosh) M(atanh) M(sigmoid) M(sign)

INLINE complex64_t narrow(complex128_t z) {
  return make_complex64((float)real_complex128(z), (float)imag_complex128(z));
}

#define COMPLEX_UNARY(name)                                                                       \
  INLINE complex128_t m_##name##_complex128(complex128_t z) {                                     \
    return name##_parts(real_complex128(z), imag_complex128(z));                                  \
  }                                                                                               \
  INLINE complex64_t m_##name##_complex64(complex64_t z) {                                        \
    return narrow(name##_parts((double)real_complex64(z), (double)imag_complex64(z)));            \
  }
EACH_COMPLEX_UNARY(COMPLEX_UNARY)

#define COMPLEX_BINARY(name, floats, doubles)                                                       \
  INLINE complex128_t m_##name##_complex128(complex128_t z, complex128_t w) {                     \
    return doubles(real_complex128(z), imag_complex128(z), real_complex128(w), imag_complex128(w)); \
  }                                                                                               \
  INLINE complex64_t m_##name##_complex64(complex64_t z, complex64_t w) {                         \
    return narrow(floats((double)real_complex64(z), (double)imag_complex64(z),                    \
                         (double)real_complex64(w), (double)imag_complex64(w)));                  \
  }
COMPLEX_BINARY(div, div_floats, div_doubles)
COMPLEX_BINARY(pow, pow_parts, pow_parts)

#define TYPE complex64
#define R float32
#define T float
#include "math/complex_dtype.h"

#define TYPE complex128
#define R float64
#define T double
#include "math/complex_dtype.h"

#endif
