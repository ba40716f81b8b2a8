#ifndef LT_OP_NN_CONV_H
#define LT_OP_NN_CONV_H

/* Convolutions and their gradients. conv_prepare determines shapes; conv_run makes operands contiguous and calls the
** device. The functions raise no Lua errors. */

#include "op/op.h"

/* The parameters of a convolution along height ([0]) and width ([1]). Signals have only a width. */
typedef struct conv_geometry {
  int64_t stride[2], before[2], after[2], dilation[2], groups;   /* before, after: the number of zeros at each end of
                                                                 ** x */
} conv_geometry;

/* A convolution, where x, w and y are 3-d (signals) or 4-d (images). The caller sets op, geometry and the two input
** tensors. For CONV_input the caller also sets `length` to the lengths of x, and for CONV_weight to the lengths of the
** kernel, because the inputs do not determine these lengths. conv_prepare sets `shape` and `call`. */
typedef struct conv_job {
  enum conv_op  op;
  conv_geometry geometry;
  const tensor *x, *w, *y, *bias;      /* bias: an input of CONV_forward, or NULL */
  int64_t       length[2];
  shape         shape;                 /* shape of the result */
  conv_call     call;
} conv_job;

/* Computes shapes, without allocating memory. Fails with ERR_RANK, ERR_DTYPE or ERR_DEVICES, or with ERR_INNER if
** lengths or numbers of channels are not consistent. */
int conv_prepare(conv_job *j);

/* Computes the result into `out`, which must not share memory with the inputs. Fails with ERR_DEVICES, ERR_OUT_SHAPE,
** ERR_CAST, ERR_READONLY or ERR_OVERLAP, which leave `out` unchanged, or with ERR_MEMORY, ERR_NO_KERNEL or another
** error of the device. */
int conv_run(const conv_job *j, tensor *out);

/* Like conv_run, but the convolution may be deferred. fn is the script's function, a string that lives as long as the
** process. */
int conv_run_later(const char *fn, const conv_job *j, tensor *out);

/* Sets `length` to the height and width of t, which has the shape [n, c, h, w], or [n, c, w] for a signal. The height
** of a signal is 1. */
void op_spatial(const tensor *t, int64_t length[2]);

#endif
