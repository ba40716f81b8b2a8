#ifndef LT_MATH_COMPLEX_H
#define LT_MATH_COMPLEX_H

/* Functions of complex numbers. Those with a series inside are computed in double from the parts x, y of z, for
** complex64 too, whose results are then rounded once; they are right for every pair of parts, and follow C's annex G
** (and the tables of the array API standard) at zeros, infinities and NaN and on both sides of a branch cut.
** `eps:` is the largest error of complex128 seen, as |result - exact| / |exact| in units of 2^-52; complex64's is at
** most 0.8 of its own. spec/complex_math_spec.lua measures both again. */

#include "math/float64.h"

INLINE bool is_finite_parts(double x, double y) { return abs_float64(x) < INFINITY && abs_float64(y) < INFINITY; }

/* ---- exponentials ---- */

/* sin y and *cosine, of any y. */
INLINE double sine_cosine(double y, double *cosine) {
  uint64_t q;
  double l, r, a = abs_float64(y);
  if (a <= TRIG_LIMIT_float64) r = trig_reduce_float64(a, &q, &l);
  else r = trig_reduce_any64(a, &q, &l);
  *cosine = sin_quadrant_float64(r, l, q + 1);
  return from_bits_float64(bits_float64(sin_quadrant_float64(r, l, q)) ^ (bits_float64(y) & 0x8000000000000000u));
}

/* e^x = result 2^k, *rounded = k + ROUNDER64. Beyond the limits the product of e^x and any sine but 0 is 0 or infinite. */
INLINE double exp_split(double x, double *rounded) {
  double c = x < -746.0 ? -746.0 : x > 1460.0 ? 1460.0 : x;
  return expm1_core_float64(exp_reduce_float64(c, rounded)) + 1.0;
}

/* s e 2^k for a sine s, which may be tiny where 2^k overflows. */
INLINE double times_exp(double s, double e, double rounded) {
  double k = rounded - ROUNDER64, third = fma_float64(k, 0x1.5555555555555p-2, ROUNDER64), f = pow2_float64(third);
  return s * f * e * f * pow2_float64(k - 2.0 * (third - ROUNDER64) + ROUNDER64);
}

/* e^x (cos y + i sin y). eps: 1.3 */
RARE complex128_t exp_parts(double x, double y) {
  double k, c, s = sine_cosine(y, &c), e = exp_split(x, &k);
  if (c != c && abs_float64(x) == INFINITY) return x < 0 ? make_complex128(0, 0) : make_complex128(INFINITY, NAN);
  return make_complex128(times_exp(c, e, k), y == 0 ? y : times_exp(s, e, k));
}

/* e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y/2). */
RARE complex128_t expm1_parts(double x, double y) {
  if (!(abs_float64(x) < 40.0)) {
    complex128_t e = exp_parts(x, y);
    return make_complex128(real_complex128(e) - 1.0, imag_complex128(e));
  }
  double c, s = sine_cosine(y, &c), hc, h = sine_cosine(0.5 * y, &hc), e = m_expm1_float64(x);
  double re = y == 0 ? e : e * c - 2.0 * h * h;
  return make_complex128(re, y == 0 ? y : s * m_exp_float64(x));
}

/* 1 / (1 + e^-z): with c and s of y/2 and q = e^-|x| the denominator is (1 + q) c + i (1 - q) s, up to e^(z/2), and
** nothing cancels in its parts, however close to a pole. */
RARE complex128_t sigmoid_parts(double x, double y) {
  double c, s = sine_cosine(0.5 * y, &c), a = abs_float64(x), q = m_exp_float64(-a), p = -m_expm1_float64(-a);
  double u = (1.0 + q) * c, v = p * s, d = u * u + v * v;
  if (a == INFINITY) return make_complex128(x > 0 ? 1.0 : 0, 0);
  double re = x < 0 ? q * (u * c - v * s) / d : (u * c + v * s) / d;
  return make_complex128(re, y == 0 ? y : 2.0 * q * s * c / d);
}

/* ---- hyperbolic and trigonometric: sin z = -i sinh iz and so on, which exchanges the parts ---- */

/* 0 with the sign of x y, where that product of 0 and no number has taken the place of a 0. */
INLINE double zero_or(double product, double x, double y) {
  double zero = add_sign_float64(0, sign_float64(x) * sign_float64(y));
  return product != product && (x == 0 || y == 0) ? zero : product;
}

/* sinh x cos y + i cosh x sin y. */
RARE complex128_t sinh_parts(double x, double y) {
  double c, s = sine_cosine(y, &c), a = abs_float64(x), re, im;
  if (a < 40.0) {
    re = m_sinh_float64(x) * c;
    im = m_cosh_float64(x) * s;
  } else {                                                  /* e^-2|x| is nothing */
    double k, e = exp_split(a, &k);
    re = times_exp(c, add_sign_float64(e, x), k - 1.0);
    im = times_exp(s, e, k - 1.0);
  }
  re = c != c && (x == 0 || a == INFINITY) ? x : re;
  return make_complex128(re, y == 0 ? y : im);
}

