#ifndef LT_OP_LINE_H
#define LT_OP_LINE_H

/* Scans and softmax: dtypes, shapes, plans; then the device. Never a Lua error. */

#include "op/reduce.h"

typedef struct line_info {
  const char *name, *doc;
  bool is_scan;
  int  op;                    /* enum scan_op or softmax_op */
  enum reduce_op   reduction; /* of a scan */
  enum dtype_class class;
} line_info;

enum { LINE_COUNT = SCAN_COUNT + SOFTMAX_COUNT };
extern const line_info line_ops[LINE_COUNT];

/* An op along one dim on its way: the first part is the caller's, line_prepare fills the rest. */
typedef struct line_op {
  const line_info *info;
  const tensor *in;
  int           dim;
  bool          initial;      /* scans: the op of no elements first */
  enum dtype    dtype;        /* asked for, or DT_none */
  enum dtype    compute, result;
  shape         shape;        /* of the result */
} line_op;

int line_prepare(line_op *l);               /* ERR_DTYPE */
int line_run(const line_op *l, tensor *out);/* errors as job_run's; out is untouched then */

#endif
