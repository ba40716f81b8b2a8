#ifndef LT_MATH_BITS_H
#define LT_MATH_BITS_H

/* Building blocks of the math functions: rounding errors of sums and products, fused multiply-add, signs, polynomials,
** rounding and powers of two. All functions are branch-free, so that the compiler vectorises loops that call them. */

#include "math/base.h"

/* Returns a * b - p exactly, where p is the rounded a * b. Without FMA, |a| and |b| must be below 2^995, and the
** function splits both factors (Dekker, "A floating-point technique for extending the available precision", 1971). */
INLINE double product_error(double a, double b, double p) {
#if LT_HAS_FMA
  return BUILTIN(fma)(a, b, -p);
#else
  double ca = a * 134217729.0, cb = b * 134217729.0;      /* multiplying by 2^27 + 1 splits 53 bits into 26 + 27
                                                          ** bits */
  double ah = ca - (ca - a), bh = cb - (cb - b), al = a - ah, bl = b - bh;
  return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
#endif
}

/* Returns a + b - s exactly, where s is the rounded a + b. */
INLINE double sum_error(double a, double b, double s) {
  double t = s - a;
  return (a - (s - t)) + (b - t);
}

/* A file can define LT_EXACT_FMA as 1 before it includes this header. Then fma_float32 and fma_float64 round once on
** every instruction set, so that results have the same bits everywhere. */
#ifndef LT_EXACT_FMA
#define LT_EXACT_FMA 0
#endif

/* Returns a + b rounded to odd: if the sum lies between two doubles, the result is the double whose last bit is 1.
** Rounding this result to fewer bits then gives the exact sum rounded once. (Boldo and Melquiond, "Emulation of FMA
** and correctly rounded sums: proved algorithms using rounding to odd", 2008) */
INLINE double sum_to_odd(double a, double b) {
  double s = a + b, e = sum_error(a, b, s);
  uint64_t u = bits_float64(s), step = (e > 0) == (s > 0) ? 1 : (uint64_t)-1;
  return from_bits_float64(e != 0 && !(u & 1) ? u + step : u);
}

/* Returns a * b + c rounded once, for finite operands whose product neither overflows nor is subnormal. */
INLINE float exact_fma_float32(float a, float b, float c) { return (float)sum_to_odd((double)a * (double)b, (double)c); }
INLINE double exact_fma_float64(double a, double b, double c) {
  double p = a * b, low = product_error(a, b, p), t = c + low, s = p + t;
  return s + sum_to_odd(sum_error(c, low, t), sum_error(p, t, s));
}

/* Returns a * b + c. The result is rounded once if the machine has FMA or if LT_EXACT_FMA is 1, otherwise twice. */
INLINE float fma_float32(float a, float b, float c) {
#if LT_HAS_FMA
  return BUILTIN(fmaf)(a, b, c);
#else
  return LT_EXACT_FMA ? exact_fma_float32(a, b, c) : a * b + c;
#endif
}

INLINE double fma_float64(double a, double b, double c) {
#if LT_HAS_FMA
  return BUILTIN(fma)(a, b, c);
#else
  return LT_EXACT_FMA ? exact_fma_float64(a, b, c) : a * b + c;
#endif
}

/* Returns a * b, rounded. In complex products, gcc 12 contracts a product and a sum to one FMA in the vectorised loop,
** but not in the scalar remainder loop, in spite of -ffp-contract=off. The bits of a result then depend on the
** element's position. The FMA a * b + -0 prevents this, because gcc does not see that this FMA is a product. */
#if defined(__FMA__)
INLINE float  rounded_product_float32(float a, float b)   { return BUILTIN(fmaf)(a, b, -0.0f); }
INLINE double rounded_product_float64(double a, double b) { return BUILTIN(fma)(a, b, -0.0); }
#else
INLINE float  rounded_product_float32(float a, float b)   { return a * b; }
INLINE double rounded_product_float64(double a, double b) { return a * b; }
#endif

