#ifndef LT_OP_NN_NORM_H
#define LT_OP_NN_NORM_H

/* Normalisation of tensors, and its gradients. These functions check the tensors and call the device. norm_call in
** base/calls.h describes the computation. */

#include "base/tensor.h"

typedef struct norm_job {
  enum norm_kind kind;
  bool          rms, given;
  int64_t       segments, groups;      /* segments: number of segments of a row. groups: number of sets of
                                       ** parameters; row r uses set r % groups. The caller sets both fields for
                                       ** NORM_rows; otherwise norm_prepare sets them */
  int64_t       run;                   /* number of elements of a segment; the caller sets this field for a forward
                                       ** call of NORM_rows; otherwise norm_prepare sets it */
  double        eps, momentum;
  const tensor *x, *weight, *bias;     /* x: floats; for the kinds NORM_softmax and NORM_log_softmax the result of
                                       ** softmax. weight, bias: floats, or NULL */
  tensor       *running_mean, *running_var;   /* only for NORM_channels; may be NULL */
  const tensor *gradient, *kept;       /* backward only: the gradient of the result, and the stats of the forward call
                                       ** (NULL for the softmax kinds) */
  int64_t       rows;                  /* number of rows; norm_prepare sets this field and the fields below */
  enum dtype    compute;               /* dtype of stats, and of the gradients of weight and bias */
  shape         stats, parameters;     /* shapes of stats, and of weight and bias */
} norm_job;

/* Sets the fields from `rows` on. Fails with ERR_INNER if shapes, groups, counts of elements or dtypes are not
** consistent, or with ERR_DEVICES. */
int norm_prepare(norm_job *j);

/* Writes `out`, which has x's shape and dtype, and stats. Unless j->given is set, also updates each of running_mean
** and running_var that is not NULL, and increments their versions. The job may be deferred. fn is the script's function, a
** string that lives as long as the process. */
int norm_run_later(const char *fn, const norm_job *j, tensor *out, tensor *stats);

/* Writes each of the gradients dx, dweight and dbias that is not NULL. The job may be deferred. */
int norm_back_later(const char *fn, const norm_job *j, tensor *dx, tensor *dweight, tensor *dbias);

#endif
