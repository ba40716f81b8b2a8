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
** 2^(n + 64) and 2^-64. Unlike m_exp, this function tests no upper bound of x. */
INLINE float exp_to_0_float32(float x) {
  int32_t n;
  float y = expm1_core_float32(exp_reduce_float32(x < -104.0f ? -104.0f : x, &n)) + 1.0f;
  return y * pow2_float32(n + 64) * 0x1p-64f;
}
INLINE double exp_to_0_float64(double x) { return m_exp_float64(x); }
#define exp_to_0(x) _Generic((x), FLOATS(exp_to_0))(x)

#endif
