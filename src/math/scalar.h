#ifndef LT_MATH_SCALAR_H
#define LT_MATH_SCALAR_H

/* The functions m_* of ops.def, overloaded for each compute type. Except for powers of integers and for most complex
** functions, they are branch-free C and inlined everywhere, so that the compiler vectorises the loops that are
** generated from ops.def. The functions are compiled again for each instruction set. */

#include "math/convert.h"
#include "math/complex.h"
#include "math/powers.h"

/* ---- integers ---- */

INLINE uint64_t power_wrapping(uint64_t base, uint64_t exponent) {
  uint64_t r = 1;
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1) r *= base;
  return r;
}

#define TYPE uint8
#define WIDER uint32_t
#include "math/integer_dtype.h"
#define TYPE uint16
#define WIDER uint32_t
#include "math/integer_dtype.h"
#define TYPE uint32
#define WIDER uint32_t
#include "math/integer_dtype.h"
#define TYPE uint64
#define WIDER uint64_t
#include "math/integer_dtype.h"
#define TYPE int8
#define U uint8
#define WIDER uint32_t
#include "math/integer_dtype.h"
#define TYPE int16
#define U uint16
#define WIDER uint32_t
#include "math/integer_dtype.h"
#define TYPE int32
#define U uint32
#define WIDER uint32_t
#include "math/integer_dtype.h"
#define TYPE int64
#define U uint64
#define WIDER uint64_t
#include "math/integer_dtype.h"

/* x // y rounds toward minus infinity. x // 0 is 0, and the least integer // -1 wraps. Neither x86 nor NEON has a
** vector division of integers. But the floor of a quotient is exact in float for integers of up to 16 bits, and in
** double for 32 bits. */
#define SMALL_DIVIDE(D, T, F, FLOOR, TO)                                                           \
  INLINE T m_floor_divide_##D(T x, T y) {                                                          \
    T q = (T)TO(FLOOR((F)x / (F)(y == 0 ? 1 : y)));                                                \
    return y == 0 ? 0 : q;                                                                         \
  }                                                                                                \
  INLINE T m_remainder_##D(T x, T y) {                                                             \
    return y == 0 ? 0 : (T)((uint32_t)x - (uint32_t)m_floor_divide_##D(x, y) * (uint32_t)y);       \
  }
#define LOW_WORD(x) (uint32_t)bits_float64((x) + ROUNDER64)
SMALL_DIVIDE(int8, int8_t, float, m_floor_float32, (int32_t))
SMALL_DIVIDE(int16, int16_t, float, m_floor_float32, (int32_t))
SMALL_DIVIDE(int32, int32_t, double, m_floor_float64, LOW_WORD)
SMALL_DIVIDE(uint8, uint8_t, float, m_floor_float32, (int32_t))
SMALL_DIVIDE(uint16, uint16_t, float, m_floor_float32, (int32_t))
SMALL_DIVIDE(uint32, uint32_t, double, m_floor_float64, LOW_WORD)

INLINE int64_t m_floor_divide_int64(int64_t x, int64_t y) {
  int64_t d = y == 0 || y == -1 ? 1 : y, q = x / d;
  q -= (x % d != 0) & ((x ^ d) < 0);
  q = y == -1 ? (int64_t)(0 - (uint64_t)x) : q;
  return y == 0 ? 0 : q;
}
INLINE uint64_t m_floor_divide_uint64(uint64_t x, uint64_t y) { return y == 0 ? 0 : x / (y == 0 ? 1 : y); }
INLINE int64_t m_remainder_int64(int64_t x, int64_t y) {
  return y == 0 ? 0 : (int64_t)((uint64_t)x - (uint64_t)m_floor_divide_int64(x, y) * (uint64_t)y);
}
INLINE uint64_t m_remainder_uint64(uint64_t x, uint64_t y) { return y == 0 ? 0 : x % (y == 0 ? 1 : y); }

/* ---- bool ---- */

INLINE bool m_invert_bool(bool x)   { return !x; }
INLINE bool m_conj_bool(bool x)     { return x; }
INLINE bool m_isnan_bool(bool x)    { (void)x; return false; }
INLINE bool m_isinf_bool(bool x)    { (void)x; return false; }
INLINE bool m_isfinite_bool(bool x) { (void)x; return true; }

/* ---- functions of floats that need no series ---- */

INLINE float  m_sqrt_float32(float x)  { return BUILTIN(sqrtf)(x); }
INLINE double m_sqrt_float64(double x) { return BUILTIN(sqrt)(x); }

