#ifndef LT_CPU_LINE_JOB_H
#define LT_CPU_LINE_JOB_H

/* The shared part of scans and softmax: passes lines to a kernel, some at a time. Lines that are strided or of another
** dtype are gathered and converted. */

#include "cpu/cpu.h"

typedef struct line_job {
  const line_call *c;
  int64_t    out_n;                 /* elements of a line of out */
  enum dtype gives;                 /* the dtype that the kernel writes */
  void (*run)(const struct line_job *job, const line_tile *t);
  const void *kernel;               /* passed to run */
} line_job;

/* Runs job->run on every line, on as many threads as are worthwhile. OK or ERR_MEMORY. */
int cpu_lines(const line_job *job);

#endif
