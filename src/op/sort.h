#ifndef LT_OP_SORT_H
#define LT_OP_SORT_H

/* Sorting along a dim: checks, makes the plan, and calls the device. Raises no Lua errors. */

#include "op/op.h"

/* values and positions: new contiguous tensors of in's shape with `keep` elements in dim, or NULL if not wanted. */
typedef struct sort_job {
  const tensor *in;
  int     dim;                  /* ignored if in is 0-d, which is a line of one element */
  bool    descending;
  int64_t keep;                 /* number of the first sorted elements to write; all: the length of dim */
  tensor *values, *positions;
} sort_job;

/* ERR_DTYPE: complex numbers have no order. ERR_MEMORY ERR_OVERFLOW ERR_NO_KERNEL … */
int op_sort(const sort_job *j);

#endif
