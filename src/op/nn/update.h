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

/* ---- graphs ----
** A captured update reads its numbers from a cell in the device's memory. Before a replay, the optimisers give the numbers
** of their next step, in the order of the capture. */

enum { UPDATE_CELLS = 64 };              /* number of cells in a block of memory, which is copied at once */

typedef struct update_block {
  double (*memory)[UPDATE_NUMBERS];      /* [UPDATE_CELLS] cells, in the device's memory */
  double now[UPDATE_CELLS][UPDATE_NUMBERS];      /* the numbers of the next replay */
  struct update_cell {
    enum update_op op;
    const void *at[UPDATE_OPERANDS];     /* the addresses of the parameter and of the states, in which the graph writes */
  } cell[UPDATE_CELLS];
} update_block;

typedef struct update_cells {
  place where;
  int   count, given;                    /* number of cells, and of the cells whose numbers were given for the next
                                         ** replay */
  int   nblock;
  update_block *block;
} update_cells;

/* From update_capture to update_capture(NULL), op_update adds a cell to c for each update at c->where by this thread. */
void update_capture(update_cells *c);

/* Returns the number of cells of the graph that this thread captures, or 0 if it captures none. */
int  update_captured(void);

/* From update_collect to update_collect(NULL), the updates of this thread are numbers for c's cells: op_update must not be
** called, and update_give takes the numbers of the next cell. `at` is as for op_update, without the gradient. Returns false
** if the cell has another rule or other memory, or if there is no further cell. */
void update_collect(update_cells *c);
bool update_is_collecting(void);
bool update_give(enum update_op op, tensor *const *at, const double *number);

/* Copies the given numbers to the device. */
int  update_send(const update_cells *c);
void update_cells_free(update_cells *c);
void update_cells_forget(update_cells *c);      /* the same if the device's memory was lost */

#endif
