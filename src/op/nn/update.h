#ifndef LT_OP_NN_UPDATE_H
#define LT_OP_NN_UPDATE_H

/* Updates of parameters in place: the rows of update.def. */

#include "base/tensor.h"

typedef struct update_info {
  const char *name;
  int         numbers, states;
  const char *state[UPDATE_STATES];      /* names of the states in Lua */
} update_info;

extern const update_info update_rows[UPDATE_COUNT];

/* Both functions take the parameter, its gradient and the row's states, all of one shape, dtype and place.
** They fail with ERR_READONLY if several elements of the parameter or of a state share a place, and with ERR_OVERLAP if
** the gradient, which is only read, shares memory with another operand. op_update_check checks for both errors. *flat
** becomes true if all operands are contiguous. */
int op_update_check(tensor *const *at, int operands, bool *flat);
int op_update(enum update_op op, tensor *const *at, const double *number);

#endif
