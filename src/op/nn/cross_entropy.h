#ifndef LT_OP_NN_CROSS_ENTROPY_H
#define LT_OP_NN_CROSS_ENTROPY_H

/* Cross entropy of logits and classes: cross_entropy_call describes the computation. */

#include "base/tensor.h"

typedef struct cross_entropy_job {
  const tensor *x, *classes;           /* logits [N, C], floats; [N], integers */
  enum cross_entropy_reduction reduction;
  bool    ignores;
  int64_t ignored;
  enum dtype compute;                  /* this and the following are set by cross_entropy_prepare: the dtype of losses
                                       ** and sums, their shapes */
  shape      losses, sums;
} cross_entropy_job;

/* ERR_RANK: no logits; ERR_INNER: not one class for each row; ERR_DEVICES. */
int cross_entropy_prepare(cross_entropy_job *j);

/* Writes the losses, and the sums that backward needs. ERR_INDEX: *bad is no class; a GPU reports it at the next wait
** (ERR_LATE). */
int cross_entropy_run(const cross_entropy_job *j, tensor *losses, tensor *sums, int64_t *bad);

/* out, of x's shape and dtype: the gradient of x. g: the gradient of the losses. ERR_INNER: g or sums do not belong to
** this job. */
int cross_entropy_back(const cross_entropy_job *j, const tensor *g, const tensor *sums, tensor *out);

#endif
