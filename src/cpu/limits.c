/* Measures the speed limits of the processor and its memory, with all threads that the CPU device uses. */

#include "cpu/limits.h"

#include <string.h>

#include "base/system.h"
#include "cpu/cpu.h"

enum {
  ROUNDS = 10,                   /* the number of rounds of a measurement; the fastest round is the result */
  COMPUTE_ROUNDS = 1 << 21,      /* the number of rounds of compute_float: about 10 ms of FMAs on each thread */
  STEPS = 1 << 16,               /* the number of dependent loads in a round: 70 µs from L1, 5 ms and more from
                                 ** memory */
  LINE = 64
};
static const size_t BLOCK = (size_t)256 << 20;   /* the size in bytes of a block: many times the cache of any core,
                                                 ** and more than the shared caches of most processors */
static const size_t TRAFFIC = (size_t)64 << 20;  /* the size in bytes of the data that a thread reads in a round;
                                                 ** smaller working sets are read several times, and larger ones
                                                 ** once */

/* One thread's part of the work: `bytes` bytes at `from` and `to`. Computing loops use only `loops`. */
typedef struct share {
  const limits_table *loops;
  char  *from, *to;
  size_t bytes;
} share;

typedef void (*work)(const share *s);

static volatile double sink;     /* stores results, so that the compiler cannot remove the computations */

static void compute_float(const share *s)  { sink = s->loops->compute_float(COMPUTE_ROUNDS); }
static void compute_double(const share *s) { sink = s->loops->compute_double(COMPUTE_ROUNDS); }
static void fill_share(const share *s)     { memset(s->from, 1, s->bytes); }
static void read_share(const share *s)     { sink = (double)s->loops->read(s->bytes, s->from, 1); }
static void copy_share(const share *s)     { s->loops->copy(s->bytes, s->to, s->from); }
/* bypasses the cache if the C library's memcpy does so for large copies */
static void memcpy_share(const share *s)   { memcpy(s->to, s->from, s->bytes); }

typedef struct round_task {
  work run;
  const share *each;
} round_task;

/* Runs the work on thread t's part of the two blocks. The blocks are NULL if the work needs no memory. */
static void run_share(const void *arg, int64_t t, int worker) {
  const round_task *r = arg;
  const share *each = r->each;
  size_t start = each->bytes * (size_t)t;
  (void)worker;
  r->run(&(share){each->loops, each->from ? each->from + start : NULL, each->to ? each->to + start : NULL, each->bytes});
}

/* Returns the seconds of the fastest of `rounds` rounds, which run on all threads at once. An additional first round
** touches the memory and wakes the threads. `each` has the addresses of the blocks, and the number of bytes for each
** thread. */
static double best_seconds(work run, const share *each, int rounds) {
  int n = cpu_thread_count();
  double best = 0;
  for (int k = 0; k <= rounds; k++) {
    double start = system_clock();
    cpu_parallel(n, n, run_share, &(round_task){run, each});
    double took = system_clock() - start;
    if (k > 0 && (best == 0 || took < best)) best = took;
  }
  return best;
}

/* Returns the work per second of all threads, if each thread does `amount` of work in a round. */
static double rate(work run, const share *each, double amount) {
  return amount * cpu_thread_count() / best_seconds(run, each, ROUNDS);
}

static double larger(double a, double b) { return a > b ? a : b; }

static double flops_per_second(const limits_table *loops, enum dtype compute) {
  bool wide = compute == DT_float64;
  double lanes = loops->vector / (wide ? 8.0 : 4.0);
  share none = {.loops = loops};
  return rate(wide ? compute_double : compute_float, &none, 2.0 * lanes * loops->chains * COMPUTE_ROUNDS);
}

int cpu_limits(int index, enum dtype dtype, device_limits *limits) {
  void *from = NULL, *to = NULL;
  if (cpu_alloc(index, BLOCK, &from) != OK) return ERR_MEMORY;
  if (cpu_alloc(index, BLOCK, &to) != OK) {
    cpu_free(index, from, BLOCK);
    return ERR_MEMORY;
  }
  share each = {cpu_best_isa()->limits, from, to, BLOCK / (size_t)cpu_thread_count() / 4096 * 4096};
  double bytes = (double)each.bytes;
  best_seconds(fill_share, &each, 0);            /* each thread writes its part first, so that the system places the
                                                 ** part in the thread's local memory */
  limits->flops = flops_per_second(each.loops, dtype_compute(dtype));
  limits->read = rate(read_share, &each, bytes);
  limits->copy = larger(rate(copy_share, &each, 2 * bytes), rate(memcpy_share, &each, 2 * bytes));
  cpu_free(index, to, BLOCK);
  cpu_free(index, from, BLOCK);
  return OK;
}

/* ---- working sets ---- */

static int64_t passes(size_t bytes) { return bytes < TRAFFIC ? (int64_t)(TRAFFIC / bytes) : 1; }

static void read_again(const share *s) { sink = (double)s->loops->read(s->bytes, s->from, passes(s->bytes)); }

/* A cache line of a chain has the address of the chain's next line. The first line also stores the line at which
** the last round stopped. Each round continues there, so that it does not read lines that the previous round has
** fetched. */
typedef struct line {
  struct line *next, *stopped;
} line;

static line *line_at(const share *s, size_t i) { return (line *)(void *)(s->from + LINE * i); }

/* Links all cache lines to one cycle in random order (Sattolo's shuffle), so that the processor cannot prefetch
** them. */
static void make_chain(const share *s) {
  uint64_t random = 88172645463325252u;
  size_t n = s->bytes / LINE;
  for (size_t i = 0; i < n; i++) line_at(s, i)->next = line_at(s, i);
  for (size_t i = n - 1; i > 0; i--) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;       /* makes the next random number
                                                                                 ** (Marsaglia's xorshift) */
    line *a = line_at(s, i), *b = line_at(s, random % i), *next = a->next;
    a->next = b->next;
    b->next = next;
  }
  line_at(s, 0)->stopped = line_at(s, 0);
}

static void follow_chain(const share *s) {
  line *at = line_at(s, 0)->stopped;
  for (int i = 0; i < STEPS; i++) at = at->next;
  line_at(s, 0)->stopped = at;
}

int cpu_working_set(int index, size_t bytes, device_working_set *w) {
  void *block = NULL;
  size_t n = (size_t)cpu_thread_count(), each_bytes = (bytes + 4095) / 4096 * 4096;
  if (each_bytes < bytes || each_bytes > SIZE_MAX / n || cpu_alloc(index, n * each_bytes, &block) != OK) return ERR_MEMORY;
  share each = {cpu_best_isa()->limits, block, NULL, each_bytes};
  best_seconds(fill_share, &each, 0);
  w->read = rate(read_again, &each, (double)each_bytes * (double)passes(each_bytes));
  best_seconds(make_chain, &each, 0);
  w->latency = best_seconds(follow_chain, &each, ROUNDS / 2) / STEPS;
  cpu_free(index, block, n * each_bytes);
  return OK;
}
