#ifndef LT_OP_OP_H
#define LT_OP_OP_H

/* Element-wise ops: chooses dtypes, broadcasts, makes the plan, and calls the device. Raises no Lua errors. */

#include "base/tensor.h"

/* An input: a tensor, or a weak Lua number if t is NULL. */
typedef struct arg {
  const tensor *t;
  scalar        s;
} arg;

typedef struct op_info {
  const char *name, *in_place, *doc, *expression;   /* "add", "add_" and so on */
  int  nin;
  enum dtype_class class;
  enum op_result   result;    /* RESULT_SAME, _REAL or _BOOL */
  bool selects;               /* true for a SELECT row, which uses input 0 only as true or false */
} op_info;

extern const op_info map_ops[OP_COUNT];

/* True for a row with a name that ends in an underscore. Functions choose such a row, but scripts do not name it. */
bool op_is_hidden(enum map_op op);

/* An element-wise op. The caller sets op, nin and in, job_prepare the rest. */
typedef struct job {
  enum map_op op;
  int         nin;
  arg         in[MAX_IN];
  enum dtype  compute, result;
  shape       shape;          /* shape of the result */
  place       place;          /* place of the tensors among the inputs */
  bool        has_place;      /* false: all inputs are numbers */
} job;

/* Computes dtypes and shape by promotion and broadcasting, without allocating memory. Fails with ERR_DTYPE,
** ERR_BROADCAST, ERR_DEVICES, ERR_SCALAR and so on. */
int job_prepare(job *j);

/* The parts of job_prepare: job_place and job_shape use the inputs; job_dtypes finds compute and result dtype from op
** and inputs. */
int job_place(job *j);
int job_shape(job *j);
int job_dtypes(job *j);

/* Runs the op into `out`, which may have any strides, and any dtype of a kind that can hold the result. After
** ERR_OUT_SHAPE, ERR_CAST, ERR_OVERLAP, ERR_READONLY, ERR_NO_KERNEL and ERR_MEMORY `out` is unchanged. */
int job_run(const job *j, tensor *out);

/* Like job_run without the checks, for an output that was made for the job. */
int job_compute(const job *j, tensor *out);

/* The parts of job_run: job_check checks that `out` may be written, job_plan makes the loop nest over out and the
** inputs. */
int  job_check(const job *j, const tensor *out);
void job_plan(plan *p, const job *j, const tensor *out);

/* Returns OK if an op with a result of shape `s` from these inputs may write `out`. */
int check_target(const tensor *out, const shape *s, enum dtype result, const tensor *const *in, int nin);

/* Like check_target, for an op that reads its inputs while it writes. `out` must be on the inputs' device, and must not
** share memory with an input. */
int check_apart(const tensor *out, const shape *s, enum dtype result, const tensor *const *in, int nin);

/* For ops that write only contiguous memory of the result's dtype. op_target sets *to to `out` if `out` is such memory,
** else to `fresh`, a new tensor. After the op has returned st, op_settle copies fresh to out, drops fresh, and returns
** st or the copy's status. */
int op_target(tensor *out, enum dtype result, tensor *fresh, tensor **to);
int op_settle(int st, tensor *out, tensor *fresh);

/* Returns the dtype `d` (DT_none initially) promoted with an input. Weak numbers only raise the kind. */
enum dtype promote_arg(enum dtype d, const arg *a);

/* Returns the dtype to which n arguments promote. Tensors come first, so that a number meets the final kind. */
enum dtype promote_all(const arg *in, int n);

/* True if the integer dtype d can hold i. uint64 takes every Lua integer as the same 64 bits. Always true for floats
** and bool. */
bool integer_fits(enum dtype d, int64_t i);

/* True if a tensor of dtype d can hold this number as data. Integral floats count as integers. Float dtypes hold every
** number. */
bool scalar_fits(enum dtype d, const scalar *s);

/* op_fill sets all of out to a value; op_copy sets out = in, converted and broadcast. Errors are as for job_run. */
int op_fill(tensor *out, scalar value);
int op_copy(tensor *out, const tensor *in);

/* Like op_copy, for a step of another operation, such as reading for the host. Such a step calls another entry of the
** device, or device_map, and is not counted as an op of a script. */
typedef int (*map_entry)(place where, const map_call *c);
int op_copy_by(map_entry entry, tensor *out, const tensor *in);

/* out[i] = start + i * step; out is contiguous. */
int op_arange(tensor *out, scalar start, scalar step);

/* Sets *use to t if t is contiguous and of dtype d, else to a contiguous copy of dtype d in *fresh. The caller must
** drop *fresh by tensor_drop; its store must be NULL before the call. */
int op_plain(const tensor *t, enum dtype d, tensor *fresh, const tensor **use);

/* Makes `part` a view of the real (0) or imaginary (1) parts of the complex z, which are every second number of z's
** memory. */
void tensor_part(tensor *part, const tensor *z, int which);

/* Sets the parts of the complex out. Each input is broadcast. Errors are as for job_run. */
int op_set_parts(tensor *out, const arg *re, const arg *im);

#endif
