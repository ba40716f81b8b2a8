/* Computes normalisations of rows (layer, group, instance and RMS norm) and of channels (batch norm), and the
** gradients of all normalisations and of softmax. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"

enum {
  GRAIN    = 1 << 15,     /* the fewest elements for each thread; with fewer, a thread costs more time than it
                          ** saves */
  LONG_RUN = 16,          /* a run is the elements of one channel in one row; channels with shorter runs than this
                          ** are computed by columns */
  CHUNK    = 1 << 14,     /* the number of elements of a chunk; each chunk has its own sums */
  CHUNKS   = 32,          /* the most chunks in the backward call of rows; the number depends only on the shape, so
                          ** that results do not depend on the number of threads */
  FEW      = 16           /* if there are at least this many channels with long runs, the rows are not cut into
                          ** chunks; otherwise they are cut into at most this many chunks */
};

typedef struct channel {
  double from, mean, rstd;       /* the distance of an element is (x - from) - mean; rstd: 1 / sqrt(variance + eps) */
  double by[3];                  /* the argument `by` of norm_kernel.apply_back; in a forward call, by[0] and by[1]
                                 ** are the arguments `by` and `add` of norm_kernel.apply */
  double sum[2];                 /* the sum of g * distance, and the sum of g */
  norm_moments moments;
} channel;

typedef struct norm_work {
  norm_call c;                   /* the call with operands, weight and bias in the compute dtype */
  const norm_kernel *kernel;
  int       size;                /* the size in bytes of an element */
  int64_t   n;                   /* the number of elements of a row */
  int64_t   chunk, chunks;       /* the number of rows in a chunk, and the number of chunks */
  int       threads;
  channel  *channel;
  void     *parts;               /* the partial sums of each chunk. rows_back: double [2][groups * segments];
                                 ** channels by columns: double [2][n]; channels with long runs: the moments or
                                 ** sums of all channels */
  void     *columns;             /* [5][n]: from, mean and factors of each column */
  char     *rooms;               /* rows_back: `room` bytes of scratch memory for each thread */
  size_t    room;
} norm_work;

typedef void (*task)(const norm_work *w, int64_t unit, int thread);

static void *at(const norm_work *w, const void *data, int64_t i) { return (char *)(uintptr_t)data + i * w->size; }

typedef struct units {
  const norm_work *w;
  task run;
} units;

static void run_unit(const void *arg, int64_t i, int worker) {
  const units *u = arg;
  u->run(u->w, i, worker);
}

/* Runs run(w, i, worker) for i = 0 … count - 1. The threads share the numbers i. */
static void each(const norm_work *w, int64_t count, task run) { cpu_parallel(w->threads, count, run_unit, &(units){w, run}); }

static void cut(norm_work *w, int64_t elements, int64_t most) {
  int64_t chunks = w->c.rows * w->n / elements;
  chunks = chunks < 1 ? 1 : chunks > most ? most : chunks;
  if (chunks > w->c.rows) chunks = w->c.rows > 0 ? w->c.rows : 1;
  w->chunk = (w->c.rows + chunks - 1) / chunks;
  w->chunks = w->chunk ? (w->c.rows + w->chunk - 1) / w->chunk : 1;
  if (w->chunks < 1) w->chunks = 1;
}

static int64_t end_of(const norm_work *w, int64_t chunk) {
  return (chunk + 1) * w->chunk < w->c.rows ? (chunk + 1) * w->chunk : w->c.rows;
}

/* ---- rows ---- */

static void run_rows(const norm_work *w, int64_t chunk, int thread) {
  (void)thread;
  w->kernel->rows(&w->c, chunk * w->chunk, end_of(w, chunk));
}

static void run_rows_back(const norm_work *w, int64_t chunk, int thread) {
  int64_t params = w->c.groups * w->c.segments;
  w->kernel->rows_back(&w->c, chunk * w->chunk, end_of(w, chunk), w->rooms + w->room * (size_t)thread,
                       (double *)w->parts + chunk * 2 * params);
}

static int rows_back(norm_work *w) {
  const norm_call *c = &w->c;
  int64_t params = c->groups * c->segments;
  bool affine = c->dweight || c->dbias;
  cut(w, CHUNK, CHUNKS);
  w->room = ((size_t)(2 * params * w->size) + 63) & ~(size_t)63;
  size_t parts = ((size_t)(w->chunks * 2 * params) * sizeof(double) + 63) & ~(size_t)63;
  char *memory = malloc(parts + w->room * (size_t)w->threads);
  if (!memory) return ERR_MEMORY;
  w->parts = memory;
  w->rooms = memory + parts;
  each(w, w->chunks, run_rows_back);
  for (int64_t i = 0; affine && i < 2 * params; i++) {
    double sum = 0;
    for (int64_t k = 0; k < w->chunks; k++) sum += ((const double *)w->parts)[k * 2 * params + i];
    if (i < params && c->dweight) set_real(w->size, c->dweight, i, sum);
    if (i >= params && c->dbias) set_real(w->size, c->dbias, i - params, sum);
  }
  free(memory);
  return OK;
}

