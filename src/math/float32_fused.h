#ifndef LT_MATH_FLOAT32_FUSED_H
#define LT_MATH_FLOAT32_FUSED_H

/* Functions of float that need more digits than a float has, for machines with FMA. A value is then the unevaluated sum
** of two floats, of which the second (low) holds digits that the first does not have room for. A GPU computes floats 2
** to 64 times as fast as doubles. FMA gives the exact error of a product: fma(a, b, -p) is a * b - p if p is the rounded
** product. float32_wide.h has the same functions for machines without FMA. math/float32.h includes this file at its
** end. */

/* ---- tangent ---- */

/* Like trig_reduce_float32, but the remainder is the returned number plus *low. Each of the three parts of pi/2 is
** subtracted without a rounding error, except for the last. */
INLINE float trig_pair_float32(float a, uint32_t *q, float *low) {
  float k = fma_float32(a, 0x1.45f306p-1f, ROUNDER32);
  *q = bits_float32(k);
  k -= ROUNDER32;
  float first = fma_float32(k, -0x1.921fb4p0f, a), p = k * 0x1.4442dp-24f, second = first - p, t = second - first;
  float error = (first - (second - t)) - (p + t) - fma_float32(k, 0x1.4442dp-24f, -p);
  float rest = fma_float32(k, -0x1.84698ap-48f, error), r = second + rest;
  *low = (second - r) + rest;
  return r;
}

/* Returns tan(r + low) if q is even, -1 / tan(r + low) if q is odd, with the sign changed for x < 0. The tangent is the
** sum t + l, and the quotient i is improved by a step of Newton's method. The largest error found in tests is 1.1
** ulp. */
INLINE float tan_quadrant_float32(float r, float low, uint32_t q, float x) {
  float z = r * r;
  float c = r * z * POLY32(7, z, 0x1.55555ep-2f, 0x1.110e1p-3f, 0x1.bac88cp-5f, 0x1.5d5b0ep-6f, 0x1.600da6p-7f,
                           0x1.928b5cp-13f, 0x1.1be11p-8f);
  float t = r + c, l = fma_float32(low, fma_float32(t, t, 1.0f), (r - t) + c);
  float i = -1.0f / t;
  i = fma_float32(i, fma_float32(i, l, fma_float32(i, t, 1.0f)), i);
  float y = q & 1 ? i : t + l;
  return from_bits_float32(bits_float32(y) ^ (bits_float32(x) & 0x80000000u));
}

INLINE float m_tan_float32(float x) {
  uint32_t q;
  float low, r = trig_pair_float32(abs_float32(x), &q, &low);
  return tan_quadrant_float32(r, low, q, x);
}

INLINE float tan_any_float32(float x) {
  uint32_t q;
  double w = trig_reduce_any((double)abs_float32(x), &q);
  float r = (float)w;
  return tan_quadrant_float32(r, (float)(w - (double)r), q, x);
}

/* ---- the normal distribution ---- */

/* Returns r and sets *n and *rest with e^(x + low) = 2^n (1 + r + *rest), for -200 < x < 100. r is exact, and *rest is at
** most 0.07. */
INLINE float exp_parts_float32(float x, float low, int32_t *n, float *rest) {
  float k = fma_float32(x, 0x1.715476p0f, ROUNDER32);
  *n = (int32_t)(bits_float32(k) - bits_float32(ROUNDER32));
  k -= ROUNDER32;
  float high = fma_float32(k, -0x1.62ep-1f, x), l = fma_float32(k, -0x1.0bfbe8p-15f, low), r = high + l;
  float p = POLY32(6, r, 0x1p-1f, 0x1.555556p-3f, 0x1.5554ecp-5f, 0x1.110fe4p-7f, 0x1.6d4926p-10f, 0x1.a28996p-13f);
  *rest = fma_float32(r * r, p, l);
  return high;
}

