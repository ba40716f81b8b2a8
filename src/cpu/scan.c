/* Scans along a dim: cumulative sums, products, maxima and minima. */

#include <string.h>

#include "cpu/line_job.h"

enum {
  MAX_STATE = 16,         /* the size in bytes of the largest carry, the accumulator that a scan passes on from
                          ** element to element */
  AT_ONCE   = 512,        /* the most lines that are scanned at the same time */
  TOGETHER  = 8,          /* the number of segments that the kernel scans side by side, which hides the latency of a
                          ** single scan */
  LONG      = 1 << 12,    /* the least number of elements of a single line that is cut into TOGETHER segments */
  VERY_LONG = 1 << 17,    /* the least number of elements of a single line that is cut into SEGMENTS segments, which
                          ** threads share */
  SEGMENTS  = 64
};

typedef struct scan_work {
  const scan_kernel   *scan;
  const reduce_kernel *total;      /* computes the total of a segment; its accumulator has the format of a carry */
  bool initial;
  int  x_size, out_size;           /* the size in bytes of an element of input and output */
} scan_work;

/* Scans a tile in stretches of elements along its lines. The operation can be cancelled between two stretches. */
static void scan_steps(const scan_work *w, const line_tile *t, void *carry) {
  int64_t most = CANCEL_STRETCH / t->lines + 1;
  line_tile part = *t;
  for (int64_t i = 0; i < t->n && !(i > 0 && cancel_due()); i += most) {
    part.n = t->n - i < most ? t->n - i : most;
    part.x = (const char *)t->x + i * t->x_step * w->x_size;
    part.out = (char *)t->out + i * t->out_step * w->out_size;
    w->scan->scan(&part, carry);
  }
}

typedef struct long_scan {
  const scan_work *w;
  const line_tile *t;
  int64_t length;              /* the number of elements of a segment */
  char   *start;               /* the carry before each segment */
} long_scan;

static void fold_segment(const void *arg, int64_t k, int worker) {
  const long_scan *l = arg;
  (void)worker;
  l->w->total->fold(1, l->length, (const char *)l->t->x + k * l->length * l->w->x_size, 0, 0,
                    l->start + (size_t)(k + 1) * l->w->scan->size);
}

static void scan_segments(const void *arg, int64_t group, int worker) {
  const long_scan *l = arg;
  int64_t k = group * TOGETHER, n = l->length;
  line_tile part = {.lines = TOGETHER, .n = n, .x_line = n, .x_step = 1, .out_line = n, .out_step = 1};
  (void)worker;
  part.x = (const char *)l->t->x + k * n * l->w->x_size;
  part.out = (char *)l->t->out + k * n * l->w->out_size;
  scan_steps(l->w, &part, l->start + (size_t)k * l->w->scan->size);
}

/* Scans a contiguous line of n elements in segments. First the total of each segment is computed. The exclusive prefix
** sums (or products, maxima, minima) of the totals are the carries before the segments. Finally the segments are
** scanned, TOGETHER at a time. The segments depend only on n, so the result is the same for any number of threads. */
static void scan_long(const scan_work *w, const line_tile *t, char *carry) {
  int64_t count = t->n < VERY_LONG ? TOGETHER : SEGMENTS, length = t->n / count;
  char start[SEGMENTS * MAX_STATE];
  size_t size = w->scan->size;
  int threads = cpu_threads(t->n, VERY_LONG / 2);
  w->scan->init(count, start);
  long_scan l = {w, t, length, start};
  cpu_parallel(threads, count - 1, fold_segment, &l);
  for (int64_t k = 0; k < count; k++) {
    w->total->merge(1, carry, start + (size_t)k * size);
    memcpy(start + (size_t)k * size, carry, size);
  }
  cpu_parallel(threads, count / TOGETHER, scan_segments, &l);
  line_tile rest = *t;
  rest.n = t->n - count * length;
  rest.x = (const char *)t->x + count * length * w->x_size;
  rest.out = (char *)t->out + count * length * w->out_size;
  w->scan->scan(&rest, start + (size_t)(count - 1) * size);
}

/* Scans at most AT_ONCE lines. If w->initial is true, the output first receives the initial state. */
static void scan_lines(const scan_work *w, line_tile *t) {
  char carry[AT_ONCE * MAX_STATE] __attribute__((aligned(64)));
  w->scan->init(t->lines, carry);
  if (w->initial) {
    w->scan->put(t->lines, carry, t->out, t->out_line);
    t->out = (char *)t->out + t->out_step * w->out_size;
  }
  bool lone = t->lines == 1 && t->n >= LONG && t->x_step == 1 && t->out_step == 1;
  if (lone) scan_long(w, t, carry);
  else scan_steps(w, t, carry);
}

static void scan_tile(const line_job *j, const line_tile *t) {
  const scan_work *w = j->kernel;
  for (int64_t i = 0; i < t->lines; i += AT_ONCE) {
    line_tile part = *t;
    part.lines = t->lines - i < AT_ONCE ? t->lines - i : AT_ONCE;
    part.x = (const char *)t->x + i * t->x_line * w->x_size;
    part.out = (char *)t->out + i * t->out_line * w->out_size;
    scan_lines(w, &part);
  }
}

static const enum reduce_op total_of[SCAN_COUNT] = {
#define SCAN(name, reduction, ...) [SCAN_##name] = REDUCE_##reduction,
#include "ops.def"
};

bool cpu_scans_alike(const scan_call *c) { return c->line.n < LONG; }

int cpu_scan(int index, const scan_call *c) {
  (void)index;
  enum dtype compute = c->line.compute;
  const scan_kernel *k = &cpu_isa->scan->kernel[c->op][compute];
  if (!k->scan) return ERR_NO_KERNEL;
  scan_work w = {.scan = k, .total = &cpu_isa->reduce->kernel[total_of[c->op]][compute], .initial = c->initial,
                 .x_size = dtype_size(compute), .out_size = dtype_size(k->gives)};
  line_job j = {.c = &c->line, .out_n = c->line.n + c->initial, .gives = k->gives, .run = scan_tile, .kernel = &w};
  return cpu_lines(&j);
}
