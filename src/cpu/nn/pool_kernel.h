#ifndef LT_CPU_NN_POOL_KERNEL_H
#define LT_CPU_NN_POOL_KERNEL_H

/* Inner loops of pooling: one plane at a time. */

#include "base/calls.h"

typedef struct pool_plane {
  const pool_call *c;
  const int64_t *begin[2], *end[2];    /* for each dim: the elements of each window in x are begin, begin + dilation … <
                                       ** end */
  const int64_t *count[2];             /* for each dim: the divisor of each window's average is the product of both
                                       ** dims' counts */
  void    *x, *y;                      /* in the compute dtype; x of a gradient is initially 0 */
  int32_t *position;
} pool_plane;

typedef void (*pool_kernel)(const pool_plane *p);
typedef struct pool_table { pool_kernel kernel[POOL_COUNT]; } pool_table;
typedef pool_table pool_float32_table, pool_float64_table;

#endif
