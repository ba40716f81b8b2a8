#ifndef LT_OP_SORT_H
#define LT_OP_SORT_H

/* Sorting along a dim: checks, makes the plan, and calls the device. Raises no Lua errors. */

#include "op/op.h"

/* A sort. values and positions are new contiguous tensors of in's shape with `keep` elements in dim, or NULL if they
** are not wanted. */
typedef struct sort_job {
  const tensor *in;
  int     dim;                  /* ignored if in is 0-d, which is a line of one element */
  bool    descending;
  int64_t keep;                 /* number of sorted elements to write, from the first one on; the length of dim means
                                ** all */
  tensor *values, *positions;
} sort_job;

/* Sorts. Fails with ERR_DTYPE for complex numbers, which have no order, or with ERR_MEMORY, ERR_OVERFLOW, ERR_NO_KERNEL
** and so on. */
int op_sort(const sort_job *j);

#endif