/* SSE2 can neither compare 64-bit integers nor select elements by comparing 64-bit integers. Therefore gcc does not
** vectorise loops with such comparisons. If LT_ONLY_SSE2 is 1, functions compare doubles instead. */
#if defined(__SSE2__) && !defined(__SSE4_1__)
#define LT_ONLY_SSE2 1
#else
#define LT_ONLY_SSE2 0
#endif

/* Returns y with the sign of x. y must be positive or 0, or have the sign of x already. Odd functions use this to
** return -0 for -0. */
INLINE float add_sign_float32(float y, float x) {
  return from_bits_float32(bits_float32(y) | (bits_float32(x) & 0x80000000u));
}
INLINE double add_sign_float64(double y, double x) {
#if LT_ONLY_SSE2
  return BUILTIN(copysign)(y, x);
#else
  return from_bits_float64(bits_float64(y) | (bits_float64(x) & 0x8000000000000000u));
#endif
}

/* Returns the sign of x as a number: 1 or -1 (-1 also for -0). */
INLINE float  sign_float32(float x)  { return from_bits_float32((bits_float32(x) & 0x80000000u) | 0x3f800000u); }
INLINE double sign_float64(double x) {
  return from_bits_float64((bits_float64(x) & 0x8000000000000000u) | 0x3ff0000000000000u);
}

/* True if q is odd. The function compares doubles, because gcc turns this comparison directly into a vector mask. */
INLINE bool is_odd(uint64_t q) { return from_bits_float64((q << 63) | 0x3ff0000000000000u) < 0; }

INLINE float  abs_float32(float x) { return from_bits_float32(bits_float32(x) & 0x7fffffffu); }
INLINE double abs_float64(double x) { return from_bits_float64(bits_float64(x) & 0x7fffffffffffffffu); }

/* Returns |x| or, if |x| is larger or NaN, the limit. The bits of floats that are not negative have the order of the
** floats. Unlike a selection of floats, gcc never turns a minimum of integers into copies of the code that follows. */
INLINE float abs_to_float32(float x, float limit) {
  uint32_t u = bits_float32(x) & 0x7fffffffu, most = bits_float32(limit);
  return from_bits_float32(u < most ? u : most);
}
INLINE double abs_to_float64(double x, double limit) {
#if LT_ONLY_SSE2
  double a = abs_float64(x);
  return a < limit ? a : limit;
#else
  int64_t u = (int64_t)(bits_float64(x) & 0x7fffffffffffffffu), most = (int64_t)bits_float64(limit);
  return from_bits_float64((uint64_t)(u < most ? u : most));
#endif
}

/* Returns x limited to low … high, or NaN for NaN. Both comparisons come first, because gcc would turn a second
** comparison of the limited x into four comparisons of vectors (jump threading). */
INLINE float limit_float32(float x, float low, float high) {
  int below = x < low, above = x > high;
  float y = below ? low : x;
  return above ? high : y;
}
INLINE double limit_float64(double x, double low, double high) {
  int below = x < low, above = x > high;
  double y = below ? low : x;
  return above ? high : y;
}

