#include "cpu.h"

#include <omp.h>

static int thread_count = 0;      /* 0: not asked for yet, OpenMP's own number */

int cpu_thread_count(void) { return thread_count ? thread_count : omp_get_max_threads(); }
void cpu_set_thread_count(int n) { thread_count = n; }

int cpu_threads(int64_t work, int64_t grain) {
  int most = cpu_thread_count();
  int64_t useful = work / grain;
  return useful < 2 || most < 2 ? 1 : useful < most ? (int)useful : most;
}
