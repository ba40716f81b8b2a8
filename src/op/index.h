#ifndef LT_OP_INDEX_H
#define LT_OP_INDEX_H

/* Access through index tensors and masks: every function with indices becomes one device call. */

#include "op/op.h"

/* One index tensor (int64, contiguous) and the dim of the target that it indexes. */
typedef struct index_input {
  const tensor *t;
  int64_t stride[MAX_DIMS];     /* strides over the positions */
  int64_t length, step;         /* of the indexed dim: its length and stride */
  int     dim;                  /* the script's number of that dim, 0-based, for messages */
} index_input;

/* Elements of `target`, at positions of shape `shape`. */
typedef struct index_job {
  enum index_op op;
  shape   shape;
  tensor  target;               /* storage, offset and dtype of the target, where positions start */
  int64_t stride[MAX_DIMS];     /* the target's strides over the positions, 0 in indexed dims */
  int     nindex;
  index_input index[MAX_DIMS];
  bool    sound;                /* positions of masks: in range and distinct */
  const char *function;         /* the beginning of messages: a literal */
  int64_t bad;                  /* with ERR_INDEX: the invalid value, and its index tensor */
  int     bad_index;
} index_job;

/* Starts a job on x, without positions and indices. */
void index_start(index_job *j, enum index_op op, const tensor *x);

/* Adds a dim of x without an index to the positions. */
void index_dim(index_job *j, const tensor *x, int dim);

/* Adds index tensor t, of a shape that broadcasts to dims first … first + ndim - 1 of the positions, which picks in dim
** of x. */
int index_add_input(index_job *j, const tensor *t, int first, int ndim, const tensor *x, int dim);

/* Runs the job. values: of the target's dtype, broadcast to the positions (get: of their shape, written). ERR_INDEX
** ERR_BROADCAST ERR_DEVICES ERR_READONLY ERR_OVERLAP ERR_DTYPE ERR_NO_KERNEL. */
int index_run(index_job *j, tensor *values);

/* Counts the true elements of a contiguous bool tensor; writes their positions as rows of out [ndim, count]. */
int op_count_true(const tensor *mask, int64_t *count);
int op_nonzero(const tensor *mask, tensor *out);

/* out[i] = 1-based place of values[i] in sorted. Both have one compute dtype, and all operands are contiguous. */
int op_search(const tensor *sorted, const tensor *values, bool right, tensor *out);

#endif
