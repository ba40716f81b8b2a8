#ifndef LT_OP_NN_NORM_H
#define LT_OP_NN_NORM_H

/* Normalisation of tensors, and its gradients: norm_call describes the computation. */

#include "base/tensor.h"

typedef struct norm_job {
  enum norm_kind kind;
  bool          rms, given;
  int64_t       segments, groups;      /* for NORM_rows; for the other kinds norm_prepare sets them */
  int64_t       run;                   /* the same; for NORM_rows backward, norm_prepare sets it, too */
  double        eps, momentum;
  const tensor *x, *weight, *bias;     /* x: floats; for the softmax kinds their result. The others: floats, or NULL */
  tensor       *running_mean, *running_var;   /* for NORM_channels; or NULL */
  const tensor *gradient, *kept;       /* backward: the gradient of the result; stats from norm_run (softmax kinds:
                                       ** NULL) */
  int64_t       rows;                  /* this and the following are set by norm_prepare */
  enum dtype    compute;               /* dtype of stats, and of the gradients of weight and bias */
  shape         stats, parameters;     /* their shapes */
} norm_job;

/* ERR_INNER: shapes, groups, counts of elements or dtypes do not fit together; ERR_DEVICES. */
int norm_prepare(norm_job *j);

/* Writes out, of x's shape and dtype, and stats; updates the running statistics unless they are given. */
int norm_run(const norm_job *j, tensor *out, tensor *stats);

/* Writes the gradients that are not NULL. */
int norm_back(const norm_job *j, tensor *dx, tensor *dweight, tensor *dbias);

#endif