static void run_softmax_back(const norm_work *w, int64_t chunk, int thread) {
  (void)thread;
  w->kernel->softmax_back(&w->c, chunk * w->chunk, end_of(w, chunk));
}

static int softmax_back(norm_work *w) {
  cut(w, CHUNK, INT64_MAX);
  each(w, w->chunks, run_softmax_back);
  return OK;
}

static int norm_rows(norm_work *w) {
  if (w->c.backward) return rows_back(w);
  cut(w, CHUNK, INT64_MAX);
  each(w, w->chunks, run_rows);
  return OK;
}

/* ---- channels with long runs ----
** A unit of work is one segment of one chunk. Its number is chunk * segments + segment. */

/* Merges the moments b into a, as in Chan, Golub, LeVeque: "Updating formulae and a pairwise algorithm for computing
** sample variances", 1979. */
static void merge_moments(norm_moments *a, const norm_moments *b) {
  double n = a->n + b->n, d = b->mean - a->mean;
  if (b->n == 0) return;
  a->squares += b->squares + d * d * a->n * b->n / n;
  a->mean += d * b->n / n;
  a->n = n;
}

static void run_moments(const norm_work *w, int64_t unit, int thread) {
  const norm_call *c = &w->c;
  int64_t s = unit % c->segments, chunk = unit / c->segments;
  norm_moments sum = {0, 0, 0};
  (void)thread;
  for (int64_t r = chunk * w->chunk; r < end_of(w, chunk); r++) {
    norm_moments m = w->kernel->moments(c->run, at(w, c->in.data, r * w->n + s * c->run));
    merge_moments(&sum, &m);
  }
  ((norm_moments *)w->parts)[unit] = sum;
}

static void run_sums(const norm_work *w, int64_t unit, int thread) {
  const norm_call *c = &w->c;
  int64_t s = unit % c->segments, chunk = unit / c->segments;
  const channel *h = &w->channel[s];
  double *sum = (double *)w->parts + 2 * unit;
  (void)thread;
  sum[0] = sum[1] = 0;
  for (int64_t r = chunk * w->chunk; r < end_of(w, chunk); r++) {
    int64_t i = r * w->n + s * c->run;
    w->kernel->sums(c->run, at(w, c->in.data, i), at(w, c->gradient.data, i), h->from, h->mean, sum);
  }
}

static void run_apply(const norm_work *w, int64_t unit, int thread) {
  const norm_call *c = &w->c;
  const channel *h = &w->channel[unit % c->segments];
  void *x = at(w, c->in.data, unit * c->run), *out = at(w, c->out.data, unit * c->run);
  (void)thread;
  if (!c->backward) w->kernel->apply(c->run, x, h->from, h->mean, h->by[0], h->by[1], out);
  else w->kernel->apply_back(c->run, x, at(w, c->gradient.data, unit * c->run), h->from, h->mean, h->by, out);
}

static void long_moments(norm_work *w) {
  each(w, w->chunks * w->c.segments, run_moments);
  for (int64_t s = 0; s < w->c.segments; s++)
    for (int64_t k = 0; k < w->chunks; k++)
      merge_moments(&w->channel[s].moments, (const norm_moments *)w->parts + k * w->c.segments + s);
}

static void long_sums(norm_work *w) {
  each(w, w->chunks * w->c.segments, run_sums);
  for (int64_t s = 0; s < w->c.segments; s++)
    for (int64_t k = 0; k < w->chunks; k++) {
      const double *part = (const double *)w->parts + 2 * (k * w->c.segments + s);
      w->channel[s].sum[0] += part[0];
      w->channel[s].sum[1] += part[1];
    }
}

/* ---- channels by columns ---- */

static double *column_part(const norm_work *w, int64_t chunk) {
  double *part = (double *)w->parts + chunk * 2 * w->n;
  memset(part, 0, (size_t)(2 * w->n) * sizeof(double));
  return part;
}

/* For each column, sums the differences between the chunk's elements and the column's element in the first row of the
** call. Also sums the squares of these differences. */
static void run_column_moments(const norm_work *w, int64_t chunk, int thread) {
  double *part = column_part(w, chunk);
  int64_t begin = chunk * w->chunk;
  (void)thread;
  w->kernel->column_moments(end_of(w, chunk) - begin, w->n, at(w, w->c.in.data, begin * w->n), w->c.in.data, part, part + w->n);
}

