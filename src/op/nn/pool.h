#ifndef LT_OP_NN_POOL_H
#define LT_OP_NN_POOL_H

/* Pooling and its gradients: shapes, contiguous operands, the call. Never a Lua error. */

#include "op/op.h"

/* in is 3-d (signals) or 4-d: x, or y's gradient where op makes x's. Fill in, op, what the call says of windows, and of
** gradients position and in's lengths; pool_prepare fills the rest. */
typedef struct pool_job {
  const tensor *in, *position;         /* position: int32, of y's shape: of POOL_max_back */
  bool          ceil;                  /* windows may end behind x and its padding, if they begin in them */
  shape         shape;                 /* of the result */
  pool_call     call;                  /* adaptive: out is given, too */
} pool_job;

/* ERR_RANK ERR_DTYPE ERR_DEVICES ERR_OVERFLOW (planes of 2^31 elements); ERR_INNER: lengths that do not fit one another;
** ERR_EMPTY: a window without any element of x. Integers only, no memory. */
int pool_prepare(pool_job *j);

/* Makes the result and, of POOL_max, the positions (int32; NULL: not wanted), both made for it. */
int pool_run(const pool_job *j, tensor *out, tensor *position);

#endif
