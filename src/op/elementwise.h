#ifndef LT_OP_ELEMENTWISE_H
#define LT_OP_ELEMENTWISE_H

/* Element-wise expressions (lt.elementwise). An expression is built value by value, with the dtypes that the op table
** gives, and is then run as one program. */

#include "op/op.h"

enum { ELEMENTWISE_VALUES = 256 };

/* A value of the expression: the dtype that scripts see, and the number of the value in the program. */
typedef struct elementwise_value {
  enum dtype dtype;
  int        at;
} elementwise_value;

/* An operand of an op of the expression: value number `value`, or the weak number s (op/op.h) if `value` is -1. */
typedef struct elementwise_arg {
  int    value;
  scalar s;
} elementwise_arg;

/* An expression, which the functions below build and run. Until elementwise_finish, each step writes a value of its
** own: step i writes value ELEMENTWISE_REGISTER + i. */
typedef struct elementwise {
  elementwise_program program;
  enum dtype    in[ELEMENTWISE_INPUTS];/* dtypes of the parameters, which are the values 0 … nin - 1 of `value` */
  enum dtype    result;                /* dtype of the finished expression's result */
  int           nvalue;
  elementwise_value value[ELEMENTWISE_VALUES];
} elementwise;

/* True if two numbers are of the same kind and have the same bits, so that a program needs them only once. Compares only the
** fields that a number of this kind has. */
bool scalar_identical(const scalar *a, const scalar *b);

/* Starts an expression with nin parameters of the dtypes in[0 … nin - 1]. nin is at most ELEMENTWISE_INPUTS. */
void elementwise_init(elementwise *e, const enum dtype *in, int nin);

/* Adds an op with the inputs `in`, and sets *result to the number of the op's value. Fails with ERR_DTYPE, with
** ERR_SCALAR, or with ERR_OVERFLOW if the expression is too long. */
int elementwise_apply(elementwise *e, enum map_op op, const elementwise_arg *in, int *result);

/* Adds a conversion of `in` to dtype d, and sets *result to the number of the converted value. Fails with ERR_SCALAR
** if `in` is a number that does not fit d, or with ERR_OVERFLOW. */
int elementwise_cast(elementwise *e, enum dtype d, const elementwise_arg *in, int *result);

/* Adds an op that computes in dtype `compute` and whose result is converted to dtype `result`, as an op that writes a
** tensor of this dtype does. Sets *value to the number of the result. The op `positive` converts its input directly.
** Fails with ERR_OVERFLOW if the expression is too long. */
int elementwise_apply_typed(elementwise *e, enum map_op op, enum dtype compute, enum dtype result,
                            const elementwise_arg *in, int *value);

/* Makes n values the results. overwrites[k] is the number of the input whose memory gets result k, or -1. Fails with
** ERR_OVERFLOW if the expression is too long: a value that occurs twice takes a step, and so does one that would be
** written before a later step reads the memory. */
int elementwise_finish_values(elementwise *e, const int *values, const int *overwrites, int n);

/* Makes `in` the result, in dtype d or, if d is DT_none, in the dtype of `in`. Fails with ERR_OVERFLOW if the expression
** is too long. */
int elementwise_finish(elementwise *e, const elementwise_arg *in, enum dtype d);

/* Finds the place, shape and dtypes of a run with the inputs in j. Fails with ERR_DTYPE if input *wrong is a tensor
** whose dtype does not promote to the parameter's dtype. Fails with ERR_SCALAR if input *wrong is a number that does
** not fit the parameter's dtype. Fails with ERR_DEVICES or ERR_BROADCAST if the inputs are on different devices or do
** not broadcast. */
int elementwise_prepare(const elementwise *e, job *j, int *wrong);

/* Runs the expression and writes the result to `out`. The errors are those of job_run. */
int elementwise_run(const elementwise *e, const job *j, tensor *out);

#endif
