#ifndef LT_OP_INDEX_H
#define LT_OP_INDEX_H

/* Access through index tensors and masks: every function with indices becomes one device call. */

#include "op/op.h"

/* One index tensor (int64, contiguous) and the dim of the target that it indexes. */
typedef struct index_input {
  const tensor *t;
  int64_t stride[MAX_DIMS];     /* strides over the positions */
  int64_t length, step;         /* length and stride of the indexed dim */
  int     dim;                  /* the script's number of that dim, 0-based, for error messages */
} index_input;

/* Elements of `target`, at positions of shape `shape`. */
typedef struct index_job {
  enum index_op op;
  shape   shape;
  tensor  target;               /* storage, offset and dtype of the target at the first position */
  int64_t stride[MAX_DIMS];     /* the target's strides over the positions, 0 in indexed dims */
  int     nindex;
  index_input index[MAX_DIMS];
  bool    sound;                /* the positions come from masks, so they are in range and distinct */
  const char *function;         /* the beginning of error messages: a literal */
  int64_t bad;                  /* after ERR_INDEX: the invalid value, and the number of its index tensor */
  int     bad_index;
} index_job;

/* Starts a job on x, without positions and indices. */
void index_start(index_job *j, enum index_op op, const tensor *x);

/* Adds a dim of x without an index to the positions. */
void index_dim(index_job *j, const tensor *x, int dim);

/* Adds index tensor t for dim `dim` of x. The shape of t must broadcast to dims first … first + ndim - 1 of the
** positions. */
int index_add_input(index_job *j, const tensor *t, int first, int ndim, const tensor *x, int dim);

/* Runs the job. values have the target's dtype and are broadcast to the positions. For a get, they have the positions'
** shape and are written. Fails with ERR_INDEX, ERR_BROADCAST, ERR_DEVICES, ERR_READONLY, ERR_OVERLAP, ERR_DTYPE or
** ERR_NO_KERNEL. */
int index_run(index_job *j, tensor *values);

/* op_count_true counts the true elements of a contiguous bool tensor. op_nonzero writes their positions as rows of out
** [ndim, count]. */
int op_count_true(const tensor *mask, int64_t *count);
int op_nonzero(const tensor *mask, tensor *out);

/* out[i] = 1-based place of values[i] in sorted. Both inputs have the same compute dtype. All operands are
** contiguous. */
int op_search(const tensor *sorted, const tensor *values, bool right, tensor *out);

#endif
