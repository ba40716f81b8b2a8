/* Measures what the processor and its memory can do at most, on all threads in use. */

#include "limits.h"

#include <omp.h>
#include <string.h>

#include "cpu.h"

enum {
  ROUNDS = 10,                   /* the best of them counts */
  COMPUTE_ROUNDS = 1 << 21       /* about 10 ms of FMAs on each thread */
};
static const size_t BLOCK = (size_t)256 << 20;   /* bytes: many times any cache of a core, most of a socket's */

/* One thread's piece of the work: of BLOCK bytes, or a number of rounds. */
typedef struct share {
  const limits_table *loops;
  char  *from, *to;
  size_t bytes;
} share;

typedef void (*work)(const share *s);

static volatile double sink;     /* keeps the results alive */

static void compute_float(const share *s)  { sink = s->loops->compute_float(COMPUTE_ROUNDS); }
static void compute_double(const share *s) { sink = s->loops->compute_double(COMPUTE_ROUNDS); }
static void fill_share(const share *s)     { memset(s->from, 1, s->bytes); }
static void read_share(const share *s)     { sink = (double)s->loops->read(s->bytes, s->from); }
static void copy_share(const share *s)     { s->loops->copy(s->bytes, s->to, s->from); }
static void memcpy_share(const share *s)   { memcpy(s->to, s->from, s->bytes); }   /* past the cache, where libc does so */

/* Thread t of n gets its own part of the two blocks; from NULL where the work needs none. */
static share share_of(const limits_table *loops, char *from, char *to, int t, int n) {
  size_t each = BLOCK / (size_t)n / 4096 * 4096, start = each * (size_t)t;
  return (share){loops, from ? from + start : NULL, to ? to + start : NULL, each};
}

/* Seconds of the fastest of ROUNDS, all threads at once; a first round touches the memory. */
static double best_seconds(work run, const limits_table *loops, char *from, char *to) {
  int n = cpu_thread_count();
  double best = 0;
  for (int round = 0; round <= ROUNDS; round++) {
    double start = 0, end = 0;
    #pragma omp parallel num_threads(n)
    {
      share mine = share_of(loops, from, to, omp_get_thread_num(), n);
      #pragma omp barrier
      #pragma omp master
      start = omp_get_wtime();
      run(&mine);
      #pragma omp barrier
      #pragma omp master
      end = omp_get_wtime();
    }
    if (round > 0 && (best == 0 || end - start < best)) best = end - start;
  }
  return best;
}

static double bytes_per_second(work run, double bytes, const limits_table *loops, char *from, char *to) {
  return bytes / best_seconds(run, loops, from, to);
}

static double larger(double a, double b) { return a > b ? a : b; }

static double flops_per_second(const limits_table *loops, enum dtype compute) {
  bool wide = compute == DT_float64;
  double lanes = loops->vector / (wide ? 8.0 : 4.0);
  double flops = 2.0 * lanes * loops->chains * COMPUTE_ROUNDS * cpu_thread_count();
  return flops / best_seconds(wide ? compute_double : compute_float, loops, NULL, NULL);
}

int cpu_limits(int index, enum dtype dtype, device_limits *limits) {
  void *from = NULL, *to = NULL;
  if (cpu_alloc(index, BLOCK, &from) != OK) return ERR_MEMORY;
  if (cpu_alloc(index, BLOCK, &to) != OK) {
    cpu_free(index, from, BLOCK);
    return ERR_MEMORY;
  }
  const limits_table *loops = cpu_best_isa()->limits;
  double bytes = (double)(BLOCK / (size_t)cpu_thread_count() / 4096 * 4096 * (size_t)cpu_thread_count());
  best_seconds(fill_share, loops, from, NULL);   /* each thread's part in its own memory */
  limits->flops = flops_per_second(loops, dtype_compute(dtype));
  limits->read = bytes_per_second(read_share, bytes, loops, from, NULL);
  limits->copy = larger(bytes_per_second(copy_share, 2 * bytes, loops, from, to),
                        bytes_per_second(memcpy_share, 2 * bytes, loops, from, to));
  cpu_free(index, to, BLOCK);
  cpu_free(index, from, BLOCK);
  return OK;
}
