#ifndef LT_OP_NN_CONV_H
#define LT_OP_NN_CONV_H

/* Convolutions and their gradients: shapes, contiguous operands, the call. Never a Lua error. */

#include "op/op.h"

/* Lengths along height and width; of signals the first is 1. */
typedef struct conv_geometry {
  int64_t stride[2], before[2], after[2], dilation[2], groups;   /* before, after: zeros around x */
} conv_geometry;

/* x, w and y are 3-d (signals) or 4-d. Fill op, geometry, and the two tensors that the third is made from, and length where
** the result's cannot be known: x's of CONV_input, the kernel's of CONV_weight; conv_prepare fills the rest. */
typedef struct conv_job {
  enum conv_op  op;
  conv_geometry geometry;
  const tensor *x, *w, *y, *bias;      /* bias: of CONV_forward, or NULL */
  int64_t       length[2];
  shape         shape;                 /* of the result */
  conv_call     call;
} conv_job;

/* ERR_RANK ERR_DTYPE ERR_DEVICES; ERR_INNER: lengths or channels that do not fit one another. Integers only, no memory. */
int conv_prepare(conv_job *j);

/* Makes the result, which was made for it. ERR_MEMORY ERR_NO_KERNEL … */
int conv_run(const conv_job *j, tensor *out);

/* The lengths of an image's two dims, [n, c, h, w]; of a line's, [n, c, w], the first is 1. */
void op_spatial(const tensor *t, int64_t length[2]);

#endif
