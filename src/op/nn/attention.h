#ifndef LT_OP_NN_ATTENTION_H
#define LT_OP_NN_ATTENTION_H

/* Attention on tensors. attention_call describes the computation. */

#include "base/tensor.h"

enum attention_tensor {
  ATTENTION_q, ATTENTION_k, ATTENTION_v, ATTENTION_mask, ATTENTION_o, ATTENTION_log_sums,
  ATTENTION_dout, ATTENTION_dq, ATTENTION_dk, ATTENTION_dv, ATTENTION_TENSORS
};

typedef struct attention_job {
  bool   back, causal;
  double scale;
  /* Tensors of [batch, heads, rows, width] with contiguous rows. The mask is broadcast to [batch, heads, queries,
  ** keys]. The sums are contiguous. NULL: there is no mask, or the sums are not wanted; forward, all tensors from dout
  ** on are NULL. */
  const tensor *at[ATTENTION_TENSORS];
} attention_job;

/* Writes o and the sums, or dq, dk and dv for a backward call. Fails with ERR_INNER if the shape, dtype or
** place of *wrong does not fit. */
int attention_run(const attention_job *j, enum attention_tensor *wrong);

#endif
