/* Steps of recurrent cells (LSTM and GRU). Threads share the rows. */

#include "cpu/box.h"

enum { GRAIN = 1 << 11 };    /* the fewest elements for each thread: with five exponentials each they take 10 µs */

typedef struct cell_work {
  const cell_call *call;
  cell_kernel run;
} cell_work;

static void run_rows(const void *task_at, int64_t begin, int64_t end, int worker) {
  const cell_work *t = task_at;
  (void)worker;
  t->run(t->call, begin, end);
}

int cpu_cell(int index, const cell_call *c) {
  (void)index;
  const cell_table *kernels = FLOAT_TABLE(cell, c->dtype);
  if (!kernels) return ERR_NO_KERNEL;
  int threads = cpu_threads(c->rows * c->width, GRAIN);
  share_long(&(cell_work){c, kernels->kernel[c->op]}, run_rows, c->rows, c->width, threads);
  return OK;
}
