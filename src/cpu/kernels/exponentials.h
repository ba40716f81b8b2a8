#ifndef LT_CPU_KERNELS_EXPONENTIALS_H
#define LT_CPU_KERNELS_EXPONENTIALS_H

/* Exponentials of numbers that are not positive, for softmax and cross entropy. */

#include "cpu/kernels/fold.h"

enum {
  VECTOR  = 16,     /* the number of floats of the widest vector */
  IN_PART = 32      /* the number of exponentials per lane that are summed in REAL; each such partial sum, whose error
                    ** is within 2 ulp, is then added to a sum in double */
};

/* Returns e^x for x <= 0 or NaN. The factor 2^n of the result may be too small for a normal float, so it is applied as
** 2^(n + 64) and 2^-64. Below -104 the result is 0. The function does not compute such a result, because multiplications
** whose result is not a normal number take 150 cycles on Intel's processors, and masked scores are -infinity. Unlike
** m_exp, this function tests no upper bound of x. */
INLINE float exp_to_0_float32(float x) {
  int32_t n;
  const float y = expm1_core_float32(exp_reduce_float32(x < -104.0f ? 0 : x, &n)) + 1.0f;
  const float e = y * pow2_float32(n + 64) * 0x1p-64f;
  return x < -104.0f ? 0 : e;
}
INLINE double exp_to_0_float64(double x) { return m_exp_float64(x); }
#define exp_to_0(x) _Generic((x), FLOATS(exp_to_0))(x)

#ifdef REAL     /* norm.h has no REAL and uses only exp_to_0 */

/* Returns the largest element of a row of n >= VECTOR elements. NaN may be ignored, because its exponential is NaN
** anyway. */
INLINE REAL top_of_row(int64_t n, const REAL *X) {
  REAL top[VECTOR];
  memcpy(top, X + n - VECTOR, sizeof top);
  for (int64_t i = 0, stop; (stop = cancel_stretch(i, n - VECTOR)) > i;)
    for (; i < stop; i += VECTOR) {
      #pragma omp simd
      for (int j = 0; j < VECTOR; j++) top[j] = top[j] > X[i + j] ? top[j] : X[i + j];
    }
  for (int w = VECTOR / 2; w > 0; w /= 2)
    for (int j = 0; j < w; j++) top[j] = top[j] > top[w + j] ? top[j] : top[w + j];
  return top[0];
}

/* Returns the sum of the VECTOR elements of `part`. */
INLINE double sum_of_part(const REAL *part) {
  double s[VECTOR / 2];
  for (int j = 0; j < VECTOR / 2; j++) s[j] = (double)part[j] + (double)part[VECTOR / 2 + j];
  for (int w = VECTOR / 4; w > 0; w /= 2)
    for (int j = 0; j < w; j++) s[j] += s[w + j];
  return s[0];
}
#endif

#endif
