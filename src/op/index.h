#ifndef LT_OP_INDEX_H
#define LT_OP_INDEX_H

/* Reads and writes through index tensors: take, gather, scatter, x[…] and similar functions each run one index_job.
** Also finds the true elements of masks, and searches sorted rows. */

#include "op/op.h"

/* One index tensor (int64) and the dim of the target that it indexes. */
typedef struct index_input {
  const tensor *t;
  int64_t stride[MAX_DIMS];     /* strides of t along the dims of the positions (index_job), in elements */
  int64_t length, step;         /* number of elements, and stride in elements, of the indexed dim */
  int     first, ndim;          /* t's shape broadcasts to the dims `first` … first + ndim - 1 of the positions */
  int     dim;                  /* the indexed dim as a script numbers the tensor's dims, but 0-based; used in error
                                ** messages */
} index_input;

/* An access to elements of `target`. The positions are a loop nest of shape `shape`, and each position selects one
** element of `target`. */
typedef struct index_job {
  enum index_op op;
  shape   shape;
  tensor  target;               /* the tensor x; its storage, its dtype and the offset of its first element are
                                ** used */
  int64_t stride[MAX_DIMS];     /* the target's stride, in elements, along each dim of the positions; 0 in indexed
                                ** dims */
  int     nindex;
  index_input index[MAX_DIMS];
  bool    sound;                /* true if the indices come from masks, so that they are in range and distinct */
  const char *function;         /* a string literal: the beginning of error messages */
  int64_t bad;                  /* after ERR_INDEX: the index that is out of range; bad_index is the number of its
                                ** index tensor, 0-based */
  int     bad_index;
} index_job;

/* Starts a job on x. The positions have no dims yet. */
void index_start(index_job *j, enum index_op op, const tensor *x);

/* Appends dim `dim` of x, which has no index tensor, to the dims of the positions. */
void index_dim(index_job *j, const tensor *x, int dim);

/* Adds index tensor t for dim `dim` of x. The shape of t must broadcast to the dims `first` … first + ndim - 1 of the
** positions. Otherwise the function fails with ERR_BROADCAST. */
int index_add_input(index_job *j, const tensor *t, int first, int ndim, const tensor *x, int dim);

/* Runs the job. `values` must have the target's dtype, and is broadcast to the shape of the positions. For INDEX_get,
** `values` must have exactly this shape and receives the result. Fails with ERR_INDEX, ERR_BROADCAST, ERR_DEVICES,
** ERR_READONLY, ERR_OVERLAP, ERR_DTYPE or ERR_NO_KERNEL. */
int index_run(index_job *j, tensor *values);

/* Like index_run, but the job may be deferred. Then the run of the list reports an index out of range. j->function must be
** set. */
int index_run_later(index_job *j, tensor *values);

/* op_count_true sets *count to the number of true elements of a contiguous bool tensor. op_nonzero writes the
** 1-based positions of the true elements to `out` [ndim, count], whose row d has the positions in dim d. It fails with
** ERR_CHANGED if the mask has changed since `version`, which is the version of its storage when count was known. */
int op_count_true(const tensor *mask, int64_t *count);
int op_nonzero(const tensor *mask, uint32_t version, tensor *out);

/* Searches each row (the last dim) of `sorted` for the values in the same row of `values`. Writes the 1-based
** position of the first element that is not less than the value or, if `right` is true, that is greater; n + 1 if there
** is none in the row's n elements. Both inputs have the same compute dtype, and all tensors are contiguous. May be
** deferred. */
int op_search_later(const tensor *sorted, const tensor *values, bool right, tensor *out);

#endif
