#ifndef LT_GPU_KERNELS_NN_POOL_ARGS_H
#define LT_GPU_KERNELS_NN_POOL_ARGS_H

/* The parameters of the kernels in pool.cuh. This header is included by the kernels and by gpu/nn/pool.c. */

#include "gpu/kernels/plan.cuh"

enum { POOL_THREADS = 256 };

/* Each array of two is {height, width}. x, y and position point to the first plane of the launch. */
typedef struct pool_args {
  void       *x, *y;
  int32_t    *position;
  int32_t     in[2], out[2], kernel[2], stride[2], dilation[2], pad[2];
  int32_t     adaptive, count_pad;
  int64_t     divisor;
  uint32_t    threads;
  gpu_divisor line, width;             /* line: number of threads of a plane; width: number of threads of a row; each
                                       ** thread computes one element */
} pool_args;

#endif
