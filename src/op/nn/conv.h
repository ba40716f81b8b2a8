#ifndef LT_OP_NN_CONV_H
#define LT_OP_NN_CONV_H

/* Convolutions and their gradients: determines shapes, makes operands contiguous, and makes the call. Raises no Lua
** errors. */

#include "op/op.h"

/* Lengths along height and width; for signals the first is 1. */
typedef struct conv_geometry {
  int64_t stride[2], before[2], after[2], dilation[2], groups;   /* before, after: zero padding of x on each side */
} conv_geometry;

/* A convolution, where x, w and y are 3-d (signals) or 4-d. The caller sets op, geometry and the two input tensors. For
** CONV_input the caller also sets length to x's length, for CONV_weight to the kernel's, because these lengths are
** ambiguous. conv_prepare sets the rest. */
typedef struct conv_job {
  enum conv_op  op;
  conv_geometry geometry;
  const tensor *x, *w, *y, *bias;      /* bias: for CONV_forward, or NULL */
  int64_t       length[2];
  shape         shape;                 /* shape of the result */
  conv_call     call;
} conv_job;

/* Computes shapes, without allocating memory. Fails with ERR_RANK, ERR_DTYPE or ERR_DEVICES, or with ERR_INNER if
** lengths or channels do not fit together. */
int conv_prepare(conv_job *j);

/* Computes the result into `out`, which must not share memory with the inputs. Fails with ERR_DEVICES,
** ERR_OUT_SHAPE, ERR_CAST, ERR_READONLY or ERR_OVERLAP, and then `out` is unchanged, or with ERR_MEMORY, ERR_NO_KERNEL
** and so on. */
int conv_run(const conv_job *j, tensor *out);

/* Sets the lengths of an image's two dims, for t of shape [n, c, h, w]. For a signal, [n, c, w], the first length is
** 1. */
void op_spatial(const tensor *t, int64_t length[2]);

#endif
