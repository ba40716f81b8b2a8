/* Measures the limits of a GPU (gpu_limits, gpu_working_set): the rate of fused multiply-adds, and the bandwidths of
** reads and copies. */

#include <stdio.h>

#include "gpu/gpu.h"
#include "gpu/kernels/limits_args.h"

enum {
  ROUNDS = 10,                     /* number of runs of a measurement; the fastest run is the result */
  WAVES  = 8,                      /* blocks for each multiprocessor: 8 * LIMITS_THREADS = 2048 threads; no
                                   ** multiprocessor can run more at once */
  MOST_TIMES = 1 << 20
};
/* Bytes of the smallest block of memory that is read, and of the largest block if the GPU's cache is small. */
static const size_t LEAST = (size_t)1 << 20, MOST = (size_t)256 << 20;
enum { CACHES = 16 };                   /* the largest block is at least as large as this number of L2 caches */
static const double ENOUGH = 2e-3;                                      /* the least number of seconds that a
                                                                        ** measurement should take */

/* The state of a measurement on one GPU. */
typedef struct meter {
  gpu              *g;
  const gpu_kernel *compute, *read;
  gpu_event         from, to;
  void             *a, *b;         /* two blocks of memory, each of `bytes` bytes */
  size_t            bytes;
  int64_t           rounds;        /* number of rounds of arithmetic in the kernel `compute` */
  int64_t           times;         /* number of times that the kernel `read` reads a block */
} meter;

typedef int (*work)(const meter *m);

static int find_kernel(gpu *g, const char *entry, enum dtype d, int variant, const gpu_kernel **k) {
  uint64_t key = GPU_KEY(GPU_other, 0, d, 0, 0, 0, variant);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_source s = {.file = "limits.cuh", .entry = entry};
  gpu_define(&s, "COMPUTE=DT_%s", dtypes[d].name);
  snprintf(s.name, sizeof s.name, "%s %s", entry, dtypes[d].name);
  return gpu_build(g, key, &s, k);
}

static unsigned blocks(const meter *m) { return (unsigned)m->g->cores * WAVES; }

static int compute(const meter *m) {
  void *never = m->a;
  int64_t rounds = m->rounds;
  return gpu_launch(m->g, m->compute, blocks(m), LIMITS_THREADS, 0, (void *[]){&never, &rounds});
}

static int read_block(const meter *m) {
  const void *from = m->a;
  void *never = m->b;
  int64_t n = (int64_t)(m->bytes / 16);
  int64_t times = m->times;
  return gpu_launch(m->g, m->read, blocks(m), LIMITS_THREADS, 0, (void *[]){&from, &n, &times, &never});
}

static int copy_block(const meter *m) {
  gpu_address to = (gpu_address)(uintptr_t)m->b, from = (gpu_address)(uintptr_t)m->a;
  return gpu_check(m->g, m->g->driver->copy(to, from, m->bytes, m->g->stream), "copy");
}

static int time_once(const meter *m, work run, double *seconds) {
  const gpu_driver *d = m->g->driver;
  float milliseconds = 0;
  int st = gpu_check(m->g, d->event_record(m->from, m->g->stream), "event");
  if (st == OK) st = run(m);
  if (st == OK) st = gpu_check(m->g, d->event_record(m->to, m->g->stream), "event");
  if (st == OK) st = gpu_check(m->g, d->event_sync(m->to), "event");
  if (st == OK) st = gpu_check(m->g, d->event_elapsed(&milliseconds, m->from, m->to), "event");
  *seconds = milliseconds * 1e-3 + 1e-9;       /* the time is a divisor and must not be 0, but the clock of the
                                               ** emulator may not advance */
  return st;
}

/* Measures the fastest of ROUNDS runs. Stops after a run of more than 10 * ENOUGH seconds, because the time of such a
** long run is reliable. */
static int best(const meter *m, work run, double *seconds) {
  double once;
  int st = time_once(m, run, seconds);         /* a warm-up run; counts only if no later run is faster */
  for (int round = 0; round < ROUNDS && st == OK; round++) {
    st = time_once(m, run, &once);
    if (once < *seconds) *seconds = once;
    if (once > 10 * ENOUGH) break;
  }
  return st;
}