/* cosh x cos y + i sinh x sin y. */
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

/* (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y); far out 1 + 4i sin y cos y e^-2x. */
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

/* log|x + l + iy| for |l| <= ulp(x), from the square in two parts: near 1 nothing is lost. */
RARE double log_abs(double x, double l, double y) {
  double a = abs_float64(x), b = abs_float64(y), high = a > b ? a : b;
  double s = high > 0x1p500 ? 0x1p-600 : high < 0x1p-400 ? 0x1p600 : 1.0;
  double more = high > 0x1p500 ? 1200.0 : high < 0x1p-400 ? -1200.0 : 0;
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

/* On the axes the real functions, which are exact for powers of the base. */
#define LOG_TO_BASE(name, inverse)                                                                 \
  RARE complex128_t name##_parts(double x, double y) {                                             \
    double a = abs_float64(x), b = abs_float64(y);                                                 \
    double re = a == 0 || b == 0 ? m_##name##_float64(a + b) : log_abs(x, 0, y) * inverse;         \
    return make_complex128(re, m_atan2_float64(y, x) * inverse);                                   \
  }
LOG_TO_BASE(log2, 0x1.71547652b82fep0)
LOG_TO_BASE(log10, 0x1.bcb7b1526e50ep-2)

/* ---- roots ---- */

/* The root of x + iy as p + iq for x >= 0, else |q| + ip with y's sign: p = sqrt((|x| + |z|) / 2), q = y / 2p. */
RARE complex128_t sqrt_parts(double x, double y) {
  double a = abs_float64(x), b = abs_float64(y), high = a > b ? a : b;
  if (b == INFINITY) return make_complex128(INFINITY, y);
  if (a == 0 && b == 0) return make_complex128(0, y);
  if (a == INFINITY) return x > 0 ? make_complex128(x, y == y ? 0 * y : y) : make_complex128(y == y ? 0 : y, add_sign_float64(a, y));
  double s = high > 0x1p500 ? 0x1p-600 : high < 0x1p-400 ? 0x1p600 : 1.0;
  double back = high > 0x1p500 ? 0x1p300 : high < 0x1p-400 ? 0x1p-300 : 1.0;
  double u = a * s, v = b * s;
  double p = back * BUILTIN(sqrt)(0.5 * (u + BUILTIN(sqrt)(u * u + v * v))), q = b / (p + p);
  return x < 0 ? make_complex128(q, add_sign_float64(p, y)) : make_complex128(p, add_sign_float64(q, y));
}

/* ---- inverse functions, by Kahan's formulas, in which nothing cancels: for x, y >= 0 with p - iq = sqrt(1 - z) and
** c + id = sqrt(1 + z), asin z = atan2(x, pc + qd) + i asinh(pd + qc), and acos z = 2 atan2(p, c) - i asinh(pd + qc) ---- */

/* Returns the imaginary part of asin; *w is pc + qd, *p + i *c the arguments of the other atan2. */
INLINE double arc_parts(double x, double y, double *w, double *p, double *c) {
  complex128_t near_root = sqrt_parts(1.0 - x, y), far_root = sqrt_parts(1.0 + x, y);
  double q = imag_complex128(near_root), d = imag_complex128(far_root);
  *p = real_complex128(near_root);
  *c = real_complex128(far_root);
  *w = *p * *c + q * d;
  return x < 0x1p-28 && y < 0x1p-28 ? y : m_asinh_float64(*p * d + q * *c);
}

/* asin z = -i asinh iz. Far out, log 2z, which infinities are, too. */
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

/* i acos z or -i acos z, whichever lies on the right. */
INLINE complex128_t acosh_parts(double x, double y) {
  complex128_t w = acos_parts(x, y);
  return make_complex128(abs_float64(imag_complex128(w)), add_sign_float64(real_complex128(w), y));
}

/* log1p(4x / ((1 - x)^2 + y^2)) / 4 + i atan2(2y, (1 - x)(1 + x) - y^2) / 2 for x >= 0; far out 1 / z + i pi/2. */
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

/* The power of two in x, at least 2^-1022 and at most 2^1022, as the bits of its double. */
INLINE uint64_t power_bits(double x) {
  return bits_float64(x < 0x1p1022 ? x : 0x1p1022) & 0x7ff0000000000000u;
}
#define INVERSE_POWER(bits) from_bits_float64(0x7fe0000000000000u - (bits))

