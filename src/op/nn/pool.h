#ifndef LT_OP_NN_POOL_H
#define LT_OP_NN_POOL_H

/* Pooling and its gradients. pool_prepare determines shapes; pool_run makes operands contiguous and calls the device.
** The functions raise no Lua errors. */

#include "op/op.h"

/* A pooling. `in` is 3-d (signals) or 4-d (images). `in` is x, or the gradient of y if op computes the gradient of x.
** The caller sets `in`, `ceil` and, in `call`, op, adaptive, kernel, stride, dilation, pad, count_pad and divisor. For
** a gradient the caller also sets call.in (the lengths of x) and, for POOL_max_back, `position`. pool_prepare sets
** shape and the other fields of `call`, except for the addresses, which pool_run sets. */
typedef struct pool_job {
  const tensor *in, *position;         /* for POOL_max_back: the positions of the maxima, int32, with y's shape */
  bool          ceil;                  /* if true, a window may extend beyond the padded x, but must begin inside x or
                                       ** inside the padding before x */
  shape         shape;                 /* shape of the result */
  pool_call     call;                  /* for adaptive pooling, the caller also sets call.out */
} pool_job;

/* Computes shapes, without allocating memory. Fails with ERR_RANK, ERR_DTYPE or ERR_DEVICES, or with ERR_INNER if the
** lengths are not consistent. Fails with ERR_OVERFLOW if a plane has more than 2^31 - 1 elements, or with ERR_EMPTY
** if a window has no element of x. */
int pool_prepare(pool_job *j);

/* Computes the result and, for POOL_max, the positions of the maxima (int32). `position` is NULL if the positions are
** not needed. Both tensors have the shape j->shape. */
int pool_run(const pool_job *j, tensor *out, tensor *position);

/* Like pool_run, but the pooling may be deferred. fn is the script's function, a string that lives as long as the
** process. */
int pool_run_later(const char *fn, const pool_job *j, tensor *out, tensor *position);

#endif
