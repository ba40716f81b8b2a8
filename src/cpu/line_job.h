#ifndef LT_CPU_LINE_JOB_H
#define LT_CPU_LINE_JOB_H

/* What scans and softmax share: lines go to a kernel some at a time, gathered and converted where they
** are strided or of another dtype. */

#include "cpu/cpu.h"

typedef struct line_job {
  const line_call *c;
  int64_t    out_n;                 /* elements of a line of out */
  enum dtype gives;                 /* what the kernel writes */
  void (*run)(const struct line_job *job, const line_tile *t);
  const void *kernel;               /* for run */
} line_job;

/* Every line through job->run, on as many threads as pay; OK or ERR_MEMORY. */
int cpu_lines(const line_job *job);

#endif
