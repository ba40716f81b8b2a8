#ifndef LT_OP_NN_CELL_H
#define LT_OP_NN_CELL_H

/* Steps of recurrent cells (LSTM, GRU) on tensors. cell_run_later checks the operands and calls the device. cell_call in
** base/calls.h describes the computation. */

#include "base/tensor.h"

typedef struct cell_info {
  const char *name;                    /* the function's name in core.cells, such as "lstm_step" */
  int         gates[CELL_OPERANDS];    /* for each operand: the number of gates that are side by side in a row; 0 if
                                       ** the step does not have the operand */
} cell_info;

extern const cell_info cell_rows[CELL_COUNT];

/* True if operand k of op `op` may be NULL. */
bool cell_may_lack(enum cell_op op, enum cell_operand k);

/* Runs a step, which may be deferred. Tensor at[k] has the shape [rows, gates * width] and contiguous rows. Fails with
** ERR_INNER if the shape, dtype or place of tensor *wrong does not fit. */
int cell_run_later(enum cell_op op, tensor *const *at, enum cell_operand *wrong);

#endif
