#ifndef LT_OP_NN_ATTENTION_H
#define LT_OP_NN_ATTENTION_H

/* Attention on tensors. attention_run_later checks the operands and calls the device. attention_call in base/calls.h
** describes the computation. */

#include "base/device.h"
#include "base/tensor.h"

enum attention_tensor {
  ATTENTION_q, ATTENTION_k, ATTENTION_v, ATTENTION_mask, ATTENTION_o, ATTENTION_log_sums,
  ATTENTION_dout, ATTENTION_dq, ATTENTION_dk, ATTENTION_dv, ATTENTION_TENSORS
};

typedef struct attention_job {
  bool   back, causal;
  double scale;
  /* All tensors except mask and log_sums are [batch, heads, rows, width] with contiguous rows. The mask has the shape
  ** [batch, heads, queries, keys], with stride 0 in dims along which it is broadcast. log_sums is contiguous. mask
  ** and log_sums may be NULL. In a forward call all tensors from dout on are NULL. */
  tensor *at[ATTENTION_TENSORS];
} attention_job;

/* Returns whether the device should compute an attention by attention_run_later. The call is as in device.h. */
bool attention_is_fused(place where, const attention_call *c);

/* A forward call writes o and, unless log_sums is NULL, log_sums. A backward call writes dq, dk and dv. The call may be
** deferred. Fails with ERR_INNER if the shape, dtype or place of tensor *wrong does not fit. */
int attention_run_later(const attention_job *j, enum attention_tensor *wrong);

#endif