/* An infinite part as 1, any other as 0: the direction of an infinity. */
INLINE double infinite_part(double x) { return add_sign_float64(abs_float64(x) == INFINITY ? 1.0 : 0, x); }

/* (a + ib) / (c + id) by Smith's method, both `scaled` by powers of two unless they were floats. Exact for a real divisor where the
** division of reals is; infinities are C's: infinite / finite and finite / 0 are infinite, finite / infinite is 0. */
INLINE complex128_t div_parts(double a, double b, double c, double d, bool scaled) {
  double zero_re = add_sign_float64(INFINITY, c) * a, zero_im = add_sign_float64(INFINITY, c) * b;
  bool by_zero = c == 0 && d == 0;
  bool top_finite = is_finite_parts(a, b), finite = is_finite_parts(c, d);
  bool grows = finite && (abs_float64(a) == INFINITY || abs_float64(b) == INFINITY);
  bool falls = top_finite && (abs_float64(c) == INFINITY || abs_float64(d) == INFINITY);
  a = grows ? infinite_part(a) : a;
  b = grows ? infinite_part(b) : b;
  c = falls ? infinite_part(c) : c;
  d = falls ? infinite_part(d) : d;
  double more = grows ? INFINITY : falls ? 0 : 1.0;
  double ah = abs_float64(a), bh = abs_float64(b), ch = abs_float64(c), dh = abs_float64(d);
  bool turned = ch < dh;                      /* then both are multiplied by -i */
  uint64_t over = power_bits(scaled ? (ah > bh ? ah : bh) : 1.0), under = power_bits(scaled ? (turned ? dh : ch) : 1.0);
  double s = INVERSE_POWER(over), t = INVERSE_POWER(under);
  double u = (turned ? b : a) * s, v = (turned ? -a : b) * s;
  double w = (turned ? d : c) * t, r = (turned ? -c : d) * t;
  double ratio = r / w, e = w + r * ratio;
  double k = (double)(int32_t)(over >> 52) - (double)(int32_t)(under >> 52);
  k = (k > 1100.0 ? 1100.0 : k < -1100.0 ? -1100.0 : k) + ROUNDER64;
  double re = scale_float64((u + v * ratio) / e, k) * more, im = scale_float64((v - u * ratio) / e, k) * more;
  return make_complex128(by_zero ? zero_re : re, by_zero ? zero_im : im);
}

/* A number in two parts, and a b + c d of such. */
typedef struct { double h, l; } double_pair;
INLINE double_pair pair_products(double_pair a, double_pair b, double_pair c, double_pair d) {
  double p = a.h * b.h, q = c.h * d.h, s = p + q;
  double l = sum_error(p, q, s) + (product_error(a.h, b.h, p) + product_error(c.h, d.h, q));
  l += (a.h * b.l + a.l * b.h) + (c.h * d.l + c.l * d.h);
  double_pair r = {s + l, 0};
  r.l = (s - r.h) + l;
  return r;
}

/* z^n for a finite z and a whole n, 1 <= |n| <= 256: z of magnitude 1, squared and multiplied in pairs, rounded once. */
RARE complex128_t power_whole(double x, double y, double n) {
  double e, high = abs_float64(x) > abs_float64(y) ? abs_float64(x) : abs_float64(y);
  log_split_any(high, &e);
  double_pair re = {1.0, 0}, im = {0, 0}, u = {scale_float64(x, ROUNDER64 - e), 0}, v = {scale_float64(y, ROUNDER64 - e), 0};
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
  if (n < 0) r = div_parts(1.0, 0, re.h, im.h, true);
  double k = e * n;
  k = (k > 2000.0 ? 2000.0 : k < -2000.0 ? -2000.0 : k) + ROUNDER64;
  return make_complex128(times_exp(real_complex128(r), 1.0, k), times_exp(imag_complex128(r), 1.0, k));
}

/* (x + iy)^(u + iv). z^0 is 1; 0 to a power with a positive real part is 0, to a negative one infinite. Whole powers are
** products, else e^((u + iv) log z), whose error is |(u + iv) log z| eps. */
RARE complex128_t pow_parts(double x, double y, double u, double v) {
  bool real = v == 0;
  if (real && u == 0) return make_complex128(1.0, 0);
  if (x == 0 && y == 0) return u > 0 ? make_complex128(0, 0) : make_complex128(real && u < 0 ? INFINITY : NAN, NAN);
  if (real && y == 0 && x > 0) return make_complex128(m_pow_float64(x, u), add_sign_float64(0, sign_float64(y) * u));
  if (real && m_trunc_float64(u) == u && abs_float64(u) <= 256.0 && is_finite_parts(x, y)) return power_whole(x, y, u);
  double l = log_abs(x, 0, y), angle = m_atan2_float64(y, x);
  return real ? exp_parts(u * l, u * angle) : exp_parts(u * l - v * angle, v * l + u * angle);
}

