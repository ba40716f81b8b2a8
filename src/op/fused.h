#ifndef LT_OP_FUSED_H
#define LT_OP_FUSED_H

/* Element-wise expressions: built value by value, typed as the ops of the table are, then run as one program. */

#include "op/op.h"

enum { FUSED_VALUES = 256 };

/* A value of the expression: its dtype as scripts see it, and its number in the program. */
typedef struct fused_value {
  enum dtype dtype;
  int        at;
} fused_value;

/* What an op of the expression takes: value number `value`, or (-1) a weak number. */
typedef struct fused_arg {
  int    value;
  scalar s;
} fused_arg;

/* The program is in single assignment until it is finished: step i writes value FUSED_REGISTER + i. */
typedef struct expression {
  fused_program program;
  enum dtype    in[MAX_IN];            /* dtypes of the parameters; values 0 … nin - 1 */
  enum dtype    result;                /* of the finished expression */
  int           nvalue;
  fused_value   value[FUSED_VALUES];
} expression;

/* An expression of nin <= MAX_IN parameters. */
void expression_init(expression *e, const enum dtype *in, int nin);

/* *result = the number of the value op(in[0], …). ERR_DTYPE; ERR_SCALAR; ERR_OVERFLOW: too long. */
int expression_apply(expression *e, enum map_op op, const fused_arg *in, int *result);

/* *result = in, converted to d. ERR_SCALAR: a number that d cannot hold. */
int expression_cast(expression *e, enum dtype d, const fused_arg *in, int *result);

/* The expression is `in`, given as dtype d (DT_none: its own); registers are dealt out. ERR_OVERFLOW: too deep. */
int expression_finish(expression *e, const fused_arg *in, enum dtype d);

/* Place, shape and dtypes of a call whose inputs are in j. ERR_DTYPE: *wrong is an input whose dtype does not promote
** to its parameter's; ERR_SCALAR: a number that does not fit it. */
int fused_prepare(const expression *e, job *j, int *wrong);

/* Runs it into `out`: errors of job_run. */
int fused_run(const expression *e, const job *j, tensor *out);

#endif
