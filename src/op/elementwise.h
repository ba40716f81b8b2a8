#ifndef LT_OP_ELEMENTWISE_H
#define LT_OP_ELEMENTWISE_H

/* Element-wise expressions: built value by value, typed as the ops of the table are, then run as one program. */

#include "op/op.h"

enum { ELEMENTWISE_VALUES = 256 };

/* A value of the expression: its dtype as scripts see it, and its number in the program. */
typedef struct elementwise_value {
  enum dtype dtype;
  int        at;
} elementwise_value;

/* An operand of an op of the expression: value number `value`, or (-1) a weak number. */
typedef struct elementwise_arg {
  int    value;
  scalar s;
} elementwise_arg;

/* The program is in single assignment until it is finished: step i writes value ELEMENTWISE_REGISTER + i. */
typedef struct elementwise {
  elementwise_program program;
  enum dtype    in[MAX_IN];            /* dtypes of the parameters; values 0 … nin - 1 */
  enum dtype    result;                /* of the finished expression */
  int           nvalue;
  elementwise_value value[ELEMENTWISE_VALUES];
} elementwise;

/* An expression of nin <= MAX_IN parameters. */
void elementwise_init(elementwise *e, const enum dtype *in, int nin);

/* *result = the number of the value op(in[0], …). ERR_DTYPE; ERR_SCALAR; ERR_OVERFLOW: too long. */
int elementwise_apply(elementwise *e, enum map_op op, const elementwise_arg *in, int *result);

/* *result = in, converted to d. ERR_SCALAR: a number that d cannot hold. */
int elementwise_cast(elementwise *e, enum dtype d, const elementwise_arg *in, int *result);

/* The expression is `in`, given as dtype d (DT_none: its own); registers are dealt out. ERR_OVERFLOW: too deep. */
int elementwise_finish(elementwise *e, const elementwise_arg *in, enum dtype d);

/* Place, shape and dtypes of a call whose inputs are in j. ERR_DTYPE: *wrong is an input whose dtype does not promote
** to its parameter's; ERR_SCALAR: a number that does not fit it. */
int elementwise_prepare(const elementwise *e, job *j, int *wrong);

/* Runs it into `out`: errors of job_run. */
int elementwise_run(const elementwise *e, const job *j, tensor *out);

#endif
