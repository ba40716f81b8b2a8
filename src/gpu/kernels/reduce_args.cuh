#ifndef LT_GPU_KERNELS_REDUCE_ARGS_CUH
#define LT_GPU_KERNELS_REDUCE_ARGS_CUH

/* The parameters of reduce.cuh's kernels, for both sides. */

#include "gpu/kernels/nest.cuh"

enum { REDUCE_THREADS = 256, REDUCE_STATE = 24 };     /* bytes of the largest state */

typedef struct reduce_args {
  const void *in;
  void    *out;
  void    *states;                 /* states of chunks, if there are several: [output][chunk], or [chunk][output] if
                                   ** across */
  int64_t  outputs, n;             /* n: number of reduced elements of an output */
  int64_t  chunk;                  /* elements of a chunk, fewer than 2^30 */
  int32_t  chunks, tiles;          /* tiles: number of blocks that one chunk of all outputs takes */
  int32_t  columns, rows, across;  /* columns and rows of a block. across: threads of a row are neighbours; otherwise
                                   ** rows is a power of 2 */
  int32_t  parts;                  /* reduce_merge: number of chunks */
  double   correction;
  gpu_nest kept, reduced;          /* kept: strides of out and in; reduced: strides of in */
} reduce_args;

#endif
