#ifndef LT_GPU_KERNELS_SORT_ARGS_CUH
#define LT_GPU_KERNELS_SORT_ARGS_CUH

/* The parameters of the kernels in sort_lines.cuh. This header is included by the kernels and by gpu/sort.c. */

#include "gpu/kernels/nest.cuh"

enum {
  SORT_ROOM    = 4096,       /* the maximum length of a line that one block sorts */
  SORT_THREADS = 256,        /* number of threads of a block in the kernels make_keys and write_sorted */
  SORT_ITEMS   = 8           /* number of elements of a thread in make_keys and write_sorted */
};

typedef struct sort_args {
  const void *in;
  void    *values;           /* NULL if the values are not needed */
  int64_t *positions;        /* NULL if the positions are not needed */
  int64_t  first, lines;     /* first: the first line of this launch; lines: number of lines of this launch */
  int64_t  n, keep, in_stride, values_stride, positions_stride;
  int32_t  descending;
  int32_t  across;           /* set if neighbouring lines are closer together than the elements of a line */
  gpu_nest from, to;         /* loop nests over the lines: `from` has the strides of in, and `to` the strides of
                             ** values and positions */
} sort_args;

#endif
