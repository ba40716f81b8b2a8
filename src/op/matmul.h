#ifndef LT_OP_MATMUL_H
#define LT_OP_MATMUL_H

/* Matrix products: chooses the dtype, broadcasts the batch dims, and makes the call. Raises no Lua errors. */

#include "op/op.h"

enum matmul_kind {
  MATMUL_matmul,      /* as in the array API standard: a 1-d input is one row (left) or column (right), batch dims
                      ** broadcast */
  MATMUL_vecdot       /* [..., k] with [..., k]: sums of products along the last dim */
};

/* A product. The caller sets kind, a and b, matmul_prepare the rest. */
typedef struct matmul_job {
  enum matmul_kind kind;
  const tensor *a, *b;
  enum dtype dtype;           /* dtype of the computation and the result; may be widened after matmul_prepare */
  shape      shape;           /* shape of the result */
  shape      batch;           /* its batch dims */
} matmul_job;

/* Applies to all later products of the whole process. */
void matmul_set_precision(enum precision p);
enum precision matmul_precision(void);

/* ERR_RANK (a 0-d input) ERR_INNER ERR_BROADCAST ERR_NDIM ERR_DTYPE ERR_DEVICES; integers only, no memory. */
int matmul_prepare(matmul_job *j);

/* out = alpha * a @ b + beta * out, with any strides; if beta is 0, out is not read. ERR_OUT_SHAPE ERR_CAST ERR_OVERLAP
** ERR_READONLY ERR_MEMORY ERR_NO_KERNEL. */
int matmul_run(const matmul_job *j, tensor *out, scalar alpha, scalar beta);

/* out = alpha * a @ b + beta * input, where input is broadcast; if beta is 0, input is not read. out may be input. Also
** ERR_BROADCAST, and ERR_SCALAR for a float alpha or beta with integers. */
int addmm_run(const matmul_job *j, const tensor *input, tensor *out, scalar alpha, scalar beta);

#endif
