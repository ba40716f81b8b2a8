#ifndef LT_OP_ELEMENTWISE_H
#define LT_OP_ELEMENTWISE_H

/* Element-wise expressions. They are built one value after the other, with the dtypes of the op table, and then run as
** one program. */

#include "op/op.h"

enum { ELEMENTWISE_VALUES = 256 };

/* A value of the expression: its dtype for scripts, and its number in the program. */
typedef struct elementwise_value {
  enum dtype dtype;
  int        at;
} elementwise_value;

/* An operand of an op of the expression: value number `value`, or a weak number if `value` is -1. */
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

/* Adds the op; *result is the number of its value. ERR_DTYPE; ERR_SCALAR; ERR_OVERFLOW: the expression is too long. */
int elementwise_apply(elementwise *e, enum map_op op, const elementwise_arg *in, int *result);

/* Adds a conversion of `in` to d; *result is the number of its value. Fails with ERR_SCALAR if d cannot hold a
** number. */
int elementwise_cast(elementwise *e, enum dtype d, const elementwise_arg *in, int *result);

/* Makes `in` the result, in dtype d (DT_none: its own dtype), and allocates registers. Fails with ERR_OVERFLOW if
** too many values are needed at a time. */
int elementwise_finish(elementwise *e, const elementwise_arg *in, enum dtype d);

/* Finds place, shape and dtypes of a call with the inputs in j. Fails with ERR_DTYPE if input *wrong has a dtype that
** does not promote to its parameter's dtype, or with ERR_SCALAR if it is a number that does not fit its parameter. */
int elementwise_prepare(const elementwise *e, job *j, int *wrong);

/* Runs the expression into `out`. Errors are as for job_run. */
int elementwise_run(const elementwise *e, const job *j, tensor *out);

#endif
