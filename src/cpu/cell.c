/* Steps of recurrent cells: rows are shared out. */

#include "cpu.h"

enum { GRAIN = 1 << 11 };    /* elements, of five exponentials each: 10 µs */

int cpu_cell(int index, const cell_call *c) {
  (void)index;
  cell_kernel run = cpu_isa->cell->kernel[c->op][c->dtype];
  if (!run) return ERR_NO_KERNEL;
  int threads = cpu_threads(c->rows * c->width, GRAIN);
  #pragma omp parallel for if(threads > 1) num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; t++) run(c, c->rows * t / threads, c->rows * (t + 1) / threads);
  return OK;
}
