#ifndef LT_OP_SORT_H
#define LT_OP_SORT_H

/* Sorting along a dim. sort_run_later checks the dtype, makes the plan, and calls the device. It raises no Lua errors. */

#include "op/op.h"

/* A sort. values and positions are new contiguous tensors of in's shape, but with `keep` elements in the sorted dim.
** Each of the two tensors may be NULL, and is then not computed. */
typedef struct sort_job {
  const tensor *in;
  int     dim;                  /* the sorted dim, 0-based; ignored if `in` is 0-d, which is treated as one element
                                ** along a dim */
  bool    descending;
  bool    select;               /* true: the values are the `keep` elements from `first` on; see sort_call */
  int64_t first;                /* 0-based */
  int64_t keep;                 /* number of sorted elements to write, beginning with the first; to write all elements,
                                ** the length of the dim */
  tensor *values, *positions;
} sort_job;

/* Sorts along dim j->dim; the sort may be deferred. fn is the script's function, a string that lives as long as the process.
** Fails with ERR_DTYPE for complex numbers, which have no order, or with ERR_MEMORY, ERR_OVERFLOW or ERR_NO_KERNEL. */
int sort_run_later(const char *fn, const sort_job *j);

#endif