#define TYPE float32
#define T float
#define U uint32_t
#include "math/real_dtype.h"

#define TYPE float64
#define T double
#define U uint64_t
#include "math/real_dtype.h"

/* nextafter of half floats: returns the half next to x in the direction of y. `top` is the bit pattern of infinity;
** patterns of greater magnitude are NaN. */
INLINE uint16_t nextafter_half(uint16_t x, uint16_t y, uint16_t top) {
  int32_t a = x & 0x7fff, b = y & 0x7fff;
  int32_t i = x & 0x8000 ? -a : a, j = y & 0x8000 ? -b : b;      /* integers in the order of the values */
  int32_t k = i + (i < j) - (i > j);
  uint32_t step = (uint32_t)(k < 0 ? 0x8000 - k : k == 0 ? (x & 0x8000) : k);
  step = i == j ? y : step;
  return (uint16_t)(a > top ? x : b > top ? y : step);
}

/* Computes floor(x / y) in double, where the floor is exact for floats: a quotient that is not an integer differs
** from every integer by more than its rounding error. */
INLINE float m_floor_divide_float32(float x, float y) { return (float)m_floor_float64((double)x / (double)y); }

/* Returns x - q y for an integral q. The result is exact if |q| < 2^53. */
INLINE double remainder_exact(double x, double y, double q) {
#if LT_HAS_FMA
  return BUILTIN(fma)(-q, y, x);
#else
  double s = abs_float64(y) > 0x1p900 ? 0x1p-200 : 1.0, b = y * s, p = q * b;      /* y is scaled so that splitting
                                                                                   ** b in product_error cannot
                                                                                   ** overflow */
  double r = ((x * s - p) - product_error(q, b, p)) * (s == 1.0 ? 1.0 : 0x1p200);
  return q == 0 ? x : r;
#endif
}

/* The rounded quotient x / y may be the integer above the true quotient. Then the remainder has the wrong sign, and 1
** is subtracted from the quotient. */
INLINE double m_floor_divide_float64(double x, double y) {
  double d = x / y, q = m_floor_float64(d), r = remainder_exact(x, y, q);
  bool over = (y > 0 ? r < 0 : r > 0) && abs_float64(q) < 0x1p53 && abs_float64(y) < INFINITY;
  return over ? q - 1.0 : q;
}

/* Computes x - y floor(x / y), which is exact unless is_far_remainder is true. A result of 0 has y's sign. */
INLINE float m_remainder_float32(float x, float y) {
  double a = (double)x, b = (double)y, q = m_floor_float64(a / b);
  float r = (float)(a - q * b);
  r = abs_float32(y) == INFINITY && abs_float32(x) < INFINITY ? ((x < 0) == (y < 0) ? x : y) : r;
  r = r == 0 || x == 0 ? m_copysign_float32(0, y) : r;
  return x != x || y != y || y == 0 ? NAN : r;
}
INLINE double m_remainder_float64(double x, double y) {
  double q = m_floor_float64(x / y), r = remainder_exact(x, y, q);
  r = (y > 0 ? r < 0 : r > 0) ? r + y : r;
  r = abs_float64(y) == INFINITY && abs_float64(x) < INFINITY ? ((x < 0) == (y < 0) ? x : y) : r;
  r = r == 0 || x == 0 ? m_copysign_float64(0, y) : r;
  return x != x || y != y || y == 0 ? NAN : r;
}

/* Returns x - y floor(x / y) for a quotient of any size. */
RARE double remainder_any_float64(double x, double y) {
  double r = BUILTIN(fmod)(x, y);
  return r == 0 ? BUILTIN(copysign)(0.0, y) : (r < 0) != (y < 0) ? r + y : r;
}
INLINE float remainder_any_float32(float x, float y) {
  return (float)remainder_any_float64((double)x, (double)y);
}

