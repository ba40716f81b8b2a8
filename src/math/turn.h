/* Sine and cosine for the angles with which normal.h makes normally distributed numbers. normal.h includes this header
** once for float32 and once for float64. Before each inclusion, normal.h defines:
**
**     TYPE      the dtype's name
**     T         the dtype's C type
**     ROUNDER   a number that, added to a small number and then subtracted, rounds the small number to an integer
**
** This header undefines all three. */

#define NAME(name) PASTE(name, TYPE)

/* Sets *sine to sin(πt) and *cosine to cos(πt), for |t| <= 1. With an integer q, t is q / 2 plus a remainder. The
** first omitted term of the remainder's Taylor series is below the last bit. This takes fewer operations than m_sin
** and m_cos, which accept any argument. */
INLINE void NAME(turn)(T t, T *sine, T *cosine) {
  T q = (2 * t + ROUNDER) - ROUNDER;      /* 2 t rounded to an integer, -2 … 2 */
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
