#ifndef LT_OP_NN_UPDATE_H
#define LT_OP_NN_UPDATE_H

/* Updates parameters in place by the update rules of update.def. The optimisers use these functions. */

#include "base/tensor.h"

typedef struct update_info {
  const char *name;
  int         numbers, states;
  const char *state[UPDATE_STATES];      /* names of the states in Lua */
} update_info;

extern const update_info update_rows[UPDATE_COUNT];

/* The update of one parameter. at[0] is the parameter, at[1] its gradient, and at[2 …] are the states, all of the same
** shape, dtype and place. */
typedef struct parameter_update {
  enum update_op op;
  bool     flat;                         /* all operands are contiguous */
  bool     done;                         /* the update was made, or captured, or its numbers were given to a graph */
  bool     captured;                     /* the update was captured into a graph */
  tensor  *at[UPDATE_OPERANDS];          /* at[0] = NULL: there is nothing to update */
  double   number[UPDATE_NUMBERS];
  uint32_t version[UPDATE_OPERANDS];     /* for op_update: the versions of the storages before all updates */
} parameter_update;

/* Fails with ERR_READONLY if several elements of the parameter or of a state have the same address. Fails with ERR_OVERLAP
** if the gradient, which is only read, shares memory with another operand. *flat becomes true if all operands are
** contiguous. */
int op_update_check(tensor *const *at, int operands, bool *flat);

/* Makes list[first], which is not done, and all later updates of the list that are not done and have the same place and
** dtype. op_update_check must have checked the operands. These updates are one call of the device, unless one of them
** writes to a storage that another of them uses: then there is a call for each update, in the order of the list. Sets
** `done` of the updates that were made. If the result is ERR_MEMORY, nothing was written to the others. */
int op_update(parameter_update *list, int n, int first);

/* Appends the update u, which op_update_check has checked, to the list of the open deferral (op/deferral.h), and sets `done`.
** Updates that follow each other in the list are made as by op_update. If this is not possible, runs the list and leaves
** `done` as it is. Returns OK, or an error of the list. */
int update_defer(parameter_update *u);

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

/* True if this thread captures a graph on `where`. */
bool update_is_captured(place where);

/* From update_collect to update_collect(NULL), the updates of this thread are numbers for c's cells: op_update must not be
** called, and update_give takes the numbers of the updates that op_update would make, for the next cells. at[1], the
** gradient, is not used. Returns n, or the position of an update whose cell has another rule or other memory, or for which
** there is no cell. */
void update_collect(update_cells *c);
bool update_is_collecting(void);
int  update_give(parameter_update *list, int n, int first);

/* Copies the given numbers to the device. */
int  update_send(const update_cells *c);
void update_cells_free(update_cells *c);
void update_cells_forget(update_cells *c);      /* the same if the device's memory was lost */

#endif
