#ifndef LT_GPU_KERNELS_SCAN_ARGS_CUH
#define LT_GPU_KERNELS_SCAN_ARGS_CUH

/* The parameters of the kernels in scan.cuh. This header is included by the kernels and by gpu/scan_softmax.c. */

#include "gpu/kernels/nest.cuh"

enum { SCAN_THREADS = 256, SCAN_ITEMS = 4, SCAN_VECTORS = 4 };

typedef struct scan_args {
  const void *in;
  void   *out;
  const void *states;              /* the total of each segment, if a line has several segments */
  int64_t lines, n, in_stride, out_stride;
  int64_t segment;                 /* number of elements in a segment, less than 2^30 */
  int32_t segments, threads;       /* segments: number of segments in a line; threads: number of threads of a segment,
                                   ** which is 1, a warp or a block */
  int32_t initial;                 /* if set, out begins with the result for no elements, such as 0 for sums */
  int32_t across;                  /* if set, the totals are [segment][line], otherwise [line][segment] */
  gpu_nest outer;                  /* loop nest over the lines, with the strides of out and of in */
} scan_args;

#endif
