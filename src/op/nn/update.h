#ifndef LT_OP_NN_UPDATE_H
#define LT_OP_NN_UPDATE_H

/* Updates of parameters in place: the rows of update.def. */

#include "base/tensor.h"

typedef struct update_info {
  const char *name;
  int         numbers, states;
  const char *state[UPDATE_STATES];      /* their names in Lua */
} update_info;

extern const update_info update_rows[UPDATE_COUNT];

/* at: the parameter, its gradient, the row's states, all of one shape, dtype and place. ERR_READONLY: several elements
** of the parameter or of a state share a place; ERR_OVERLAP: the gradient, which is only read, shares memory with one
** of them. op_update_check checks both, and whether all are contiguous. */
int op_update_check(tensor *const *at, int operands, bool *flat);
int op_update(enum update_op op, tensor *const *at, const double *number);

#endif
