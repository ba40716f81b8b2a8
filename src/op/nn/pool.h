#ifndef LT_OP_NN_POOL_H
#define LT_OP_NN_POOL_H

/* Pooling and its gradients: determines shapes, makes operands contiguous, and makes the call. Raises no Lua errors. */

#include "op/op.h"

/* in is 3-d (signals) or 4-d: x, or y's gradient if op computes x's. The caller sets in, op, the windows in call, and
** for gradients position and in's lengths; pool_prepare sets the rest. */
typedef struct pool_job {
  const tensor *in, *position;         /* position: int32, of y's shape, for POOL_max_back */
  bool          ceil;                  /* windows may extend beyond x and its padding, if they begin inside */
  shape         shape;                 /* shape of the result */
  pool_call     call;                  /* adaptive: `out` is set, too */
} pool_job;

/* ERR_RANK ERR_DTYPE ERR_DEVICES ERR_OVERFLOW (planes of 2^31 elements); ERR_INNER: lengths do not fit together;
** ERR_EMPTY: a window without any element of x. Integers only, no memory. */
int pool_prepare(pool_job *j);

/* Computes the result and, for POOL_max, the positions (int32; NULL: not wanted), which have the prepared shape. */
int pool_run(const pool_job *j, tensor *out, tensor *position);

#endif
