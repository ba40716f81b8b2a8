/* Runs the kernels of softmax and log_softmax, which work along a dim. */

#include "cpu/line_job.h"

static void softmax_tile(const line_job *j, const line_tile *t) { (*(const softmax_kernel *)j->kernel)(t); }

static line_job job_of(const softmax_call *c) {
  return (line_job){.c = &c->line, .out_n = c->line.n, .gives = c->line.compute, .run = softmax_tile};
}

bool cpu_softmaxes_alike(const softmax_call *a, const softmax_call *b) {
  line_job x = job_of(a), y = job_of(b);
  return cpu_lines_alike(&x, &y);
}

int cpu_softmax(int index, const softmax_call *c) {
  (void)index;
  const softmax_table *kernels = FLOAT_TABLE(softmax, c->line.compute);
  if (!kernels) return ERR_NO_KERNEL;
  line_job j = job_of(c);
  j.kernel = &kernels->kernel[c->op];
  return cpu_lines(&j);
}
