/* The functions of one real floating-point dtype that need no series. scalar.h includes this header once for float32
** and once for float64. Before each inclusion, scalar.h defines TYPE (the dtype's name), T (the dtype's C type) and U
** (the unsigned C type of the same width). This header undefines all three. */

#define NAME(name) PASTE(name, TYPE)
#define SIGN ((U)1 << (sizeof(U) * 8 - 1))

INLINE T NAME(m_abs)(T x) { return NAME(abs)(x); }
INLINE T NAME(m_sign)(T x) { return x > 0 ? 1 : x < 0 ? -1 : x + 0; }      /* NaN stays NaN, and -0 gives 0 */
INLINE T NAME(m_mul)(T x, T y) { return x * y; }
INLINE T NAME(m_div)(T x, T y) { return x / y; }
INLINE T NAME(m_conj)(T x) { return x; }
INLINE T NAME(m_angle)(T x) { return x < 0 ? (T)0x1.921fb54442d18p1 : x != x ? x : 0; }
INLINE T NAME(m_fma)(T x, T y, T z) { return NAME(fma)(x, y, z); }
INLINE T NAME(m_copysign)(T x, T y) { return NAME(add_sign)(NAME(abs)(x), y); }

/* m_max and m_min compare y first. In a reduction, x is the running maximum. If the running maximum came first in the
** comparison, gcc would duplicate branches (jump threading) and not vectorise the loop. */
INLINE T NAME(m_max)(T x, T y) { return y > x || y != y ? y : x; }
INLINE T NAME(m_min)(T x, T y) { return y < x || y != y ? y : x; }

INLINE bool NAME(m_isnan)(T x) { return x != x; }
INLINE bool NAME(m_isinf)(T x) { return NAME(abs)(x) == INFINITY; }
INLINE bool NAME(m_isfinite)(T x) { return NAME(abs)(x) < INFINITY; }
INLINE bool NAME(m_signbit)(T x) { return (NAME(bits)(x) & SIGN) != 0; }

INLINE bool NAME(m_isclose)(T x, T y, T rtol, T atol) {
  int same = x == y, close = NAME(abs)(x - y) <= atol + rtol * NAME(abs)(y);
  int finite = NAME(abs)(x - y) < INFINITY, bounded = NAME(abs)(y) < INFINITY;
  return same | (close & finite & bounded);
}

/* A step away from 0 adds 1 to the bit pattern of x, and a step toward 0 subtracts 1. A step from 0 gives the least
** subnormal with the sign of y. */
INLINE T NAME(m_nextafter)(T x, T y) {
  U u = NAME(bits)(x), away = (x < y) == (x > 0);
  T step = NAME(from_bits)(away ? u + 1 : u - 1);
  step = x == 0 ? NAME(from_bits)((NAME(bits)(y) & SIGN) | 1) : step;
  return x != x ? x : y != y || x == y ? y : step;
}

#undef SIGN
#undef NAME
#undef TYPE
#undef T
#undef U
