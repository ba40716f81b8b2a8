#ifndef LT_OP_NN_NORM_H
#define LT_OP_NN_NORM_H

/* Normalisation of tensors, and its gradients: checks the tensors and calls the device. norm_call in base/calls.h
** describes the computation. */

#include "base/tensor.h"

typedef struct norm_job {
  enum norm_kind kind;
  bool          rms, given;
  int64_t       segments, groups;      /* number of segments of a row; number of sets of parameters, of which row r
                                       ** uses set r % groups; the caller sets both for NORM_rows, otherwise
                                       ** norm_prepare does */
  int64_t       run;                   /* number of elements of a segment; the caller sets it for NORM_rows forward,
                                       ** otherwise norm_prepare does */
  double        eps, momentum;
  const tensor *x, *weight, *bias;     /* x: floats; for the kinds NORM_softmax and NORM_log_softmax the result of
                                       ** softmax. weight, bias: floats, or NULL */
  tensor       *running_mean, *running_var;   /* only for NORM_channels; may be NULL */
  const tensor *gradient, *kept;       /* backward only: the gradient of the result, and the stats that norm_run wrote
                                       ** (NULL for the softmax kinds) */
  int64_t       rows;                  /* number of rows; norm_prepare sets this field and the fields below */
  enum dtype    compute;               /* dtype of stats, and of the gradients of weight and bias */
  shape         stats, parameters;     /* shapes of stats, and of weight and bias */
} norm_job;

/* Sets the fields from `rows` on. Fails with ERR_INNER if shapes, groups, counts of elements or dtypes are not
** consistent, or with ERR_DEVICES. */
int norm_prepare(norm_job *j);

/* Writes `out`, which has x's shape and dtype, and stats. Unless j->given is set, also updates running_mean and
** running_var, where they are not NULL. */
int norm_run(const norm_job *j, tensor *out, tensor *stats);

/* Writes those of the three gradients that are not NULL. */
int norm_back(const norm_job *j, tensor *dx, tensor *dweight, tensor *dbias);

#endif
