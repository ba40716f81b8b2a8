#ifndef LT_GPU_KERNELS_ELEMENTWISE_ARGS_H
#define LT_GPU_KERNELS_ELEMENTWISE_ARGS_H

/* Parameters of elementwise.cuh's kernels, for both sides. */

#include "gpu/kernels/plan.cuh"

enum { ELEMENTWISE_THREADS = 256, ELEMENTWISE_MOST_IN = 8 };

/* If `data` is NULL, the input is the number `value`, in its compute dtype. */
typedef struct elementwise_in {
  const void *data;
  gpu_word    value;
} elementwise_in;

typedef struct elementwise_args {
  void    *out;
  elementwise_in in[ELEMENTWISE_MOST_IN];
  int64_t  count;            /* elementwise_flat: number of elements */
  uint32_t runs;             /* bit k: input k is contiguous (for rows: along the inner dim); otherwise it is one value
                             ** for all */
} elementwise_args;

#endif
