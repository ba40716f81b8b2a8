/* Computes the cross entropy between rows of logits and the classes of the rows, and the gradient of the logits.
** Threads share tiles of rows. */

#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"

enum {
  TILE  = 1 << 13,      /* the number of elements of a tile of rows; the losses of each tile are summed separately */
  GRAIN = 1 << 14       /* the fewest elements for each thread; with fewer, a thread costs more time than it saves */
};

typedef struct cross_entropy_work {
  const cross_entropy_call  *c;
  const cross_entropy_table *kernel;
  int64_t tile_rows, tiles;
  bool    direct;               /* true: rows have the compute dtype; false: they are converted in a buffer */
  double *sums;                 /* for each tile: the sum of its losses */
  double  scale;
  char   *buffers;              /* for each thread: buffer_bytes for a converted row */
  size_t  buffer_bytes;
} cross_entropy_work;

static bool is_ignored(const cross_entropy_call *c, int64_t r) { return c->ignores && c->classes[r] == c->ignored; }

static void *element(const operand *o, int64_t i) { return (char *)o->data + i * dtype_size(o->dtype); }

/* Returns row r of the logits in the compute dtype. */
static const void *load_row(const cross_entropy_work *w, int64_t r, void *buffer) {
  const cross_entropy_call *c = w->c;
  const void *x = element(&c->in, r * c->n);
  if (w->direct) return x;
  cpu_isa->convert->convert[c->in.dtype][c->compute](c->n, buffer, x);
  return buffer;
}

static double row_loss(const cross_entropy_work *w, int64_t r, void *buffer) {
  const cross_entropy_call *c = w->c;
  cross_entropy_row row = {0, 1, 0};
  if (!is_ignored(c, r)) row = w->kernel->loss(c->n, load_row(w, r, buffer), c->classes[r] - 1);
  set_real(dtype_size(c->compute), c->sums, r, row.largest);
  set_real(dtype_size(c->compute), c->sums, c->rows + r, row.sum);
  if (c->reduction == CROSS_ENTROPY_none) set_real(dtype_size(c->compute), c->losses, r, row.loss);
  return row.loss;
}

static void row_gradient(const cross_entropy_work *w, int64_t r, void *buffer) {
  const cross_entropy_call *c = w->c;
  void *out = element(&c->out, r * c->n);
  if (is_ignored(c, r)) {
    memset(out, 0, (size_t)(c->n * dtype_size(c->out.dtype)));
    return;
  }
  cross_entropy_row row = {get_real(dtype_size(c->compute), c->sums, r), get_real(dtype_size(c->compute), c->sums, c->rows + r), 0};
  double g = get_real(dtype_size(c->compute), c->losses, c->reduction == CROSS_ENTROPY_none ? r : 0) * w->scale;
  void *to = w->direct ? out : buffer;
  w->kernel->gradient(c->n, load_row(w, r, buffer), c->classes[r] - 1, &row, g, to);
  if (!w->direct) cpu_isa->convert->convert[c->compute][c->out.dtype](c->n, out, to);
}

static void run_tile(const void *arg, int64_t t, int worker) {
  const cross_entropy_work *w = arg;
  const cross_entropy_call *c = w->c;
  void *buffer = w->buffers + w->buffer_bytes * (size_t)worker;
  int64_t end = (t + 1) * w->tile_rows < c->rows ? (t + 1) * w->tile_rows : c->rows;
  double sum = 0;
  for (int64_t r = t * w->tile_rows; r < end; r++) {
    if (c->backward) row_gradient(w, r, buffer);
    else sum += row_loss(w, r, buffer);
  }
  if (!c->backward) w->sums[t] = sum;
}

/* Counts the rows that are not ignored. Returns ERR_INDEX and sets *c->bad if a class is out of bounds. */
static int count_rows(const cross_entropy_call *c, int64_t *count) {
  *count = 0;
  for (int64_t r = 0; r < c->rows; r++) {
    if (is_ignored(c, r)) continue;
    if ((uint64_t)c->classes[r] - 1 >= (uint64_t)c->n) {
      *c->bad = c->classes[r];
      return ERR_INDEX;
    }
    ++*count;
  }
  return OK;
}

static void finish_losses(const cross_entropy_work *w, int64_t count) {
  const cross_entropy_call *c = w->c;
  double sum = 0, scale = c->reduction == CROSS_ENTROPY_mean ? 1 / (double)count : 1;
  for (int64_t t = 0; t < w->tiles; t++) sum += w->sums[t];
  set_real(dtype_size(c->compute), c->sums, 2 * c->rows, scale);
  if (c->reduction == CROSS_ENTROPY_none) return;
  set_real(dtype_size(c->compute), c->losses, 0, c->reduction == CROSS_ENTROPY_mean ? sum / (double)count : sum);
}

int cpu_cross_entropy(int index, const cross_entropy_call *c) {
  (void)index;
  int64_t count;
  cross_entropy_work w = {.c = c, .kernel = FLOAT_TABLE(cross_entropy, c->compute)};
  if (!w.kernel) return ERR_NO_KERNEL;
  int st = count_rows(c, &count);
  if (st != OK) return st;
  w.tile_rows = c->n < TILE ? TILE / (c->n + 1) + 1 : 1;
  w.tiles = (c->rows + w.tile_rows - 1) / w.tile_rows;
  w.direct = c->in.dtype == c->compute && (!c->backward || c->out.dtype == c->compute);
  int threads = cpu_threads(c->rows * c->n, GRAIN);
  if (threads > w.tiles) threads = w.tiles > 1 ? (int)w.tiles : 1;
  size_t sums = ((size_t)w.tiles * sizeof(double) + 63) & ~(size_t)63;
  size_t each = w.direct ? 0 : ((size_t)c->n * (size_t)dtype_size(c->compute) + 63) & ~(size_t)63;
  char *memory = malloc(sums + each * (size_t)threads + 1);
  if (!memory) return ERR_MEMORY;
  w.sums = (double *)(void *)memory;
  w.scale = c->backward ? get_real(dtype_size(c->compute), c->sums, 2 * c->rows) : 1;
  w.buffers = memory + sums;
  w.buffer_bytes = each;
  cpu_parallel(threads, w.tiles, run_tile, &w);
  if (!c->backward) finish_losses(&w, count);
  free(memory);
  return OK;
}
