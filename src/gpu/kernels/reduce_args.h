#ifndef LT_REDUCE_ARGS_H
#define LT_REDUCE_ARGS_H

/* The parameters of reduce.cuh's kernels, for both sides. */

#include "plan.cuh"

enum { REDUCE_THREADS = 256 };

typedef struct reduce_args {
  const void *in;
  void   *out;
  void   *states;                  /* of chunks, where there are several: [output][chunk], across: [chunk][output] */
  int64_t outputs, n;              /* n: reduced elements of an output */
  int64_t chunk;                   /* elements of a chunk; below 2^30 */
  int32_t chunks, tiles;           /* tiles: blocks that take a chunk of all outputs */
  int32_t columns, rows, across;   /* of a block; across: threads of a row are neighbours; else rows is a power of 2 */
  int32_t parts;                   /* reduce_merge: the chunks */
  double  correction;
  nest    kept, reduced;           /* kept: strides of out and in; reduced: of in */
} reduce_args;

#endif
