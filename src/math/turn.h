/* Sines and cosines for normal numbers. normal.h includes this header once for each real dtype, and defines:
**
**     TYPE      the dtype's name
**     T         the dtype's C type
**     ROUNDER   a number that, added and then subtracted, rounds a small number to an integer
**
** This header undefines all three. */

#define NAME(name) PASTE(name, TYPE)

/* Computes sin(πt) and cos(πt) for |t| <= 1. t is q / 2 with an integer q, plus a remainder. The Taylor series of the
** remainder end below the last bit. This takes fewer operations than m_sin and m_cos, which take any argument. */
INLINE void NAME(turn)(T t, T *sine, T *cosine) {
  T q = (2 * t + ROUNDER) - ROUNDER;      /* rounded to an integer, -2 … 2 */
  T y = (t - q * (T)0.5) * (T)3.14159265358979323846, z = y * y;
  T s = y + y * z * NAME(sine_series)(z), c = 1 + z * NAME(cosine_series)(z);
  bool odd = (q == 1) | (q == -1), half = (q == 2) | (q == -2);
  T a = odd ? c : s, b = odd ? s : c;
  *sine = (half | (q == -1)) ? -a : a;
  *cosine = (half | (q == 1)) ? -b : b;
}

#undef NAME
#undef TYPE
#undef T
#undef ROUNDER
