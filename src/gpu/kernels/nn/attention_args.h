#ifndef LT_GPU_KERNELS_NN_ATTENTION_ARGS_H
#define LT_GPU_KERNELS_NN_ATTENTION_ARGS_H

/* The parameters of the kernels in attention.cuh and attention_back.cuh. This header is included by the kernels and by
** gpu/nn/attention.c. */

#include "math/base.h"

/* The number of threads that share a row of a tile. */
enum { ATTENTION_ACROSS = 8 };

/* An operand. The distances between neighbours of the batch, heads and rows are in elements. */
typedef struct attention_matrix {
  void   *data;
  int64_t batch, head, row;
} attention_matrix;

typedef struct attention_args {
  attention_matrix q, k, v, o, dout, dq, dk, dv;
  void       *log_sums, *deltas;       /* [batch, heads, queries]. log_sums may be NULL in a forward pass. deltas: for each
                                       ** query, the dot product of the result and its gradient */
  const void *mask;                    /* or NULL */
  int64_t     mask_stride[4];          /* over batch, heads, queries, keys */
  int32_t     adds, causal;            /* adds: the mask is added to the scores, instead of bool */
  int32_t     heads, queries, keys, width, out_width;
  int32_t     tiles;                   /* number of blocks of threads for a head */
  double      scale;
} attention_args;

#endif