static void run_column_sums(const norm_work *w, int64_t chunk, int thread) {
  int64_t begin = chunk * w->chunk, i = begin * w->n;
  (void)thread;
  w->kernel->column_sums(end_of(w, chunk) - begin, w->n, at(w, w->c.in.data, i), at(w, w->c.gradient.data, i), w->columns,
                         column_part(w, chunk));
}

static void run_column_apply(const norm_work *w, int64_t chunk, int thread) {
  const norm_call *c = &w->c;
  int64_t begin = chunk * w->chunk, count = end_of(w, chunk) - begin, i = begin * w->n;
  void *x = at(w, c->in.data, i), *out = at(w, c->out.data, i);
  (void)thread;
  if (!c->backward) w->kernel->column_apply(count, w->n, x, w->columns, out);
  else w->kernel->column_back(count, w->n, x, at(w, c->gradient.data, i), w->columns, out);
}

static double over_chunks(const norm_work *w, int64_t i) {
  double sum = 0;
  for (int64_t k = 0; k < w->chunks; k++) sum += ((const double *)w->parts)[k * 2 * w->n + i];
  return sum;
}

static void column_moments(norm_work *w) {
  double rows = (double)w->c.rows;
  each(w, w->chunks, run_column_moments);
  for (int64_t j = 0; j < w->n; j++) {
    double from = get_real(w->size, w->c.in.data, j), mean = over_chunks(w, j) / rows;
    double squares = over_chunks(w, w->n + j) - rows * mean * mean;
    merge_moments(&w->channel[j / w->c.run].moments, &(norm_moments){rows, from + mean, squares < 0 ? 0 : squares});
  }
}

/* For each column, writes the fields `from`, `mean` and by[0] … by[factors - 1] of the column's channel to w->columns.
** The values of one field are consecutive. */
static void spread(const norm_work *w, int factors) {
  for (int64_t j = 0; j < w->n; j++) {
    const channel *h = &w->channel[j / w->c.run];
    set_real(w->size, w->columns, j, h->from);
    set_real(w->size, w->columns, w->n + j, h->mean);
    for (int k = 0; k < factors; k++) set_real(w->size, w->columns, (2 + k) * w->n + j, h->by[k]);
  }
}

static void column_sums(norm_work *w) {
  spread(w, 0);
  each(w, w->chunks, run_column_sums);
  for (int64_t j = 0; j < w->n; j++) {
    w->channel[j / w->c.run].sum[0] += over_chunks(w, j);
    w->channel[j / w->c.run].sum[1] += over_chunks(w, w->n + j);
  }
}

static void apply_channels(norm_work *w, int factors) {
  if (!w->c.out.data) return;
  if (w->c.run >= LONG_RUN) {
    each(w, w->c.rows * w->c.segments, run_apply);
    return;
  }
  spread(w, factors);
  each(w, w->chunks, run_column_apply);
}

/* ---- channels ---- */

/* Sets running = running + momentum * (value - running) for channel s. */
static void update(const norm_work *w, void *running, int64_t s, double value) {
  if (!running) return;
  double old = get_real(w->size, running, s);
  set_real(w->size, running, s, old + w->c.momentum * (value - old));
}

static void channels(norm_work *w) {
  const norm_call *c = &w->c;
  if (!c->given) {
    if (c->run >= LONG_RUN) long_moments(w);
    else column_moments(w);
  }
  for (int64_t s = 0; s < c->segments; s++) {
    channel *h = &w->channel[s];
    double mean = c->given ? get_real(w->size, c->running_mean, s) : h->moments.mean;
    double var = c->given ? get_real(w->size, c->running_var, s) : h->moments.squares / h->moments.n;
    h->from = c->given ? 0 : get_real(w->size, c->in.data, s * c->run);
    set_real(w->size, c->stats, s, mean - h->from);
    h->mean = get_real(w->size, c->stats, s);
    h->rstd = 1 / sqrt(var + c->eps);
    set_real(w->size, c->stats, c->segments + s, h->rstd);
    h->by[0] = h->rstd * get_real(w->size, c->weight, s);
    h->by[1] = get_real(w->size, c->bias, s);
    if (c->given) continue;
    update(w, c->running_mean, s, mean);
    update(w, c->running_var, s, var * c->correction);
  }
  apply_channels(w, 2);
}

