/* The functions of one complex dtype that need no series. complex.h includes this header once for complex64 and once
** for complex128. Before each inclusion, complex.h defines TYPE (the dtype's name), R (the name of the parts' dtype)
** and T (the parts' C type). This header undefines all three. */

#define NAME(name) PASTE(name, TYPE)
#define PART(name) PASTE(name, R)
#define C PASTE(TYPE, t)
#define RE NAME(real)
#define IM NAME(imag)

INLINE C NAME(m_mul)(C z, C w) {
  T a = RE(z), b = IM(z), c = RE(w), d = IM(w);
  return NAME(make)(PART(rounded_product)(a, c) - b * d, PART(rounded_product)(a, d) + b * c);
}

INLINE T NAME(m_abs)(C z) { return PART(m_hypot)(RE(z), IM(z)); }
INLINE T NAME(m_angle)(C z) { return PART(m_atan2)(IM(z), RE(z)); }
INLINE C NAME(m_conj)(C z) { return NAME(make)(RE(z), -IM(z)); }
INLINE C NAME(m_round)(C z) { return NAME(make)(PART(m_round)(RE(z)), PART(m_round)(IM(z))); }

INLINE bool NAME(m_isnan)(C z) { return RE(z) != RE(z) || IM(z) != IM(z); }
INLINE bool NAME(m_isinf)(C z) { return PART(abs)(RE(z)) == INFINITY || PART(abs)(IM(z)) == INFINITY; }
INLINE bool NAME(m_isfinite)(C z) { return PART(abs)(RE(z)) < INFINITY && PART(abs)(IM(z)) < INFINITY; }

INLINE bool NAME(m_isclose)(C x, C y, C rtol, C atol) {
  bool close = NAME(m_abs)(x - y) <= RE(atol) + RE(rtol) * NAME(m_abs)(y);
  return x == y || (close && NAME(m_isfinite)(x) && NAME(m_isfinite)(y));
}

INLINE bool NAME(is_far_trig)(C z) { (void)z; return false; }

#undef IM
#undef RE
#undef C
#undef PART
#undef NAME
#undef TYPE
#undef R
#undef T
