#ifndef LT_OP_NN_CROSS_ENTROPY_H
#define LT_OP_NN_CROSS_ENTROPY_H

/* Cross entropy of logits and classes. cross_entropy_call describes the computation. */

#include "base/tensor.h"

typedef struct cross_entropy_job {
  const tensor *x, *classes;           /* x: logits [N, C], floats; classes: [N], integers */
  enum cross_entropy_reduction reduction;
  bool    ignores;
  int64_t ignored;
  enum dtype compute;                  /* set, like the following fields, by cross_entropy_prepare: the dtype of losses
                                       ** and sums, and their shapes */
  shape      losses, sums;
} cross_entropy_job;

/* Computes dtype and shapes. Fails with ERR_RANK if x is not 2-d or not of floats, with ERR_INNER if there is not one
** class for each row, or with ERR_DEVICES. */
int cross_entropy_prepare(cross_entropy_job *j);

/* Writes the losses, and the sums that backward needs. Fails with ERR_INDEX if *bad is not a class. A GPU reports this
** error at the next wait, as ERR_LATE. */
int cross_entropy_run(const cross_entropy_job *j, tensor *losses, tensor *sums, int64_t *bad);

/* Writes the gradient of x to out, which has x's shape and dtype. g is the gradient of the losses. Fails with ERR_INNER
** if g or sums do not belong to this job. */
int cross_entropy_back(const cross_entropy_job *j, const tensor *g, const tensor *sums, tensor *out);

#endif
