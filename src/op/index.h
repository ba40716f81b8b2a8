#ifndef LT_OP_INDEX_H
#define LT_OP_INDEX_H

/* Access through index tensors and masks: below it, every function that takes indices is one device call. */

#include "op/op.h"

/* One index tensor (int64, contiguous) and the dim of the target that it indexes. */
typedef struct index_input {
  const tensor *t;
  int64_t stride[MAX_DIMS];     /* over the positions */
  int64_t length, step;         /* of the indexed dim: its length and stride */
  int     dim;                  /* that dim as the script counts it, 0-based: for words */
} index_input;

/* Elements of `target` at positions of shape `shape`. */
typedef struct index_job {
  enum index_op op;
  shape   shape;
  tensor  target;               /* where positions start: storage, offset, dtype count */
  int64_t stride[MAX_DIMS];     /* target's over the positions, 0 in indexed dims */
  int     nindex;
  index_input index[MAX_DIMS];
  bool    sound;                /* positions of masks: in range and distinct */
  const char *function;         /* what messages begin with: a literal */
  int64_t bad;                  /* with ERR_INDEX: the value, and whose it is */
  int     bad_index;
} index_job;

/* Starts a job on x: no positions, no index. */
void index_start(index_job *j, enum index_op op, const tensor *x);

/* Positions get a dim of x without index. */
void index_dim(index_job *j, const tensor *x, int dim);

/* Index tensor t, of a shape that broadcasts to dims first … first + ndim - 1 of the positions, picks in dim of x. */
int index_add_input(index_job *j, const tensor *t, int first, int ndim, const tensor *x, int dim);

/* Runs it. values: the target's dtype, broadcast to the positions (get: of their shape, written).
** ERR_INDEX ERR_BROADCAST ERR_DEVICES ERR_READONLY ERR_OVERLAP ERR_DTYPE ERR_NO_KERNEL. */
int index_run(index_job *j, tensor *values);

/* True elements of a contiguous bool tensor; then their positions as rows of out [ndim, count]. */
int op_count_true(const tensor *mask, int64_t *count);
int op_nonzero(const tensor *mask, tensor *out);

/* out[i] = 1-based place of values[i] in sorted; both of one compute dtype, all contiguous. */
int op_search(const tensor *sorted, const tensor *values, bool right, tensor *out);

#endif