static int measure_compute(meter *m, double *flops) {
  double seconds = 0;
  int st = OK;
  for (m->rounds = 8; st == OK && seconds < ENOUGH && m->rounds < (int64_t)1 << 32; ) {
    m->rounds *= 2;
    st = best(m, compute, &seconds);
  }
  *flops = 2.0 * LIMITS_CHAINS * (double)m->rounds * LIMITS_THREADS * blocks(m) / seconds;
  return st;
}

static int take_blocks(meter *m) {
  int st = gpu_scratch(m->g, m->bytes, &m->a);
  if (st == OK) st = gpu_scratch(m->g, m->bytes, &m->b);
  if (st == OK) st = gpu_check(m->g, m->g->driver->set_8((gpu_address)(uintptr_t)m->a, 0, m->bytes, m->g->stream), "fill");
  return st;
}

static void give_blocks(meter *m) {
  gpu_scratch_free(m->g, m->a, m->bytes);
  gpu_scratch_free(m->g, m->b, m->bytes);
  m->a = m->b = NULL;
}

/* Measures reads and copies of larger and larger blocks, until a read takes ENOUGH seconds or the block is much
** larger than the GPU's cache. */
static int measure_memory(meter *m, device_limits *limits) {
  double read = 0, copy = 0;
  size_t caches = CACHES * (size_t)gpu_attribute_of(m->g->driver, m->g->id, GPU_L2_CACHE), most = caches > MOST ? caches : MOST;
  int st = OK;
  for (m->bytes = LEAST; st == OK; m->bytes = 4 * m->bytes < most ? 4 * m->bytes : most) {
    st = take_blocks(m);
    if (st == OK) st = best(m, read_block, &read);
    if (st == OK) st = best(m, copy_block, &copy);
    give_blocks(m);
    if (read >= ENOUGH || m->bytes >= most) break;
  }
  limits->read = (double)m->bytes / read;
  limits->copy = 2.0 * (double)m->bytes / copy;
  return st;
}

/* Measures repeated reads of m->bytes bytes. The number of repetitions is doubled until the time of the launch is
** negligible. */
static int measure_set(meter *m, device_working_set *w) {
  double seconds = 0;
  int st = take_blocks(m);
  for (m->times = 1; st == OK; m->times *= 2) {
    st = best(m, read_block, &seconds);
    if (seconds >= ENOUGH || m->times >= MOST_TIMES) break;
  }
  w->read = (double)m->bytes * (double)m->times / seconds;
  give_blocks(m);
  return st;
}

/* Prepares a measurement. The caller must call close_meter, even after an error. */
static int open_meter(meter *m, gpu *g, enum dtype d) {
  const gpu_driver *driver = g->driver;
  *m = (meter){.g = g, .times = 1};
  if (g->capturing) return ERR_CAPTURE;
  int st = find_kernel(g, "limits_compute", d, 1, &m->compute);
  if (st == OK) st = find_kernel(g, "limits_read", DT_float32, 2, &m->read);
  if (st == OK) st = gpu_check(g, driver->event_create(&m->from, 0), "making an event");
  if (st == OK) st = gpu_check(g, driver->event_create(&m->to, 0), "making an event");
  return st;
}

static void close_meter(meter *m) {
  if (m->to) m->g->driver->event_destroy(m->to);
  if (m->from) m->g->driver->event_destroy(m->from);
}

int gpu_limits(int index, enum dtype dtype, device_limits *limits) {
  gpu *g;
  meter m;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  st = open_meter(&m, g, dtype_compute(dtype) == DT_float64 ? DT_float64 : DT_float32);
  if (st == OK) st = measure_compute(&m, &limits->flops);
  if (st == OK) st = measure_memory(&m, limits);
  close_meter(&m);
  return gpu_leave(g, st);
}

int gpu_working_set(int index, size_t bytes, device_working_set *w) {
  gpu *g;
  meter m;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  st = open_meter(&m, g, DT_float32);
  m.bytes = (bytes + 15) / 16 * 16;
  w->latency = 0;
  if (st == OK) st = measure_set(&m, w);
  close_meter(&m);
  return gpu_leave(g, st);
}
