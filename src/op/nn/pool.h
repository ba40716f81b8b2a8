#ifndef LT_OP_NN_POOL_H
#define LT_OP_NN_POOL_H

/* Pooling and its gradients: determines shapes, makes operands contiguous, and makes the call. Raises no Lua errors. */

#include "op/op.h"

/* A pooling. `in` is 3-d (signals) or 4-d. It is x, or y's gradient if op computes x's gradient. The caller sets in, op
** and the windows in call; for gradients also position and in's lengths. pool_prepare sets the rest. */
typedef struct pool_job {
  const tensor *in, *position;         /* position: int32, of y's shape, for POOL_max_back */
  bool          ceil;                  /* windows may extend beyond x and its padding if they begin inside of them */
  shape         shape;                 /* shape of the result */
  pool_call     call;                  /* for adaptive pooling, the caller sets `out`, too */
} pool_job;

/* Computes shapes, without allocating memory. Fails with ERR_RANK, ERR_DTYPE or ERR_DEVICES, with ERR_OVERFLOW for
** planes of 2^31 elements, with ERR_INNER if lengths do not fit together, or with ERR_EMPTY if a window has no element
** of x. */
int pool_prepare(pool_job *j);

/* Computes the result and, for POOL_max, the positions (int32; NULL: not wanted). Both have the prepared shape. */
int pool_run(const pool_job *j, tensor *out, tensor *position);

#endif