static void channels_back(norm_work *w) {
  const norm_call *c = &w->c;
  double count = (double)c->rows * (double)c->run;
  for (int64_t s = 0; s < c->segments; s++) {
    channel *h = &w->channel[s];
    h->from = c->given ? 0 : get_real(w->size, c->in.data, s * c->run);
    h->mean = get_real(w->size, c->stats, s);
    h->rstd = get_real(w->size, c->stats, c->segments + s);
  }
  if (!c->given || c->dweight || c->dbias) {
    if (c->run >= LONG_RUN) long_sums(w);
    else column_sums(w);
  }
  for (int64_t s = 0; s < c->segments; s++) {
    channel *h = &w->channel[s];
    h->by[0] = h->rstd * get_real(w->size, c->weight, s);
    h->by[1] = c->given ? 0 : -h->by[0] * h->rstd * h->rstd * h->sum[0] / count;
    h->by[2] = c->given ? 0 : -h->by[0] * h->sum[1] / count;
    if (c->dweight) set_real(w->size, c->dweight, s, h->sum[0] * h->rstd);
    if (c->dbias) set_real(w->size, c->dbias, s, h->sum[1]);
  }
  apply_channels(w, 3);
}

static int norm_channels(norm_work *w) {
  const norm_call *c = &w->c;
  bool is_long = c->run >= LONG_RUN;
  if (is_long && c->segments >= FEW) cut(w, INT64_MAX, 1);
  else cut(w, CHUNK, FEW);
  size_t part = is_long ? (size_t)c->segments * sizeof(norm_moments) : (size_t)(2 * w->n) * sizeof(double);
  size_t parts = (size_t)w->chunks * part, columns = is_long ? 0 : (size_t)(5 * w->n * w->size);
  char *memory = malloc(parts + columns + 1);
  w->channel = calloc((size_t)c->segments, sizeof *w->channel);
  w->parts = memory;
  w->columns = memory + parts;
  int st = memory && w->channel ? OK : ERR_MEMORY;
  if (st == OK && c->backward) channels_back(w);
  else if (st == OK) channels(w);
  free(w->channel);
  free(memory);
  return st;
}

/* ---- the call ---- */

/* Returns an array of n elements equal to `value`, or NULL if memory is short. The caller must free the array. */
static void *filled(const norm_work *w, int64_t n, double value) {
  void *p = malloc((size_t)n * (size_t)w->size + 1);
  for (int64_t i = 0; p && i < n; i++) set_real(w->size, p, i, value);
  return p;
}

static int run_plain(norm_work *w) {
  norm_call *c = &w->c;
  if (c->kind == NORM_softmax || c->kind == NORM_log_softmax) return softmax_back(w);
  int64_t params = c->groups * c->segments;
  void *ones = c->weight ? NULL : filled(w, params, 1), *zeros = c->bias ? NULL : filled(w, params, 0);
  int st = (c->weight || ones) && (c->bias || zeros) ? OK : ERR_MEMORY;
  if (!c->weight) c->weight = ones;
  if (!c->bias) c->bias = zeros;
  if (st == OK) st = c->kind == NORM_rows ? norm_rows(w) : norm_channels(w);
  free(ones);
  free(zeros);
  return st;
}

/* Converts half floats to copies in the compute dtype, runs the call on the copies, and converts the result. */
static int run_converted(norm_work *w) {
  norm_call *c = &w->c;
  enum dtype d = c->in.dtype;
  int64_t count = c->rows * w->n;
  size_t bytes = (size_t)count * (size_t)w->size;
  void *stored = c->out.data;
  char *memory = malloc(2 * bytes + 1);
  if (!memory) return ERR_MEMORY;
  cpu_isa->convert->convert[d][c->compute](count, memory, c->in.data);
  if (c->backward) cpu_isa->convert->convert[d][c->compute](count, memory + bytes, c->gradient.data);
  c->in = (operand){.data = memory, .dtype = c->compute};
  c->gradient = (operand){.data = memory + bytes, .dtype = c->compute};
  if (stored) c->out.data = c->backward ? memory + bytes : memory;       /* the result overwrites the copy of the
                                                                         ** input or, in a backward call, of the
                                                                         ** gradient */
  int st = run_plain(w);
  if (st == OK && stored) cpu_isa->convert->convert[c->compute][d](count, stored, c->out.data);
  free(memory);
  return st;
}

int cpu_norm(int index, const norm_call *c) {
  (void)index;
  norm_work w = {.c = *c, .size = dtype_size(c->compute), .n = c->segments * c->run};
  w.kernel = FLOAT_TABLE(norm, c->compute);
  if (!w.kernel) return ERR_NO_KERNEL;
  w.threads = cpu_threads(c->rows * w.n, GRAIN);
  return c->in.dtype == c->compute ? run_plain(&w) : run_converted(&w);
}
