#ifndef LT_GPU_KERNELS_FUSED_ARGS_H
#define LT_GPU_KERNELS_FUSED_ARGS_H

/* Parameters of fused.cuh's kernels, for both sides. */

#include "gpu/kernels/plan.cuh"

enum { FUSED_THREADS = 256, FUSED_MOST_IN = 8 };

/* Where `data` is NULL, the number `value`, of the input's compute dtype. */
typedef struct fused_in {
  const void *data;
  gpu_word    value;
} fused_in;

typedef struct fused_args {
  void    *out;
  fused_in in[FUSED_MOST_IN];
  int64_t  count;            /* fused_flat: elements */
  uint32_t runs;             /* bit k: input k is contiguous (fused_rows: in the inner dim), else one value for all */
} fused_args;

#endif
