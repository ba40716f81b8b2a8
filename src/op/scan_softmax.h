#ifndef LT_OP_SCAN_SOFTMAX_H
#define LT_OP_SCAN_SOFTMAX_H

/* Scans (running reductions, such as cumulative sums) and softmax. These functions determine dtypes, shapes and plans,
** and call the device. They raise no Lua errors. */

#include "op/reduce.h"

typedef struct scan_softmax_info {
  const char *name, *doc;
  bool is_scan;
  int  op;                    /* a value of enum scan_op or of enum softmax_op */
  enum reduce_op   reduction; /* for a scan: the reduction of which a scan returns the intermediate results */
  enum dtype_class class;
} scan_softmax_info;

enum { SCAN_SOFTMAX_COUNT = SCAN_COUNT + SOFTMAX_COUNT };
extern const scan_softmax_info scan_softmax_rows[SCAN_SOFTMAX_COUNT];

/* An op along one dim. The caller sets the fields up to dtype, and scan_softmax_prepare sets compute, result and
** shape. */
typedef struct scan_softmax_job {
  const scan_softmax_info *info;
  const tensor *in;
  int           dim;
  bool          initial;      /* true if the result of a scan begins with the reduction of zero elements, such as 0
                              ** for sums; the result then has one more element */
  enum dtype    dtype;        /* the requested dtype, or DT_none */
  enum dtype    compute, result;
  shape         shape;        /* shape of the result */
} scan_softmax_job;

int scan_softmax_prepare(scan_softmax_job *l);                  /* returns OK or ERR_DTYPE */
void scan_softmax_plan(const scan_softmax_job *l, const tensor *out, line_call *c);   /* sets *c without the addresses of
                                                                ** in and out */
int scan_softmax_check(const scan_softmax_job *l, const tensor *out);        /* returns OK if the result may be written
                                                                ** to out, or an error of job_run */
int scan_softmax_run(const scan_softmax_job *l, tensor *out);   /* fails with the errors of job_run, and then out is
                                                                ** unchanged */

#endif