/* The branch-free forms fail for huge arguments of sin, cos and tan, and for huge quotients. FAR(name, inputs, test,
** expression) describes a slower form of an operation of ops.def, for the inputs for which `test` is true. If `test` is
** true for an element of a block, a CPU kernel computes both forms of the whole block, and chooses for each element. */
#define FAR_sin       , FAR(sin, 1, is_far_trig(x), any_sin(x))
#define FAR_cos       , FAR(cos, 1, is_far_trig(x), any_cos(x))
#define FAR_tan       , FAR(tan, 1, is_far_trig(x), any_tan(x))
#define FAR_remainder , FAR(remainder, 2, is_far_remainder(x, y), any_remainder(x, y))
#define FAR_FORM(...) FAR_SECOND(__VA_ARGS__, )     /* FAR_FORM(FAR_op, ) is empty if FAR_op is not defined */
#define FAR_SECOND(first, second, ...) second
INLINE bool is_far_trig_float32(float x)  { return abs_float32(x) > TRIG_LIMIT_float32; }
INLINE bool is_far_trig_float64(double x) { return abs_float64(x) > TRIG_LIMIT_float64; }
INLINE bool is_far_remainder_float32(float x, float y)   { return abs_float32(x) >= 0x1p28f * abs_float32(y); }
INLINE bool is_far_remainder_float64(double x, double y) { return abs_float64(x) >= 0x1p52 * abs_float64(y); }
INLINE bool is_far_never(uint64_t x, uint64_t y) { (void)x; (void)y; return false; }

/* ---- overloads ---- */

