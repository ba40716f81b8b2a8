#ifndef LT_OP_NN_UPDATE_H
#define LT_OP_NN_UPDATE_H

/* Updates a parameter in place by one of the update rules of update.def. The optimisers use these functions. */

#include "base/tensor.h"

typedef struct update_info {
  const char *name;
  int         numbers, states;
  const char *state[UPDATE_STATES];      /* names of the states in Lua */
} update_info;

extern const update_info update_rows[UPDATE_COUNT];

/* at[0] is the parameter, at[1] its gradient, and at[2 …] are the states, all of the same shape, dtype and place.
** Both functions fail with ERR_READONLY if several elements of the parameter or of a state have the same address.
** Both functions fail with ERR_OVERLAP if the gradient, which is only read, shares memory with another operand.
** op_update_check only checks. *flat becomes true if all operands are contiguous. */
int op_update_check(tensor *const *at, int operands, bool *flat);
int op_update(enum update_op op, tensor *const *at, const double *number);

#endif