/* Returns Phi(-a) 2^-n for 0 <= a <= 14.86, where Phi is the distribution function of the normal distribution. The
** result is the returned number plus *low. x + xl is -a^2 / 2, and d + dl is a + 1.25. Phi(-a) is Q e^(-a^2 / 2) / (a +
** 1.25), where Q is a polynomial in w. Q lies between 0.43 and 0.63, so the rounding errors of its terms other than the
** constant are small. The other factors are multiplied before Q is known, because Q takes longest. */
INLINE float normal_parts_float32(float x, float xl, float d, float dl, int32_t *n, float *low) {
  float rest, r = exp_parts_float32(x, xl, n, &rest), t = 1.0f / d, w = fma_float32(t, 2.0f, -0.56f);
  float p = ESTRIN32(11, w, -0x1.3f09cap-5f, 0x1.455908p-4f, -0x1.00b654p-5f, -0x1.c9ddbep-6f, 0x1.93cee6p-5f,
                     -0x1.c17a34p-6f, -0x1.624284p-7f, 0x1.07e89p-5f, -0x1.b3cd6cp-6f, 0x1.63cb76p-7f,
                     -0x1.e265e4p-10f);
  float tl = t * (fma_float32(-t, d, 1.0f) - t * dl), one = 1.0f + r, e = one + rest;
  float el = ((one - e) + rest) + ((1.0f - one) + r);
  float h = t * e, hl = fma_float32(t, el, fma_float32(tl, e, fma_float32(t, e, -h)));
  float f = 0x1.122a9ep-1f * h, fl = fma_float32(0x1.122a9ep-1f, hl, fma_float32(0x1.122a9ep-1f, h, -f));
  float g = w * h, gl = fma_float32(w, hl, fma_float32(w, h, -g));
  p = fma_float32(w, fma_float32(w, p, -0x1.ebcf48p-4f), 0x1.9f0ccep-3f);
  *low = fma_float32(p, g, fma_float32(p, gl, fl));
  return f;
}

/* Computes erfc(a) as 2 Phi(-sqrt(2) a) for a = |x|. For x < 0 the result is 2 - erfc(a). The largest error found in
** tests is 1.2 ulp. */
INLINE float m_erfc_float32(float x) {
  int32_t n;
  float a = abs_float32(x), b = a > 10.5f ? 10.5f : a, z = -b * b, d = fma_float32(b, 0x1.6a09e6p0f, 1.25f);
  float dl = fma_float32(b, 0x1.9fcef4p-26f, fma_float32(b, 0x1.6a09e6p0f, 1.25f - d));
  float fl, f = normal_parts_float32(z, fma_float32(-b, b, -z), d, dl, &n, &fl);
  int32_t half = n >> 1;
  float y = (f + fl) * pow2_float32(half) * pow2_float32(n + 1 - half);
  return x < 0 ? 2.0f - y : y;
}

/* Computes gelu(x) = x Phi(x) as max(x, 0) - b Phi(-b) with b = |x|. The largest error found in tests is 1.1 ulp. */
INLINE float m_gelu_float32(float x) {
  int32_t n;
  float b = abs_to_float32(x, 14.85f), s = -0.5f * b, z = s * b, d = b + 1.25f, top = x < 0 ? 0 : x;
  float fl, f = normal_parts_float32(z, fma_float32(s, b, -z), d, b + (1.25f - d), &n, &fl);
  int32_t half = n >> 1;
  float left = fma_float32(b, f, b * fl) * pow2_float32(half);
  return add_sign_float32(fma_float32(-left, pow2_float32(n - half), top), x);
}

/* ---- softplus and powers ---- */

/* Returns top + log(1 + e) with e = e^-(a + al), for a >= 0. el is the rounding error of e. For e > 0.41 the logarithm
** is log 2 + log(1 + f) with f = (e - 1) / 2. */
INLINE float add_log1p_exp_float32(float top, float a, float al) {
  int32_t n;
  float core = expm1_core_float32(exp_reduce_float32(a > 104.0f ? -104.0f : -a, &n));
  int32_t half = n >> 1;
  float p = pow2_float32(half), s = pow2_float32(n - half), u = fma_float32(core, p, p);
  float e = u * s, el = fma_float32(-e, al, fma_float32(core, p, p - u) * s), d = e - 1.0f;
  float e_half = 0.5f * d, el_half = 0.5f * (el + (e - (d + 1.0f)));
  bool big = e > 0.4142f;
  float f = big ? e_half : e, fl = big ? el_half : el, base = big ? 0x1.62e43p-1f : 0, rest = big ? -0x1.05c61p-29f : 0;
  float tail = log_tail_float32(f) + fma_float32(-f, fl, fl), g = base + f, gl = (base - g) + f;
  float h = top + g, t = h - top, hl = (top - (h - t)) + (g - t);
  return h + ((hl + gl) + rest + tail);
}

