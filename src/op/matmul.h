#ifndef LT_OP_MATMUL_H
#define LT_OP_MATMUL_H

/* Matrix products. matmul_prepare chooses the dtype and broadcasts the batch dims; matmul_run calls the device. The
** functions raise no Lua errors. */

#include "op/op.h"

enum matmul_kind {
  MATMUL_matmul,      /* as in the Python array API standard: a 1-d input is a row on the left and a column on the
                      ** right; batch dims broadcast */
  MATMUL_vecdot       /* inputs [..., k]: sums of products along the last dim; the left input is conjugated */
};

/* A product. The caller sets kind, a and b, and matmul_prepare sets the other fields. */
typedef struct matmul_job {
  enum matmul_kind kind;
  const tensor *a, *b;
  enum dtype dtype;           /* dtype of the computation and the result; after matmul_prepare the caller may set a
                              ** wider dtype */
  shape      shape;           /* shape of the result */
  shape      batch;           /* batch dims of the result */
  enum precision precision;   /* of a float32 product */
} matmul_job;

/* matmul_set_precision sets the precision of all later float32 products of the process. matmul_precision returns it. */
void matmul_set_precision(enum precision p);
enum precision matmul_precision(void);

/* Computes dtype and shapes, without allocating memory. Fails with ERR_RANK (for a 0-d input), ERR_INNER,
** ERR_BROADCAST, ERR_NDIM, ERR_DTYPE or ERR_DEVICES. */
int matmul_prepare(matmul_job *j);

/* Computes out = alpha * a @ b + beta * out. All tensors may have any strides. If beta is 0, out is not read. Fails
** with ERR_DEVICES, ERR_OUT_SHAPE, ERR_CAST, ERR_OVERLAP, ERR_READONLY, ERR_MEMORY or ERR_NO_KERNEL. */
int matmul_run(const matmul_job *j, tensor *out, scalar alpha, scalar beta);

/* Computes out = alpha * a @ b + beta * input, where `input` is broadcast. If beta is 0, `input` is not read. `out`
** and `input` may be the same tensor. Fails with the errors of matmul_run, with ERR_BROADCAST, or with ERR_SCALAR if
** alpha or beta does not fit the product's dtype. */
int addmm_run(const matmul_job *j, const tensor *input, tensor *out, scalar alpha, scalar beta);

/* Like addmm_run, or without an `input` like matmul_run with beta = 0, but the product may be deferred. fn is the script's
** function, a string that lives as long as the process. */
int product_run_later(const char *fn, const matmul_job *j, const tensor *input, tensor *out, scalar alpha, scalar beta);

#endif
