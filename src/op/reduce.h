#ifndef LT_OP_REDUCE_H
#define LT_OP_REDUCE_H

/* Reductions, such as sum and max. These functions determine dtypes, shapes and plans, and call the device. They raise
** no Lua errors. */

#include "op/op.h"

typedef struct reduce_info {
  const char *name, *doc;
  enum dtype_class class;
  enum op_result   result;
} reduce_info;

extern const reduce_info reductions[REDUCE_COUNT];

/* A reduction. The caller sets the fields up to dtype, and reduce_prepare sets compute, result and shape. */
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

/* Sets only compute and result. Fails with ERR_DTYPE if op does not support the dtype of x. */
int reduce_dtypes(reduction *r);

/* Sets compute, result and shape. Fails with ERR_DTYPE, or with ERR_EMPTY if op requires at least one element and a
** reduced dim has none. */
int reduce_prepare(reduction *r);

/* Sets *c to the device's call, without the addresses of in and out. */
void reduce_plan(const reduction *r, const tensor *out, reduce_call *c);

/* Returns OK if the result may be written to `out`, or an error of job_run. */
int reduce_check(const reduction *r, const tensor *out);

/* Runs the reduction. Fails with the errors of job_run, and then `out` is unchanged. */
int reduce_run(const reduction *r, tensor *out);

/* Returns the dtype of the result of a sum or product of elements of dtype d. */
enum dtype dtype_accum(enum dtype d);

/* Returns the compute dtype of a sum that has dtype `result`, over elements of dtype `in`. The elements are added as
** if they were first converted to dtype `result`. */
enum dtype sum_compute(enum dtype in, enum dtype result);

/* Sorts the dims of p by the absolute stride of operand k: stride 0 first, then the largest. Dims with equal strides
** keep their order. */
void plan_sort(plan *p, int k);

#endif