/* POLY_n is c0 + c1 x + … + c(n-1) x^(n-1) by Horner's rule. F is fma_float32 or fma_float64. */
#define POLY_1(F, x, c)       (c)
#define POLY_2(F, x, c, ...)  F(POLY_1(F, x, __VA_ARGS__), x, c)
#define POLY_3(F, x, c, ...)  F(POLY_2(F, x, __VA_ARGS__), x, c)
#define POLY_4(F, x, c, ...)  F(POLY_3(F, x, __VA_ARGS__), x, c)
#define POLY_5(F, x, c, ...)  F(POLY_4(F, x, __VA_ARGS__), x, c)
#define POLY_6(F, x, c, ...)  F(POLY_5(F, x, __VA_ARGS__), x, c)
#define POLY_7(F, x, c, ...)  F(POLY_6(F, x, __VA_ARGS__), x, c)
#define POLY_8(F, x, c, ...)  F(POLY_7(F, x, __VA_ARGS__), x, c)
#define POLY_9(F, x, c, ...)  F(POLY_8(F, x, __VA_ARGS__), x, c)
#define POLY_10(F, x, c, ...) F(POLY_9(F, x, __VA_ARGS__), x, c)
#define POLY_11(F, x, c, ...) F(POLY_10(F, x, __VA_ARGS__), x, c)
#define POLY_12(F, x, c, ...) F(POLY_11(F, x, __VA_ARGS__), x, c)
#define POLY_13(F, x, c, ...) F(POLY_12(F, x, __VA_ARGS__), x, c)
#define POLY_14(F, x, c, ...) F(POLY_13(F, x, __VA_ARGS__), x, c)
#define POLY_15(F, x, c, ...) F(POLY_14(F, x, __VA_ARGS__), x, c)
#define POLY_16(F, x, c, ...) F(POLY_15(F, x, __VA_ARGS__), x, c)
#define POLY_17(F, x, c, ...) F(POLY_16(F, x, __VA_ARGS__), x, c)
#define POLY_18(F, x, c, ...) F(POLY_17(F, x, __VA_ARGS__), x, c)
#define POLY_19(F, x, c, ...) F(POLY_18(F, x, __VA_ARGS__), x, c)
#define POLY_20(F, x, c, ...) F(POLY_19(F, x, __VA_ARGS__), x, c)
#define POLY_21(F, x, c, ...) F(POLY_20(F, x, __VA_ARGS__), x, c)
#define POLY_22(F, x, c, ...) F(POLY_21(F, x, __VA_ARGS__), x, c)
#define POLY_23(F, x, c, ...) F(POLY_22(F, x, __VA_ARGS__), x, c)
#define POLY_24(F, x, c, ...) F(POLY_23(F, x, __VA_ARGS__), x, c)
#define POLY_25(F, x, c, ...) F(POLY_24(F, x, __VA_ARGS__), x, c)
#define POLY_26(F, x, c, ...) F(POLY_25(F, x, __VA_ARGS__), x, c)
/* ESTRIN_n is the same polynomial by Horner's rule in x^4, whose coefficients are polynomials of degree 3 (Estrin's
** scheme). Its chain of operations that wait for each other is a third as long, so a processor computes more vectors at
** the same time. The scheme needs two more products, and its rounding errors are slightly larger. */
#define ESTRIN_1(F, x, a)           (a)
#define ESTRIN_2(F, x, a, b)        F(b, x, a)
#define ESTRIN_3(F, x, a, b, c)     F(c, (x) * (x), F(b, x, a))
#define ESTRIN_4(F, x, a, b, c, d)  F(F(d, x, c), (x) * (x), F(b, x, a))
#define ESTRIN(F, x, more, a, b, c, d)  F(more, ((x) * (x)) * ((x) * (x)), ESTRIN_4(F, x, a, b, c, d))
#define ESTRIN_5(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_1(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_6(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_2(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_7(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_3(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_8(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_4(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_9(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_5(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_10(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_6(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_11(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_7(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_12(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_8(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_13(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_9(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_14(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_10(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_15(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_11(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_16(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_12(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_17(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_13(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_18(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_14(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_19(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_15(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_20(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_16(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_21(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_17(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_22(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_18(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_23(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_19(F, x, __VA_ARGS__), a, b, c, d)
#define ESTRIN_24(F, x, a, b, c, d, ...) ESTRIN(F, x, ESTRIN_20(F, x, __VA_ARGS__), a, b, c, d)
#define POLY_(n, F, x, ...)   POLY_##n(F, x, __VA_ARGS__)
#define POLY32(n, x, ...)     POLY_(n, fma_float32, x, __VA_ARGS__)
#define POLY64(n, x, ...)     POLY_(n, fma_float64, x, __VA_ARGS__)
#define ESTRIN_(n, F, x, ...) ESTRIN_##n(F, x, __VA_ARGS__)
#define ESTRIN64(n, x, ...)   ESTRIN_(n, fma_float64, x, __VA_ARGS__)
#define ESTRIN32(n, x, ...)   ESTRIN_(n, fma_float32, x, __VA_ARGS__)

