#ifndef LT_OP_ELEMENTWISE_H
#define LT_OP_ELEMENTWISE_H

/* Element-wise expressions: built one value after the other, with the dtypes of the table's ops, and then run as one
** program. */

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
  enum dtype    in[MAX_IN];            /* dtypes of the parameters, which are values 0 … nin - 1 */
  enum dtype    result;                /* dtype of the finished expression */
  int           nvalue;
  elementwise_value value[ELEMENTWISE_VALUES];
} elementwise;

/* Starts an expression of nin <= MAX_IN parameters. */
void elementwise_init(elementwise *e, const enum dtype *in, int nin);

/* *result = the number of the value op(in[0], …). ERR_DTYPE; ERR_SCALAR; ERR_OVERFLOW: too long. */
int elementwise_apply(elementwise *e, enum map_op op, const elementwise_arg *in, int *result);

/* *result = in, converted to d. ERR_SCALAR: a number that d cannot hold. */
int elementwise_cast(elementwise *e, enum dtype d, const elementwise_arg *in, int *result);

/* Makes `in` the result, in dtype d (DT_none: its own), and allocates registers. ERR_OVERFLOW: too deep. */
int elementwise_finish(elementwise *e, const elementwise_arg *in, enum dtype d);

/* Finds place, shape and dtypes of a call whose inputs are in j. ERR_DTYPE: *wrong is an input whose dtype does not
** promote to its parameter's; ERR_SCALAR: *wrong is a number that does not fit its parameter. */
int elementwise_prepare(const elementwise *e, job *j, int *wrong);

/* Runs the expression into `out`; errors as for job_run. */
int elementwise_run(const elementwise *e, const job *j, tensor *out);

#endif
