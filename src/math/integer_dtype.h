/* The functions of one integer dtype. scalar.h includes this header once for each integer dtype. Before each
** inclusion, scalar.h defines:
**
**     TYPE     the dtype's name
**     U        the name of the unsigned dtype of the same width, only for a signed dtype
**     WIDER    an unsigned C type in which products wrap, because products in int could overflow
**
** This header undefines TYPE, U and WIDER. */

#define NAME(name) PASTE(name, TYPE)
#define T PASTE(TYPE, t)

INLINE T NAME(m_ceil)(T x) { return x; }
INLINE T NAME(m_floor)(T x) { return x; }
INLINE T NAME(m_round)(T x) { return x; }
INLINE T NAME(m_trunc)(T x) { return x; }
INLINE T NAME(m_conj)(T x) { return x; }
INLINE bool NAME(m_isnan)(T x) { (void)x; return false; }
INLINE bool NAME(m_isinf)(T x) { (void)x; return false; }
INLINE bool NAME(m_isfinite)(T x) { (void)x; return true; }

INLINE T NAME(m_max)(T x, T y) { return x > y ? x : y; }
INLINE T NAME(m_min)(T x, T y) { return x < y ? x : y; }
INLINE T NAME(m_mul)(T x, T y) { return (T)((WIDER)x * (WIDER)y); }
INLINE T NAME(m_cube)(T x) { return NAME(m_mul)(NAME(m_mul)(x, x), x); }
INLINE T NAME(m_fourth)(T x) { return NAME(m_mul)(NAME(m_mul)(x, x), NAME(m_mul)(x, x)); }
INLINE T NAME(m_invert)(T x) { return (T)~x; }

#ifdef U
#define UNSIGNED PASTE(U, t)

INLINE T NAME(m_abs)(T x) { return (T)(x < 0 ? -x : x); }
INLINE T NAME(m_sign)(T x) { return (T)((x > 0) - (x < 0)); }

INLINE T NAME(m_pow)(T x, T y) {
  T unit = x == 1 ? 1 : x == -1 ? (T)(y & 1 ? -1 : 1) : 0;
  return y < 0 ? unit : (T)power_wrapping((uint64_t)x, (uint64_t)y);
}

/* Shifts x right arithmetically. The function uses a logical shift (of ~x if x is negative), because many machines have
** no vector instruction for arithmetic shifts. */
INLINE T NAME(right)(T x, UNSIGNED n) {
  UNSIGNED sign = (UNSIGNED)(x < 0 ? -1 : 0);
  return (T)(((UNSIGNED)(x ^ (T)sign) >> (n < sizeof(T) * 8 ? n : sizeof(T) * 8 - 1)) ^ sign);
}

INLINE T NAME(m_shift_left)(T x, T y) {
  return y < 0 ? NAME(right)(x, (UNSIGNED)(0 - (UNSIGNED)y)) : (T)PASTE(m_shift_left, U)((UNSIGNED)x, (UNSIGNED)y);
}
INLINE T NAME(m_shift_right)(T x, T y) {
  return y < 0 ? (T)PASTE(m_shift_left, U)((UNSIGNED)x, (UNSIGNED)(0 - (UNSIGNED)y)) : NAME(right)(x, (UNSIGNED)y);
}

#undef UNSIGNED
#else

INLINE T NAME(m_abs)(T x) { return x; }
INLINE T NAME(m_sign)(T x) { return x != 0; }
INLINE T NAME(m_pow)(T x, T y) { return (T)power_wrapping(x, y); }
INLINE T NAME(m_shift_left)(T x, T y) { return y < sizeof(T) * 8 ? (T)((WIDER)x << (y & (sizeof(T) * 8 - 1))) : 0; }
INLINE T NAME(m_shift_right)(T x, T y) { return y < sizeof(T) * 8 ? (T)(x >> (y & (sizeof(T) * 8 - 1))) : 0; }

#endif

#undef T
#undef NAME
#undef TYPE
#undef U
#undef WIDER
