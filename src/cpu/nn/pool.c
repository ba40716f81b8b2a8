/* Pooling: each element of y is the maximum or the average of a window of x. Threads share the planes. Planes of half
** floats are computed in float32. */

#include <string.h>

#include "cpu/cpu.h"

enum {
  GRAIN = 1 << 15,             /* the least work for each thread, in elements as plane_work counts them; with less, a
                               ** thread costs more time than it saves */
  ITEM  = 1 << 11              /* the least work of an item, which has as many planes as necessary, because starting
                               ** an item takes as long as reading about 200 elements */
};

typedef struct pool_work {
  const pool_call *c;
  pool_kernel kernel;
  pool_plane  plane;           /* the windows, which are the same for all planes */
  enum dtype  compute;
  bool        back, convert;
  int64_t     in, out;         /* the number of elements of a plane of x, and of y */
  int64_t     item;            /* the number of planes of an item of work */
  char       *scratch;         /* for each thread: a plane of x and a plane of y in float32 */
  size_t      scratch_bytes;
} pool_work;

/* ---- windows ---- */

/* Sets the range of window p of dim d in x, and the number of elements by which the window's average is divided. */
static void set_window(const pool_call *c, int d, int64_t p, int64_t *begin, int64_t *end, int64_t *count) {
  if (c->adaptive) {
    *begin = p * c->in[d] / c->out[d];
    *end = ((p + 1) * c->in[d] + c->out[d] - 1) / c->out[d];
    *count = *end - *begin;
    return;
  }
  int64_t from = p * c->stride[d] - c->pad[d], to = from + (c->kernel[d] - 1) * c->dilation[d] + 1, padded = c->in[d] + c->pad[d];
  *begin = from < 0 ? from + (-from + c->dilation[d] - 1) / c->dilation[d] * c->dilation[d] : from;
  *end = to < c->in[d] ? to : c->in[d];
  *count = c->count_pad ? (to < padded ? to : padded) - from : *end - *begin;
}

/* Sets the windows of both dims. `memory` has 3 numbers for each row and each column of y. */
static void set_windows(pool_work *w, int64_t *memory) {
  for (int d = 0; d < 2; d++) {
    int64_t n = w->c->out[d], *begin = memory, *end = memory + n, *count = memory + 2 * n;
    for (int64_t p = 0; p < n; p++) set_window(w->c, d, p, begin + p, end + p, count + p);
    w->plane.begin[d] = begin;
    w->plane.end[d] = end;
    w->plane.count[d] = count;
    memory += 3 * n;
  }
}

/* ---- planes ---- */

/* Computes a plane of half floats in float32. Converts the plane's operands before and its result afterwards. */
static void one_converted(const pool_work *w, pool_plane *p, char *scratch) {
  const pool_call *c = w->c;
  char *x = p->x, *y = p->y, *wide_x = scratch, *wide_y = scratch + w->in * (int64_t)sizeof(float);
  convert_kernel widen = cpu_isa->convert->convert[c->dtype][w->compute];
  convert_kernel narrow = cpu_isa->convert->convert[w->compute][c->dtype];
  p->x = wide_x;
  p->y = wide_y;
  if (w->back) {
    memset(wide_x, 0, (size_t)w->in * sizeof(float));
    widen(w->out, wide_y, y);
  } else {
    widen(w->in, wide_x, x);
  }
  w->kernel(p);
  if (w->back) narrow(w->in, x, wide_x);
  else narrow(w->out, y, wide_y);
}

static void one_plane(const pool_work *w, int64_t t, char *scratch) {
  int64_t size = dtype_size(w->c->dtype);
  pool_plane p = w->plane;
  p.x = (char *)w->c->x + t * w->in * size;
  p.y = (char *)w->c->y + t * w->out * size;
  if (w->c->position) p.position = w->c->position + t * w->out;
  if (w->convert) {
    one_converted(w, &p, scratch);
    return;
  }
  if (w->back) memset(p.x, 0, (size_t)(w->in * size));
  w->kernel(&p);
}

static void one_item(const void *arg, int64_t t, int worker) {
  const pool_work *w = arg;
  int64_t end = (t + 1) * w->item < w->c->planes ? (t + 1) * w->item : w->c->planes;
  for (int64_t i = t * w->item; i < end; i++) one_plane(w, i, w->scratch + w->scratch_bytes * (size_t)worker);
}

/* Returns the number of elements of a plane of x plus the total number of elements in the plane's windows. */
static int64_t plane_work(const pool_work *w) {
  int64_t sum[2] = {0, 0};
  for (int d = 0; d < 2; d++)
    for (int64_t p = 0; p < w->c->out[d]; p++) sum[d] += w->plane.end[d][p] - w->plane.begin[d][p];
  return w->in + sum[0] * sum[1];
}

int cpu_pool(int index, const pool_call *c) {
  (void)index;
  pool_work w = {.c = c, .compute = dtype_compute(c->dtype), .in = c->in[0] * c->in[1], .out = c->out[0] * c->out[1],
            .back = c->op == POOL_max_back || c->op == POOL_average_back, .convert = dtype_compute(c->dtype) != c->dtype};
  const pool_table *kernels = FLOAT_TABLE(pool, w.compute);
  if (!kernels) return ERR_NO_KERNEL;
  w.kernel = kernels->kernel[c->op];
  w.plane.c = c;
  size_t windows = (size_t)(c->out[0] + c->out[1]) * 3 * sizeof(int64_t);
  w.scratch_bytes = w.convert ? (size_t)(w.in + w.out) * sizeof(float) : 0;
  int most = cpu_thread_count();
  size_t bytes = windows + w.scratch_bytes * (size_t)most;
  void *block;
  int st = cpu_alloc(0, bytes, &block);
  if (st != OK) return st;
  set_windows(&w, block);
  w.scratch = (char *)block + windows;
  int64_t work = plane_work(&w);
  int threads = cpu_threads(c->planes * work, GRAIN);
  if (threads > most) threads = most;
  w.item = ITEM / (work + 1) + 1;
  cpu_parallel(threads, (c->planes + w.item - 1) / w.item, one_item, &w);
  cpu_free(0, block, bytes);
  return OK;
}