/* Adding one of these numbers to x rounds x to the nearest integer. The low bits of the sum are the bits of the
** integer. */
#define ROUNDER32 0x1.8p23f   /* for |x| < 2^22 */
#define ROUNDER64 0x1.8p52    /* for |x| < 2^51 */

/* ---- rounding to an integer ----
** A result of 0 has the sign of x. */

#if !LT_ONLY_SSE2
INLINE float  m_round_float32(float x)  { return BUILTIN(rintf)(x); }
INLINE double m_round_float64(double x) { return BUILTIN(rint)(x); }
INLINE float  m_floor_float32(float x)  { return BUILTIN(floorf)(x); }
INLINE double m_floor_float64(double x) { return BUILTIN(floor)(x); }
INLINE float  m_ceil_float32(float x)   { return BUILTIN(ceilf)(x); }
INLINE double m_ceil_float64(double x)  { return BUILTIN(ceil)(x); }
INLINE float  m_trunc_float32(float x)  { return BUILTIN(truncf)(x); }
INLINE double m_trunc_float64(double x) { return BUILTIN(trunc)(x); }
#else
/* SSE2 has no instruction that rounds to an integer. Adding and subtracting 2^23 (float) or 2^52 (double) rounds
** smaller numbers. Larger numbers are integral already. */
INLINE float m_round_float32(float x) {
  float a = abs_float32(x), r = (a + 0x1p23f) - 0x1p23f;
  return a < 0x1p23f ? add_sign_float32(r, x) : x;
}
INLINE double m_round_float64(double x) {
  double a = abs_float64(x), r = (a + 0x1p52) - 0x1p52;
  return a < 0x1p52 ? add_sign_float64(r, x) : x;
}
INLINE float m_trunc_float32(float x) {
  float a = abs_float32(x), r = (a + 0x1p23f) - 0x1p23f;
  r = r > a ? r - 1 : r;
  return a < 0x1p23f ? add_sign_float32(r, x) : x;
}
INLINE double m_trunc_float64(double x) {
  double a = abs_float64(x), r = (a + 0x1p52) - 0x1p52;
  r = r > a ? r - 1 : r;
  return a < 0x1p52 ? add_sign_float64(r, x) : x;
}
INLINE float m_floor_float32(float x) {
  float r = m_round_float32(x);
  return add_sign_float32(r > x ? r - 1 : r, x);
}
INLINE double m_floor_float64(double x) {
  double r = m_round_float64(x);
  return add_sign_float64(r > x ? r - 1 : r, x);
}
INLINE float m_ceil_float32(float x) {
  float r = m_round_float32(x);
  return add_sign_float32(r < x ? r + 1 : r, x);
}
INLINE double m_ceil_float64(double x) {
  double r = m_round_float64(x);
  return add_sign_float64(r < x ? r + 1 : r, x);
}
#endif

/* Returns 2^n for -126 <= n <= 127. The result for other n is undefined. */
INLINE float  pow2_float32(int32_t n) { return from_bits_float32((uint32_t)(n + 127) << 23); }

/* Returns 2^k for an integer k with -1022 <= k <= 1023. The argument is k + ROUNDER64, whose low bits are the bits of
** k. */
INLINE double pow2_float64(double k_rounder) {
  return from_bits_float64((bits_float64(k_rounder) << 52) + 0x3ff0000000000000u);
}

#endif