/* Computes log(1 + e^x) as max(x, 0) + log(1 + e^-|x|). The largest error found in tests is 1.1 ulp. */
INLINE float m_softplus_float32(float x) {
  int plus = x > 0, large = x > 30.0f;
  float y = add_log1p_exp_float32(plus ? x : 0, abs_float32(x), 0);
  return large ? x : y;
}

/* Computes log(e^x + e^y) as the larger argument + log(1 + e^-|x - y|). If the two terms have different signs, digits may
** cancel. The largest error found in tests is 0.9 ulp of the larger argument. */
INLINE float m_logaddexp_float32(float x, float y) {
  float high = y > x ? y : x, low = y > x ? x : y, a = high - low, t = a - high;
  float al = (high - (a - t)) - (low + t);
  float r = add_log1p_exp_float32(high, high == low ? 0 : a, a < 104.0f ? al : 0);
  r = abs_float32(high) == INFINITY ? high : r;
  return low != low ? low : r;
}

/* Returns log x as the returned number plus *low, for a finite x > 0, with an error of 2^-33. With x = 2^e m and
** q = (m - 1) / (m + 1), the logarithm is e log 2 + 2 atanh q, and atanh q is q + q^3 P(q^2). Each name that ends in l
** is the low part of a sum. */
INLINE float log_pair_float32(float x, float *low) {
  int32_t exponent;
  float m = log_split_float32(x, &exponent), e = (float)exponent, w = m - 1.0f, t = 1.0f / (m + 1.0f);
  float q = w * t, ql = t * fma_float32(q, -w, fma_float32(q, -2.0f, w));
  float z = q * q, zl = fma_float32(q, ql + ql, fma_float32(q, q, -z));
  float c = z * q, cl = fma_float32(z, ql, fma_float32(zl, q, fma_float32(z, q, -c)));
  float r = z * POLY32(4, z, 0x1.999998p-3f, 0x1.249324p-3f, 0x1.c67acp-4f, 0x1.8c8e1cp-4f);
  float third = 0x1.555556p-2f, p = third + r, pl = ((third - p) + r) - 0x1.555556p-27f;
  float tail = p * c, tl = fma_float32(pl, c, fma_float32(p, cl, ql)) + fma_float32(p, c, -tail);
  float h = fma_float32(e, 0x1.62e43p-1f, q + q), g = fma_float32(e, -0x1.62e43p-1f, h);   /* h is g + e log 2 */
  float k = fma_float32(e, -0x1.05c61p-29f, ((q + q) - g) + (tl + tl)), y = h + (tail + tail);
  *low = ((h - y) + (tail + tail)) + k;
  return y;
}

/* Computes x^y as e^(y log |x|). An infinite y counts as 2^100, so that its product with log 1 is 0. The largest error
** found in tests is 0.8 ulp. */
INLINE float m_pow_float32(float x, float y) {
  int32_t n;
  float finite = limit_float32(y, -0x1p100f, 0x1p100f);
  float ll, l = log_pair_float32(abs_float32(x), &ll), t = l * finite;
  float tl = fma_float32(ll, finite, fma_float32(l, finite, -t)), c = limit_float32(t, -104.0f, 89.0f);
  float rest, r = exp_parts_float32(c, c == t ? tl : 0, &n, &rest), high = 1.0f + r;
  int32_t half = n >> 1;
  float e = (high + (((1.0f - high) + r) + rest)) * pow2_float32(half) * pow2_float32(n - half);
  return pow_limits_float32(x, y, e);
}

#endif
