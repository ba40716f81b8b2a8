#ifndef LT_OP_OP_H
#define LT_OP_OP_H

/* Element-wise ops. These functions choose dtypes, broadcast the inputs, make the plan (a loop nest), and call the
** device. They raise no Lua errors. */

#include "base/tensor.h"

/* An input of an op: the tensor t, or the Lua number s if t is NULL. The number is weak: it changes a result's dtype
** only if its kind (bool, integer, float, complex) is higher than the kind of all tensors. */
typedef struct arg {
  const tensor *t;
  scalar        s;
} arg;

typedef struct op_info {
  const char *name, *in_place, *doc, *expression;   /* such as "add", "add_", the documentation and "(C)(x + y)" */
  int  nin;
  enum dtype_class class;
  enum op_result   result;    /* how the result's dtype follows from the compute dtype: RESULT_SAME, RESULT_REAL or
                              ** RESULT_BOOL */
  bool selects;               /* true for a SELECT row, whose input 0 is a condition and does not affect the dtypes */
} op_info;

extern const op_info map_ops[OP_COUNT];

/* True for an op whose name ends in an underscore. Scripts cannot call such an op; functions of the library use
** it. */
bool op_is_hidden(enum map_op op);

/* An element-wise op with its inputs. The caller sets op, nin and in, and job_prepare sets the other fields. */
typedef struct job {
  enum map_op op;
  int         nin;
  arg         in[MAX_IN];
  enum map_op row;            /* the op that computes the result: `op`, or an op that computes powers with the constant
                              ** exponent in[1] faster than pow and reads only in[0] */
  enum dtype  compute, result;
  shape       shape;          /* shape of the result */
  place       place;          /* place of those inputs that are tensors */
  bool        has_place;      /* false if all inputs are numbers; then `place` is not set */
} job;

/* Computes dtypes and shape by promotion and broadcasting, without allocating memory. Fails with ERR_DTYPE,
** ERR_BROADCAST, ERR_DEVICES or ERR_SCALAR. */
int job_prepare(job *j);

/* The parts of job_prepare. job_place finds the place of the inputs. job_shape finds the shape to which the inputs
** broadcast. job_dtypes finds the compute and result dtypes from op and inputs. */
int job_place(job *j);
int job_shape(job *j);
int job_dtypes(job *j);

/* Runs the op into `out`, which may have any strides. out's dtype must be of a kind that can hold the result. If the
** call fails with ERR_DEVICES, ERR_OUT_SHAPE, ERR_CAST, ERR_OVERLAP, ERR_READONLY, ERR_NO_KERNEL or ERR_MEMORY, `out`
** is unchanged. */
int job_run(const job *j, tensor *out);

/* Runs the op like job_run, but without checks, because the caller has made `out` for this job. */
int job_compute(const job *j, tensor *out);

/* Gives the new, contiguous tensor `out` the layout of the job's inputs, so that the job reads and writes memory in
** ascending order. If all inputs of out's shape have the same order of dims in memory, out gets this order. Otherwise out
** stays row-major. Inputs of other shapes are broadcast and do not count. */
void job_layout(const job *j, tensor *out);

/* Finishes a plan of n operands: sorts the dims by the strides of operand 0, and collapses them. */
void plan_finish(plan *p, int n);

/* The parts of job_run: job_check checks that `out` may be written, and job_plan makes the loop nest over out and the
** inputs. */
int  job_check(const job *j, const tensor *out);
void job_plan(plan *p, const job *j, const tensor *out);

/* Returns OK if an op with these nin inputs and a result of shape `s` may write `out`. Otherwise returns
** ERR_OUT_SHAPE, ERR_CAST, ERR_READONLY or ERR_OVERLAP. */
int check_target(const tensor *out, const shape *s, enum dtype result, const tensor *const *in, int nin);

/* Like check_target, for an op that reads its inputs while it writes. `out` must also be on the inputs' device, and
** must not begin at the address of an input. */
int check_apart(const tensor *out, const shape *s, enum dtype result, const tensor *const *in, int nin);

/* Two functions for ops that can write only contiguous memory of the result's dtype. op_target sets *to: to `out`
** itself if `out` is such memory, else to `fresh`, a new tensor. After the op, the caller calls op_settle with the op's
** status st. If st is OK, op_settle copies `fresh`, if used, to `out`. op_settle drops `fresh`, and returns st or the
** copy's status. */
int op_target(tensor *out, enum dtype result, tensor *fresh, tensor **to);
int op_settle(int st, tensor *out, tensor *fresh);

/* Returns the dtype to which dtype d and the input a promote. d is DT_none if there is no dtype yet. A weak number
** changes d only if its kind is higher than d's. */
enum dtype promote_arg(enum dtype d, const arg *a);

/* Returns the dtype to which n arguments promote. Tensors are promoted first, so that a number is compared with the
** kind of all tensors. */
enum dtype promote_all(const arg *in, int n);

/* True if the integer dtype d can hold i. uint64 accepts every Lua integer, because the 64 bits are kept. Always true
** for floats and bool. */
bool integer_fits(enum dtype d, int64_t i);

/* True if a tensor of dtype d can hold this number as data. A float with an integral value counts as an integer.
** Float dtypes can hold every real number. */
bool scalar_fits(enum dtype d, const scalar *s);

/* op_fill sets all of out to a value; op_copy sets out = in, converted and broadcast. The errors are those of
** job_run. */
int op_fill(tensor *out, scalar value);
int op_copy(tensor *out, const tensor *in);

/* Like op_copy, without its checks: `in` must have out's shape and device, and the two tensors must not share memory. */
int op_copy_apart(tensor *out, const tensor *in);

/* Set *j to the job of op_fill or op_copy. Return OK if the job may run. */
int op_fill_job(job *j, tensor *out, scalar value);
int op_copy_job(job *j, tensor *out, const tensor *in);

/* Like op_copy, for a copy that is part of another operation, such as reading for the host. The caller chooses the
** device function (`entry`), and a profile does not count the copy as an op of the script. */
typedef int (*map_entry)(place where, const map_call *c);
int op_copy_by(map_entry entry, tensor *out, const tensor *in);

/* Sets out[i] = start + i * step for all i >= 0. `out` must be contiguous. */
int op_arange(tensor *out, scalar start, scalar step);

/* Sets *use to t if t is contiguous and of dtype d, else to a contiguous copy of dtype d in *fresh. fresh->store must
** be NULL before the call. After use, the caller must call tensor_drop(fresh). */
int op_plain(const tensor *t, enum dtype d, tensor *fresh, const tensor **use);

/* Makes `part` a view of the real (which = 0) or imaginary (which = 1) parts of the complex tensor z. The parts are
** every second number of z's memory. */
void tensor_part(tensor *part, const tensor *z, int which);

#endif
