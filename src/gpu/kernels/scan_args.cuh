#ifndef LT_GPU_KERNELS_SCAN_ARGS_CUH
#define LT_GPU_KERNELS_SCAN_ARGS_CUH

/* The parameters of scan.cuh's kernels, for both sides. */

#include "gpu/kernels/nest.cuh"

enum { SCAN_THREADS = 256, SCAN_ITEMS = 4, SCAN_VECTORS = 4 };

typedef struct scan_args {
  const void *in;
  void   *out;
  const void *states;              /* totals of the segments, if a line has several */
  int64_t lines, n, in_stride, out_stride;
  int64_t segment;                 /* elements of a segment, fewer than 2^30 */
  int32_t segments, threads;       /* threads: the threads of a segment, a warp or a block */
  int32_t initial;                 /* out begins with the result of no elements */
  int32_t across;                  /* totals are [segment][line], else [line][segment] */
  gpu_nest outer;                  /* strides of out and in */
} scan_args;

#endif
