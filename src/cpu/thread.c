/* Determines the number of threads that the CPU device uses. */

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/system.h"
#include "cpu/cpu.h"

static atomic_int thread_count;       /* the number of threads; 0: neither set nor determined yet */

/* Returns the number of threads that an environment variable requests, or 0 if the variable requests none. A list
** such as "4,2", which OMP_NUM_THREADS may contain for nested regions, requests its first number. */
static int from_environment(const char *name) {
  const char *text = getenv(name);
  char *end;
  long n = text ? strtol(text, &end, 10) : 0;
  int most = system_most_threads();
  return n < 1 ? 0 : n < most ? (int)n : most;
}

/* Returns the number of processors that this process may use: the number of processors on which it may run, or the
** quota of its container if the quota is lower. */
static int processors(void) {
  double quota;
  int n = system_processors("", &quota);
  if (quota > 0 && quota < n) n = (int)ceil(quota);
  int most = system_most_threads();
  return n < 1 ? 1 : n < most ? n : most;
}

static int default_count(void) {
  int n = from_environment("OMP_NUM_THREADS"), most = from_environment("OMP_THREAD_LIMIT");
  if (n == 0) n = processors();
  return most > 0 && most < n ? most : n;
}

int cpu_thread_count(void) {
  int n = atomic_load_explicit(&thread_count, memory_order_relaxed);
  if (n == 0) {
    int none = 0;                        /* the exchange fails if another thread has set the count meanwhile */
    n = default_count();
    if (!atomic_compare_exchange_strong(&thread_count, &none, n)) n = none;
  }
  int limit = cpu_parallel_limit();
  return n <= limit ? n : limit + 1;
}

void cpu_set_thread_count(int n) {
  cpu_parallel_retry();
  atomic_store(&thread_count, n);
}

int cpu_threads(int64_t work, int64_t grain) {
  int64_t useful = work / grain;
  if (useful < 2) return 1;
  int most = cpu_thread_count();
  return useful < most ? (int)useful : most;
}

void cpu_describe(char *text, size_t size) {
  int n = snprintf(text, size, "%s kernels, %d threads; ", cpu_isa->name, cpu_thread_count());
  if (n > 0 && (size_t)n < size) cpu_blas_describe(text + n, size - (size_t)n);
}
