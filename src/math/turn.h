/* Sines and cosines for normal numbers. normal.h includes this header once a dtype, with TYPE, the dtype's name, T, its
** type, and ROUNDER, whose addition and subtraction round a small number to an integer. The header undefines all three. */

#define NAME(name) PASTE(name, TYPE)

/* sin(πt) and cos(πt) for |t| <= 1: t is a multiple q/2 and a rest, whose Taylor series end below the last bit. Cheaper
** than m_sin and m_cos, which take any argument. */
INLINE void NAME(turn)(T t, T *sine, T *cosine) {
  T q = (2 * t + ROUNDER) - ROUNDER;      /* -2 … 2 */
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
