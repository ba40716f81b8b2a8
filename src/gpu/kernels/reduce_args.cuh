#ifndef LT_GPU_KERNELS_REDUCE_ARGS_CUH
#define LT_GPU_KERNELS_REDUCE_ARGS_CUH

/* The parameters of the kernels in reduce.cuh. This header is included by the kernels and by gpu/reduce.c. */

#include "gpu/kernels/nest.cuh"

enum { REDUCE_THREADS = 256, REDUCE_STATE = 24 };     /* REDUCE_STATE: size in bytes of the largest accumulator */

typedef struct reduce_args {
  const void *in;
  void    *out;
  void    *states;                 /* if an output has several chunks: the accumulator of each chunk, in the order
                                   ** [output][chunk] or, if `across` is set, [chunk][output] */
  int64_t  outputs, n;             /* outputs: number of outputs; n: number of elements that are reduced for each
                                   ** output */
  int64_t  chunk;                  /* number of elements in a chunk, less than 2^30 */
  int32_t  chunks, tiles;          /* chunks: number of chunks of an output; tiles: number of blocks that process one
                                   ** chunk of all outputs */
  int32_t  columns, rows, across;  /* columns: number of outputs of a block; rows: number of threads of an output, a
                                   ** power of 2 unless `across` is set; across: true if the threads of neighbouring
                                   ** outputs are neighbours */
  int32_t  parts;                  /* only for reduce_merge: number of stored accumulators of an output */
  double   correction;
  gpu_nest kept, reduced;          /* loop nests: `kept` has the strides of out and of in, and `reduced` the strides
                                   ** of in */
} reduce_args;

#endif