/* z / |z|; the sign of one infinite part, and no number where both are. */
INLINE complex128_t sign_parts(double x, double y) {
  double a = abs_float64(x), b = abs_float64(y), high = a > b ? a : b;
  bool infinite = high == INFINITY && a != b && a == a && b == b;
  double s = INVERSE_POWER(power_bits(high)), u = infinite ? infinite_part(x) : x * s, v = infinite ? infinite_part(y) : y * s;
  double h = x == 0 && y == 0 ? 1.0 : BUILTIN(sqrt)(u * u + v * v);
  return make_complex128(u / h, v / h);
}

/* ---- m_* of both dtypes: D, its type C, its real D and R ---- */

#define EACH_COMPLEX_UNARY(M)                                                                     \
  M(exp) M(expm1) M(log) M(log1p) M(log2) M(log10) M(sqrt) M(sin) M(cos) M(tan) M(asin) M(acos)   \
  M(atan) M(sinh) M(cosh) M(tanh) M(asinh) M(acosh) M(atanh) M(sigmoid) M(sign)

INLINE complex64_t narrow(complex128_t z) { return make_complex64((float)real_complex128(z), (float)imag_complex128(z)); }

#define COMPLEX_UNARY(name)                                                                       \
  INLINE complex128_t m_##name##_complex128(complex128_t z) {                                     \
    return name##_parts(real_complex128(z), imag_complex128(z));                                  \
  }                                                                                               \
  INLINE complex64_t m_##name##_complex64(complex64_t z) {                                        \
    return narrow(name##_parts((double)real_complex64(z), (double)imag_complex64(z)));            \
  }
EACH_COMPLEX_UNARY(COMPLEX_UNARY)

INLINE complex128_t m_div_complex128(complex128_t z, complex128_t w) {
  return div_parts(real_complex128(z), imag_complex128(z), real_complex128(w), imag_complex128(w), true);
}
INLINE complex64_t m_div_complex64(complex64_t z, complex64_t w) {
  return narrow(div_parts((double)real_complex64(z), (double)imag_complex64(z),
                          (double)real_complex64(w), (double)imag_complex64(w), false));
}
INLINE complex128_t m_pow_complex128(complex128_t z, complex128_t w) {
  return pow_parts(real_complex128(z), imag_complex128(z), real_complex128(w), imag_complex128(w));
}
INLINE complex64_t m_pow_complex64(complex64_t z, complex64_t w) {
  return narrow(pow_parts((double)real_complex64(z), (double)imag_complex64(z),
                          (double)real_complex64(w), (double)imag_complex64(w)));
}

#define COMPLEX_FUNCTIONS(D, C, R, T)                                                             \
  INLINE C m_mul_##D(C z, C w) {                                                                  \
    T a = real_##D(z), b = imag_##D(z), c = real_##D(w), d = imag_##D(w);                         \
    return make_##D(a * c - b * d, a * d + b * c);                                                \
  }                                                                                               \
  INLINE T m_abs_##D(C z) { return m_hypot_##R(real_##D(z), imag_##D(z)); }                       \
  INLINE T m_angle_##D(C z) { return m_atan2_##R(imag_##D(z), real_##D(z)); }                     \
  INLINE C m_conj_##D(C z) { return make_##D(real_##D(z), -imag_##D(z)); }                        \
  INLINE C m_round_##D(C z) { return make_##D(m_round_##R(real_##D(z)), m_round_##R(imag_##D(z))); } \
  INLINE bool m_isnan_##D(C z) { return real_##D(z) != real_##D(z) || imag_##D(z) != imag_##D(z); } \
  INLINE bool m_isinf_##D(C z) {                                                                  \
    return abs_##R(real_##D(z)) == INFINITY || abs_##R(imag_##D(z)) == INFINITY;                  \
  }                                                                                               \
  INLINE bool m_isfinite_##D(C z) {                                                               \
    return abs_##R(real_##D(z)) < INFINITY && abs_##R(imag_##D(z)) < INFINITY;                    \
  }                                                                                               \
  INLINE bool m_isclose_##D(C x, C y, C rtol, C atol) {                                           \
    bool close = m_abs_##D(x - y) <= real_##D(atol) + real_##D(rtol) * m_abs_##D(y);              \
    return x == y || (close && m_isfinite_##D(x) && m_isfinite_##D(y));                           \
  }                                                                                               \
  INLINE bool is_far_trig_##D(C z) { (void)z; return false; }
COMPLEX_FUNCTIONS(complex64, complex64_t, float32, float)
COMPLEX_FUNCTIONS(complex128, complex128_t, float64, double)

#endif
