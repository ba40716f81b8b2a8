#ifndef LT_GPU_KERNELS_REDUCE_ARGS_CUH
#define LT_GPU_KERNELS_REDUCE_ARGS_CUH

/* The parameters of the kernels in reduce.cuh. This header is included by the kernels and by gpu/reduce.c. */

#include "gpu/kernels/nest.cuh"

enum { REDUCE_THREADS = 256, REDUCE_STATE = 24 };     /* REDUCE_STATE: bytes of the largest state */

typedef struct reduce_args {
  const void *in;
  void    *out;
  void    *states;                 /* the state of each chunk, if an output has several chunks: [output][chunk] or, if
                                   ** across is set, [chunk][output] */
  int64_t  outputs, n;             /* number of outputs; number of elements that are reduced for each output */
  int64_t  chunk;                  /* number of elements in a chunk, less than 2^30 */
  int32_t  chunks, tiles;          /* number of chunks of an output; number of blocks that process one chunk of all
                                   ** outputs */
  int32_t  columns, rows, across;  /* number of outputs of a block; number of threads of an output; across: true if
                                   ** threads of neighbouring outputs are neighbours (otherwise rows is a power of
                                   ** 2) */
  int32_t  parts;                  /* number of chunks of an output whose states reduce_merge merges; other kernels do
                                   ** not use it */
  double   correction;
  gpu_nest kept, reduced;          /* loop nests: `kept` has the strides of out and of in, and `reduced` the strides
                                   ** of in */
} reduce_args;

#endif
