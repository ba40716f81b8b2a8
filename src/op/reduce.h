#ifndef LT_OP_REDUCE_H
#define LT_OP_REDUCE_H

/* Reductions: determines dtypes, shapes and plans, and calls the device. Raises no Lua errors. */

#include "op/op.h"

typedef struct reduce_info {
  const char *name, *doc;
  enum dtype_class class;
  enum op_result   result;
} reduce_info;

extern const reduce_info reductions[REDUCE_COUNT];

/* A reduction. The caller sets the first part, reduce_prepare the rest. */
typedef struct reduction {
  enum reduce_op op;
  const tensor  *in;
  uint32_t       dims;        /* bit d: dim d is reduced */
  bool           keepdim;
  double         correction;
  enum dtype     dtype;       /* the requested dtype, or DT_none */
  enum dtype     compute, result;
  shape          shape;       /* shape of the result */
} reduction;

/* Determines only the compute dtype and the result dtype. Fails with ERR_DTYPE. */
int reduce_dtypes(reduction *r);

/* Determines dtypes and shape. ERR_DTYPE; ERR_EMPTY: there are no elements to choose from. */
int reduce_prepare(reduction *r);

/* Runs the reduction. Errors are as for job_run; then out is unchanged. */
int reduce_run(const reduction *r, tensor *out);

/* Returns the dtype of sums and products of dtype d. */
enum dtype dtype_accum(enum dtype d);

/* Returns the compute dtype for a sum of `in` with dtype `result`. Elements count as converted to `result`. */
enum dtype sum_compute(enum dtype in, enum dtype result);

/* Sorts the dims of p by operand k's stride, largest first, stably. */
void plan_sort(plan *p, int k);

#endif
