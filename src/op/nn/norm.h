#ifndef LT_OP_NN_NORM_H
#define LT_OP_NN_NORM_H

/* Normalisation of tensors, and its gradients: norm_call says what is computed. */

#include "base/tensor.h"

typedef struct norm_job {
  enum norm_kind kind;
  bool          rms, given;
  int64_t       segments, groups;      /* of NORM_rows; for the other kinds norm_prepare sets them */
  int64_t       run;                   /* the same; NORM_rows backward: norm_prepare sets it, too */
  double        eps, momentum;
  const tensor *x, *weight, *bias;     /* x: floats; for the softmax kinds their result. The others: floats, or NULL */
  tensor       *running_mean, *running_var;   /* of NORM_channels; or NULL */
  const tensor *gradient, *kept;       /* backward: of the result; stats that norm_run wrote (softmax kinds: NULL) */
  int64_t       rows;                  /* from here on by norm_prepare */
  enum dtype    compute;               /* of stats, and of the gradients of weight and bias */
  shape         stats, parameters;     /* their shapes */
} norm_job;

/* ERR_INNER: shapes, groups, counts of elements or dtypes that do not fit one another; ERR_DEVICES. */
int norm_prepare(norm_job *j);

/* Writes out, of x's shape and dtype, and stats; running statistics follow unless they are given. */
int norm_run(const norm_job *j, tensor *out, tensor *stats);

/* Writes those gradients that are not NULL. */
int norm_back(const norm_job *j, tensor *dx, tensor *dweight, tensor *dbias);

#endif