#define FLOATS(f)   CASE(float, f##_float32), CASE(double, f##_float64)
#define INTEGERS(f)                                                                                    \
  CASE(int8_t, f##_int8), CASE(int16_t, f##_int16), CASE(int32_t, f##_int32), CASE(int64_t, f##_int64), \
  CASE(uint8_t, f##_uint8), CASE(uint16_t, f##_uint16), CASE(uint32_t, f##_uint32), CASE(uint64_t, f##_uint64)
#define COMPLEXES(f) CASE(complex64_t, f##_complex64), CASE(complex128_t, f##_complex128)
#define INEXACT(f)  FLOATS(f), COMPLEXES(f)
#define REALS(f)    INTEGERS(f), FLOATS(f)
#define NUMBERS(f)  REALS(f), COMPLEXES(f)
#define BITS(f)     CASE(bool, f##_bool), INTEGERS(f)

#define m_exp(x)    GENERIC(x, INEXACT(m_exp))(x)
#define m_expm1(x)  GENERIC(x, INEXACT(m_expm1))(x)
#define m_log(x)    GENERIC(x, INEXACT(m_log))(x)
#define m_log1p(x)  GENERIC(x, INEXACT(m_log1p))(x)
#define m_log2(x)   GENERIC(x, INEXACT(m_log2))(x)
#define m_log10(x)  GENERIC(x, INEXACT(m_log10))(x)
#define m_sqrt(x)   GENERIC(x, INEXACT(m_sqrt))(x)
#define m_sin(x)    GENERIC(x, INEXACT(m_sin))(x)
#define m_cos(x)    GENERIC(x, INEXACT(m_cos))(x)
#define m_tan(x)    GENERIC(x, INEXACT(m_tan))(x)
#define m_asin(x)   GENERIC(x, INEXACT(m_asin))(x)
#define m_acos(x)   GENERIC(x, INEXACT(m_acos))(x)
#define m_atan(x)   GENERIC(x, INEXACT(m_atan))(x)
#define m_sinh(x)   GENERIC(x, INEXACT(m_sinh))(x)
#define m_cosh(x)   GENERIC(x, INEXACT(m_cosh))(x)
#define m_tanh(x)   GENERIC(x, INEXACT(m_tanh))(x)
#define m_asinh(x)  GENERIC(x, INEXACT(m_asinh))(x)
#define m_acosh(x)  GENERIC(x, INEXACT(m_acosh))(x)
#define m_atanh(x)  GENERIC(x, INEXACT(m_atanh))(x)
#define m_erf(x)    GENERIC(x, FLOATS(m_erf))(x)
#define m_erfc(x)   GENERIC(x, FLOATS(m_erfc))(x)
#define m_sigmoid(x) GENERIC(x, INEXACT(m_sigmoid))(x)
#define m_softplus(x) GENERIC(x, FLOATS(m_softplus))(x)
#define m_gelu(x)   GENERIC(x, FLOATS(m_gelu))(x)
#define m_gelu_slope(x) GENERIC(x, FLOATS(m_gelu_slope))(x)
#define m_silu_slope(x) GENERIC(x, FLOATS(m_silu_slope))(x)

#define m_atan2(x, y)     GENERIC(x, FLOATS(m_atan2))(x, y)
#define m_hypot(x, y)     GENERIC(x, FLOATS(m_hypot))(x, y)
#define m_logaddexp(x, y) GENERIC(x, FLOATS(m_logaddexp))(x, y)
#define m_copysign(x, y)  GENERIC(x, FLOATS(m_copysign))(x, y)
#define m_nextafter(x, y) GENERIC(x, FLOATS(m_nextafter))(x, y)
#define m_fma(x, y, z)    GENERIC(x, FLOATS(m_fma))(x, y, z)
#define m_signbit(x)      GENERIC(x, FLOATS(m_signbit))(x)
#define m_isclose(x, y, z, w) GENERIC(x, INEXACT(m_isclose))(x, y, z, w)

#define m_abs(x)    GENERIC(x, NUMBERS(m_abs))(x)
#define m_sign(x)   GENERIC(x, NUMBERS(m_sign))(x)
#define m_ceil(x)   GENERIC(x, REALS(m_ceil))(x)
#define m_floor(x)  GENERIC(x, REALS(m_floor))(x)
#define m_round(x)  GENERIC(x, NUMBERS(m_round))(x)
#define m_trunc(x)  GENERIC(x, REALS(m_trunc))(x)
#define m_mul(x, y) GENERIC(x, NUMBERS(m_mul))(x, y)
#define m_div(x, y) GENERIC(x, INEXACT(m_div))(x, y)
#define m_conj(x)   GENERIC(x, BITS(m_conj), INEXACT(m_conj))(x)
#define m_angle(x)  GENERIC(x, INEXACT(m_angle))(x)
#define m_pow(x, y) GENERIC(x, NUMBERS(m_pow))(x, y)
#define m_cube(x)           GENERIC(x, REALS(m_cube))(x)
#define m_fourth(x)         GENERIC(x, REALS(m_fourth))(x)
#define m_root(x)           GENERIC(x, FLOATS(m_root))(x)
#define m_inverse_root(x)   GENERIC(x, FLOATS(m_inverse_root))(x)
#define m_inverse_square(x) GENERIC(x, FLOATS(m_inverse_square))(x)
#define m_max(x, y) GENERIC(x, REALS(m_max))(x, y)
#define m_min(x, y) GENERIC(x, REALS(m_min))(x, y)
#define m_floor_divide(x, y) GENERIC(x, REALS(m_floor_divide))(x, y)
#define m_remainder(x, y)    GENERIC(x, REALS(m_remainder))(x, y)

#define is_far_trig(x)  GENERIC(x, INEXACT(is_far_trig))(x)
#define any_sin(x)      GENERIC(x, FLOATS(sin_any), COMPLEXES(m_sin))(x)
#define any_cos(x)      GENERIC(x, FLOATS(cos_any), COMPLEXES(m_cos))(x)
#define any_tan(x)      GENERIC(x, FLOATS(tan_any), COMPLEXES(m_tan))(x)
#define is_far_remainder(x, y) GENERIC(x, FLOATS(is_far_remainder), CASE_ELSE(is_far_never))(x, y)
#define any_remainder(x, y)    GENERIC(x, FLOATS(remainder_any), INTEGERS(m_remainder))(x, y)

/* Computes a + x as an FMA, with the same rounding as an addition. Zen 4 adds and converts in the same two units but
** multiplies in two other units. Therefore FMA doubles the speed of sums of floats in double. */
INLINE double   plus_float64(double a, double x)    { return fma_float64(x, 1.0, a); }
INLINE int64_t  plus_int64(int64_t a, int64_t x)    { return a + x; }
INLINE uint64_t plus_uint64(uint64_t a, uint64_t x) { return a + x; }
INLINE complex128_t plus_complex128(complex128_t a, complex128_t x) { return a + x; }
#define m_plus(a, x)                                                                                   \
  GENERIC(a, CASE(double, plus_float64), CASE(int64_t, plus_int64), CASE(uint64_t, plus_uint64),       \
          CASE(complex128_t, plus_complex128))(a, x)

#define m_invert(x) GENERIC(x, BITS(m_invert))(x)
#define m_shift_left(x, y)  GENERIC(x, INTEGERS(m_shift_left))(x, y)
#define m_shift_right(x, y) GENERIC(x, INTEGERS(m_shift_right))(x, y)

#define m_isnan(x)    GENERIC(x, BITS(m_isnan), INEXACT(m_isnan))(x)
#define m_isinf(x)    GENERIC(x, BITS(m_isinf), INEXACT(m_isinf))(x)
#define m_isfinite(x) GENERIC(x, BITS(m_isfinite), INEXACT(m_isfinite))(x)

#endif
