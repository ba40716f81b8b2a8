#ifndef LT_GPU_KERNELS_SORT_ARGS_CUH
#define LT_GPU_KERNELS_SORT_ARGS_CUH

/* The parameters of sort_lines.cuh's kernels, for both sides. */

#include "gpu/kernels/nest.cuh"

enum {
  SORT_ROOM    = 4096,       /* the longest line that one block sorts */
  SORT_THREADS = 256,        /* threads per block in the kernels that make keys and write results */
  SORT_ITEMS   = 8           /* elements per thread in these kernels */
};

typedef struct sort_args {
  const void *in;
  void    *values;           /* NULL: values are not wanted */
  int64_t *positions;        /* NULL: positions are not wanted */
  int64_t  first, lines;     /* the lines of this launch */
  int64_t  n, keep, in_stride, values_stride, positions_stride;
  int32_t  descending;
  int32_t  across;           /* lines are closer together than the elements of a line */
  gpu_nest from, to;         /* from: strides of in; to: strides of values and positions */
} sort_args;

#endif
