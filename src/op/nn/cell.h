#ifndef LT_OP_NN_CELL_H
#define LT_OP_NN_CELL_H

/* Steps of recurrent cells on tensors. cell_call describes the computation. */

#include "base/tensor.h"

typedef struct cell_info {
  const char *name;                    /* "lstm_step" */
  int         gates[CELL_OPERANDS];    /* gates that are side by side in a row of each operand; 0: this step has no such
                                       ** operand */
} cell_info;

extern const cell_info cell_rows[CELL_COUNT];

/* True if the operand may be NULL. */
bool cell_may_lack(enum cell_op op, enum cell_operand k);

/* Runs a step. at[k] is [rows, gates * width] with contiguous rows. Fails with ERR_INNER if the shape, dtype or
** place of *wrong does not fit. */
int cell_run(enum cell_op op, const tensor *const *at, enum cell_operand *wrong);

#endif
