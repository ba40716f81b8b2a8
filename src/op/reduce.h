#ifndef LT_OP_REDUCE_H
#define LT_OP_REDUCE_H

/* Reductions: dtypes, shapes, plans; then the device. Never a Lua error. */

#include "op/op.h"

typedef struct reduce_info {
  const char *name, *doc;
  enum dtype_class class;
  enum op_result   result;
} reduce_info;

extern const reduce_info reductions[REDUCE_COUNT];

/* A reduction in flight: the first part is the caller's, reduce_prepare fills the rest. */
typedef struct reduction {
  enum reduce_op op;
  const tensor  *in;
  uint32_t       dims;        /* bit d: dim d is reduced */
  bool           keepdim;
  double         correction;
  enum dtype     dtype;       /* asked for, or DT_none */
  enum dtype     compute, result;
  shape          shape;       /* of the result */
} reduction;

/* Only compute and result. ERR_DTYPE. */
int reduce_dtypes(reduction *r);

/* ERR_DTYPE; ERR_EMPTY: no elements to choose from. */
int reduce_prepare(reduction *r);

/* Errors as job_run's; out is untouched then. */
int reduce_run(const reduction *r, tensor *out);

/* The dtype in which sums and products of dtype d are given. */
enum dtype dtype_accum(enum dtype d);

/* The dtype to compute in when `in` is summed into `result`: elements count as converted to `result`. */
enum dtype sum_compute(enum dtype in, enum dtype result);

/* Sorts the dims of p by operand k's stride, largest first; equal ones keep their order. */
void plan_sort(plan *p, int k);

#endif
