#ifndef LT_GPU_KERNELS_SOFTMAX_ARGS_CUH
#define LT_GPU_KERNELS_SOFTMAX_ARGS_CUH

/* The parameters of softmax_rows and softmax_short, for both sides. */

#include "gpu/kernels/nest.cuh"

enum { SOFTMAX_ITEMS = 16 };       /* elements that a thread holds: with 1024 threads, lines of up to 16384 elements
                                   ** fit */

typedef struct softmax_args {
  const void *in;
  void    *out;
  int64_t  lines, n, in_stride, out_stride;
  int32_t  rows;                   /* threads for a line, a power of 2; rows * SOFTMAX_ITEMS >= n */
  gpu_nest outer;                  /* strides of out and in */
} softmax_args;

#endif
