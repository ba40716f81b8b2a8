#ifndef LT_OP_NN_NORM_H
#define LT_OP_NN_NORM_H

/* Normalisation of tensors, and its gradients. norm_call describes the computation. */

#include "base/tensor.h"

typedef struct norm_job {
  enum norm_kind kind;
  bool          rms, given;
  int64_t       segments, groups;      /* the caller sets them for NORM_rows; otherwise norm_prepare sets them */
  int64_t       run;                   /* the caller sets it for NORM_rows forward; otherwise norm_prepare sets it */
  double        eps, momentum;
  const tensor *x, *weight, *bias;     /* x: floats; for the softmax kinds the result of softmax. weight, bias: floats,
                                       ** or NULL */
  tensor       *running_mean, *running_var;   /* for NORM_channels, or NULL */
  const tensor *gradient, *kept;       /* backward: the gradient of the result, and the stats from norm_run (softmax
                                       ** kinds: NULL) */
  int64_t       rows;                  /* set, like the following fields, by norm_prepare */
  enum dtype    compute;               /* dtype of stats, and of the gradients of weight and bias */
  shape         stats, parameters;     /* shapes of stats, and of weight and bias */
} norm_job;

/* Computes dtype and shapes. Fails with ERR_INNER if shapes, groups, counts of elements or dtypes do not
** fit together, or with ERR_DEVICES. */
int norm_prepare(norm_job *j);

/* Writes `out`, which has x's shape and dtype, and stats. Updates the running statistics unless they are given. */
int norm_run(const norm_job *j, tensor *out, tensor *stats);

/* Writes the gradients that are not NULL. */
int norm_back(const norm_job *j, tensor *dx, tensor *dweight, tensor *dbias);

#endif
