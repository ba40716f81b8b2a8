#ifndef LT_OP_SORT_H
#define LT_OP_SORT_H

/* Sorting along a dim: checks and plan; then the device. Never a Lua error. */

#include "op/op.h"

/* values and positions: new contiguous tensors of in's shape with `keep` elements in dim, or NULL where not wanted. */
typedef struct sort_job {
  const tensor *in;
  int     dim;                  /* ignored where in is 0-d: a line of one element */
  bool    descending;
  int64_t keep;                 /* the first elements in order; all: the length of dim */
  tensor *values, *positions;
} sort_job;

/* ERR_DTYPE: complex numbers have no order. ERR_MEMORY ERR_OVERFLOW ERR_NO_KERNEL … */
int op_sort(const sort_job *j);

#endif
