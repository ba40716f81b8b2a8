#ifndef LT_OP_NN_CROSS_ENTROPY_H
#define LT_OP_NN_CROSS_ENTROPY_H

/* Cross entropy of logits and classes. These functions check the tensors and call the device. cross_entropy_call in
** base/calls.h describes the computation. */

#include "base/tensor.h"

typedef struct cross_entropy_job {
  const tensor *x, *classes;           /* x: logits [N, C], floats; classes: [N], integers */
  enum cross_entropy_reduction reduction;
  bool    ignores;                     /* true if rows of class `ignored` have the loss 0 */
  int64_t ignored;
  enum dtype compute;                  /* the dtype of losses and sums; cross_entropy_prepare sets this field and the
                                       ** shapes of both tensors */
  shape      losses, sums;
} cross_entropy_job;

/* Computes dtype and shapes. Fails with ERR_RANK if x is not 2-d or not of floats, or with ERR_DEVICES. Fails with
** ERR_INNER if `classes` is not 1-d, contains floats, or does not have as many elements as x has rows. */
int cross_entropy_prepare(cross_entropy_job *j);

/* Writes the losses, and the sums that cross_entropy_back_later needs. Fails with ERR_INDEX if a class is out of bounds,
** and sets *bad to this class. A GPU reports the error at the next wait, as ERR_LATE. If the call is deferred, the run of the
** list reports the error. */
int cross_entropy_run_later(const cross_entropy_job *j, tensor *losses, tensor *sums, int64_t *bad);

/* Writes the gradient of x to out, which has x's shape and dtype; may be deferred. g is the gradient with respect to the losses. Fails
** with ERR_INNER if g or sums has a number of elements that does not fit j, or if sums has the wrong dtype. */
int cross_entropy_back_later(const cross_entropy_job *j, const tensor *g, const tensor *sums, tensor *out);

#endif
