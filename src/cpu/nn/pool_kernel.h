#ifndef LT_CPU_NN_POOL_KERNEL_H
#define LT_CPU_NN_POOL_KERNEL_H

/* Declarations of the inner loops of pooling, which compute one plane at a time. */

#include "base/calls.h"

typedef struct pool_plane {
  const pool_call *c;
  const int64_t *begin[2], *end[2];    /* for each dim and window: the window has the elements begin, begin +
                                       ** dilation, … below `end` of x */
  const int64_t *count[2];             /* for each dim and window: an average is divided by the product of its counts
                                       ** in both dims */
  void    *x, *y;                      /* in the compute dtype; if x is the gradient to compute, all its elements are
                                       ** 0 initially */
  int32_t *position;
} pool_plane;

typedef void (*pool_kernel)(const pool_plane *p);
typedef struct pool_table { pool_kernel kernel[POOL_COUNT]; } pool_table;
typedef pool_table pool_float32_table, pool_float64_table;

#endif
