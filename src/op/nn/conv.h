#ifndef LT_OP_NN_CONV_H
#define LT_OP_NN_CONV_H

/* Convolutions and their gradients: determines shapes, makes operands contiguous, and makes the call. Raises no Lua
** errors. */

#include "op/op.h"

/* Lengths along height and width; for signals the first is 1. */
typedef struct conv_geometry {
  int64_t stride[2], before[2], after[2], dilation[2], groups;   /* before, after: zero padding of x */
} conv_geometry;

/* x, w and y are 3-d (signals) or 4-d. The caller sets op, geometry, the two input tensors, and length if the result's
** length is ambiguous (x's length for CONV_input, the kernel's for CONV_weight). conv_prepare sets the rest. */
typedef struct conv_job {
  enum conv_op  op;
  conv_geometry geometry;
  const tensor *x, *w, *y, *bias;      /* bias: for CONV_forward, or NULL */
  int64_t       length[2];
  shape         shape;                 /* shape of the result */
  conv_call     call;
} conv_job;

/* ERR_RANK ERR_DTYPE ERR_DEVICES; ERR_INNER: lengths or channels do not fit together. Integers only, no memory. */
int conv_prepare(conv_job *j);

/* Computes the result into `out`, which must not share memory with the inputs. ERR_DEVICES ERR_OUT_SHAPE ERR_CAST
** ERR_READONLY ERR_OVERLAP, which leave out as it is; ERR_MEMORY ERR_NO_KERNEL … */
int conv_run(const conv_job *j, tensor *out);

/* The lengths of an image's two dims, [n, c, h, w]; for a signal, [n, c, w], the first is 1. */
void op_spatial(const tensor *t, int64_t length[2]);

#endif
