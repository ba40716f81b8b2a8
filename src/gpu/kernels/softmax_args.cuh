#ifndef LT_GPU_KERNELS_SOFTMAX_ARGS_CUH
#define LT_GPU_KERNELS_SOFTMAX_ARGS_CUH

/* The parameters of softmax_rows and softmax_short. This header is included by the kernels and by
** gpu/scan_softmax.c. */

#include "gpu/kernels/nest.cuh"

enum { SOFTMAX_ITEMS = 16 };       /* number of elements that a thread keeps in registers; 1024 threads can keep a
                                   ** line of 16384 elements */

typedef struct softmax_args {
  const void *in;
  void    *out;
  int64_t  lines, n, in_stride, out_stride;
  int32_t  rows;                   /* number of threads for a line, a power of 2; rows * SOFTMAX_ITEMS >= n */
  gpu_nest outer;                  /* loop nest over the lines, with the strides of out and of in */
} softmax_args;

#endif
