#ifndef LT_CPU_LINE_JOB_H
#define LT_CPU_LINE_JOB_H

/* Runs scans and softmax (scan.c, softmax.c) along a dim: passes tiles of lines to a kernel. A line is the sequence
** of elements along the dim. If lines are strided or of a dtype that the kernel does not have, their elements are
** gathered and converted first. */

#include "cpu/cpu.h"

typedef struct line_job {
  const line_call *c;
  int64_t    out_n;                 /* the number of elements of a line of the output */
  enum dtype gives;                 /* the dtype of the kernel's output */
  void (*run)(const struct line_job *job, const line_tile *t);
  const void *kernel;               /* the kernel that `run` calls, or a struct with this kernel */
} line_job;

/* Runs job->run on every line; threads share the lines. Returns OK or ERR_MEMORY. */
int cpu_lines(const line_job *job);

/* True if the kernels get the lines of two jobs in the same form: each line as a row, or each line as a column among the same
** neighbours. The jobs differ only in the number of lines. */
bool cpu_lines_alike(const line_job *a, const line_job *b);

#endif
