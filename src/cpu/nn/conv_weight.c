/* The gradient of a convolution's weights. A weight belongs to an output channel and a tap. The weight's gradient is
** a sum over all pixels: the gradient of y at the pixel times the element of x that the tap reads for the pixel. A
** vector contains neighbouring pixels. For each block of taps, the elements of x are gathered into a buffer, as in
** conv.c.
**
** Results do not depend on the number of threads. If there are few blocks of taps, the pixels are divided into
** shares, so that more threads have work. The number of shares depends only on the shapes, and the sums of the shares
** are added in order. */

#include <string.h>

#include "cpu/nn/conv.h"

enum {
  GRAIN   = 1 << 16,           /* the fewest multiplications for each thread; with fewer, a thread costs more time
                               ** than it saves */
  TAPS    = 72,                /* the number of taps of a block; with PIXELS pixels a block takes 220 KiB */
  PIXELS  = 768,               /* the number of pixels of a block */
  CHANNELS = 64,               /* the number of channels of y's gradient that are copied at a time, which take 200 KiB
                               ** in addition to a block */
  GATHERED = 256,              /* the number of pixels whose runs are computed at a time */
  SKEW    = 16,                /* the number of unused elements after each row of a block, so that rows do not use the
                               ** same cache sets */
  SHARES  = 32,                /* the number of items into which the work is divided, if there are enough pixels */
  SUMS    = 1 << 20,           /* the most elements in the partial sums of all shares together */
  PLANES  = 8,                 /* the fewest planes of y that are divided among threads */
  BLOCK_BYTES = 16 << 10       /* the bytes of x that a block of groups reads of each image: enough for the processor to
                               ** prefetch them */
};

typedef struct conv_weight_work {
  const conv_call  *c;
  const conv_table *kernel;
  conv_source source;
  conv_grid   grid;
  enum dtype  compute;
  int         size;
  int64_t     m, k;            /* the number of output channels and the number of taps of a group */
  int64_t     blocks;          /* the number of blocks of taps */
  int64_t     shares;          /* the number of shares of a round's pixels */
  int64_t    *tap;
  char       *sums;            /* [shares, c_out, k] in the compute dtype; the result itself if there is one share and
                               ** no conversion */
  const char *source_end;
  char       *padded, *scratch;
  size_t      scratch_bytes;
  int         threads;
  int64_t     image, images;   /* the number of the first image of this round, and the number of images */
  bool        by_planes;       /* true: planes_item computes all sums, without blocks of taps and rounds */
  int64_t     block_groups;    /* by planes: the number of groups of a block; `blocks` is the number of blocks */
  conv_source of_y;            /* by planes: y's gradient, whose rows are padded to whole vectors */
} conv_weight_work;

static const char *source_at(const conv_weight_work *w, int64_t image, int64_t group) {
  const char *base = w->source.direct ? w->source.data + image * w->source.image * w->size : w->padded;
  return base + group * (w->source.channels / w->c->groups) * w->source.plane * w->size;
}

/* Gathers the elements that taps k0 … k0 + taps - 1 read for n pixels from pixel `first` on. Each row is filled up
** with zeros to a whole vector. */
static void gather_block(const conv_weight_work *w, int64_t group, int64_t image, int64_t first, int64_t n, int64_t k0, int64_t taps,
                         char *to, int64_t pitch) {
  conv_run run[GATHERED];
  for (int64_t i = 0; i < n; i += GATHERED) {
    conv_gather g = {.taps = taps, .tap = w->tap + k0, .x = source_at(w, image, group), .end = w->source_end, .run = run,
                     .to = to + i * w->size, .pitch = pitch};
    g.runs = conv_grid_runs(&w->grid, first + i, least_of(GATHERED, n - i), run);
    w->kernel->gather(&g);
  }
  int64_t rest = (n + w->kernel->lanes - 1) / w->kernel->lanes * w->kernel->lanes - n;
  for (int64_t k = 0; rest > 0 && k < taps; k++) memset(to + (k * pitch + n) * w->size, 0, (size_t)(rest * w->size));
}

/* Copies y's gradient at the same n pixels that gather_block gathers, for channels i … i + rows - 1 of a group. */
static void copy_block(const conv_weight_work *w, int64_t group, int64_t image, int64_t first, int64_t n, int64_t i, int64_t rows,
                       char *to, int64_t pitch) {
  const conv_call *c = w->c;
  int64_t area = c->out[0] * c->out[1], size = dtype_size(c->dtype);
  int64_t rest = (n + w->kernel->lanes - 1) / w->kernel->lanes * w->kernel->lanes - n;
  for (int64_t r = 0; r < rows; r++, to += pitch * w->size) {
    for (int64_t done = 0; done < n;) {
      int64_t at = first + done, pixel = at % area, length = least_of(area - pixel, n - done);
      const char *from = (const char *)c->y + (((image + at / area) * c->c_out + group * w->m + i + r) * area + pixel) * size;
      if (c->dtype == w->compute) memcpy(to + done * size, from, (size_t)(length * size));
      else cpu_isa->convert->convert[c->dtype][w->compute](length, to + done * w->size, from);
      done += length;
    }
    memset(to + n * w->size, 0, (size_t)(rest * w->size));
  }
}

/* Computes one share of one block of taps of a group, for the current round. */
static void one_item(const void *arg, int64_t t, int worker) {
  const conv_weight_work *w = arg;
  int64_t image = w->image, pixels = w->images * w->grid.rows * w->grid.columns;
  char *memory = w->scratch + (size_t)worker * w->scratch_bytes;
  int64_t share = t % w->shares, k0 = t / w->shares % w->blocks * TAPS, group = t / w->shares / w->blocks;
  int64_t taps = least_of(TAPS, w->k - k0), pitch = PIXELS + SKEW;
  char *x = memory, *y = memory + TAPS * pitch * w->size;
  char *out = w->sums + ((share * w->c->c_out + group * w->m) * w->k + k0) * w->size;
  int64_t begin = pixels * share / w->shares, end = pixels * (share + 1) / w->shares;
  for (int64_t p = begin; p == begin || p < end; p += PIXELS) {
    int64_t n = least_of(PIXELS, end - p);
    gather_block(w, group, image, p, n, k0, taps, x, pitch);
    for (int64_t i = 0; i < w->m; i += CHANNELS) {
      int64_t rows = least_of(CHANNELS, w->m - i);
      copy_block(w, group, image, p, n, i, rows, y, pitch);
      conv_dots d = {.n = (n + w->kernel->lanes - 1) / w->kernel->lanes * w->kernel->lanes, .rows = rows, .columns = taps,
                     .y = y, .x = x, .y_pitch = pitch, .x_pitch = pitch, .out = out + i * w->k * w->size,
                     .out_pitch = w->k, .add = image > 0 || p > begin};
      w->kernel->dots(&d);
    }
  }
}

/* ---- planes ----
** A group with one channel of y cannot use an element of x for several channels. So nothing is gathered. The planes of
** the group are padded in the thread's memory, where they stay in L1 or L2, and summed from there. */

/* Adds the products of a group of one image to `sum`, a vector for each tap. */
static void add_planes(const conv_weight_work *w, int64_t image, int64_t group, char *sum, char *x) {
  const conv_source *s = &w->source, *of_y = &w->of_y;
  int64_t inner = s->channels / w->c->groups;
  char *y = x + conv_planes_bytes(s, inner);
  for (int64_t i = 0; i < inner; i++) conv_source_fill(s, image, group * inner + i, x + i * s->plane * w->size);
  conv_source_fill(of_y, image, group, y);
  w->kernel->plane_dots(&(conv_plane_dots){.taps = w->k, .rows = w->grid.rows, .columns = w->grid.columns, .tap = w->tap,
                                           .x = x, .y = y, .x_row = w->grid.row, .y_row = of_y->row, .sum = sum});
}

/* Computes one share of the images for a block of groups. */
static void planes_item(const void *arg, int64_t t, int worker) {
  const conv_weight_work *w = arg;
  int64_t share = t % w->shares, first = t / w->shares * w->block_groups, each = w->k * w->kernel->lanes * w->size;
  int64_t groups = least_of(w->block_groups, w->c->groups - first), end = w->c->n * (share + 1) / w->shares;
  char *sum = w->scratch + (size_t)worker * w->scratch_bytes, *x = sum + conv_aligned((size_t)(w->block_groups * each));
  memset(sum, 0, (size_t)(groups * each));
  for (int64_t image = w->c->n * share / w->shares; image < end; image++)
    for (int64_t g = 0; g < groups; g++) add_planes(w, image, first + g, sum + g * each, x);
  w->kernel->add_lanes(groups * w->k, sum, w->sums + (share * w->c->c_out + first) * w->k * w->size);
}

/* Sets the plan for planes_item if it should compute the sums: if there are enough planes for several threads, and the
** padded planes of a group fit into L2. */
static void plan_planes(conv_weight_work *w) {
  const conv_call *c = w->c;
  int64_t inner = c->c_in / c->groups, lanes = w->kernel->lanes, plane = w->source.plane * w->size;
  w->by_planes = w->m == 1 && w->k <= TAPS && c->n * c->groups >= PLANES && inner * plane <= 1 << 20;
  if (!w->by_planes) return;
  w->source.direct = false;
  w->of_y = (conv_source){.data = c->y, .dtype = c->dtype, .compute = w->compute, .images = c->n, .channels = c->c_out,
                          .length = {c->out[0], c->out[1]}, .span = {c->out[0], (c->out[1] + lanes - 1) / lanes * lanes},
                          .row_step = 1, .step = 1, .rows_used = 1, .parts_used = 1};
  conv_source_plan(&w->of_y);
  w->of_y.direct = false;
  w->block_groups = least_of(BLOCK_BYTES / (inner * plane) + 1, c->groups);
  w->blocks = (c->groups + w->block_groups - 1) / w->block_groups;
  w->shares = least_of(c->n, least_of(SHARES / w->blocks, SUMS / (c->c_out * w->k)));
  if (w->shares < 1) w->shares = 1;
  w->scratch_bytes = conv_aligned((size_t)(w->block_groups * w->k * lanes * w->size)) +
                     conv_planes_bytes(&w->source, inner) + conv_planes_bytes(&w->of_y, 1);
}

/* ---- rounds ---- */

static void fill_plane(const void *arg, int64_t t, int worker) {
  const conv_weight_work *w = arg;
  const conv_source *s = &w->source;
  (void)worker;
  conv_source_fill(s, w->image + t / s->channels, t % s->channels, w->padded + t * s->plane * w->size);
}

static void all_rounds(conv_weight_work *w) {
  const conv_source *s = &w->source;
  int64_t round = conv_round(s);
  if (w->by_planes) {
    cpu_parallel(w->threads, w->blocks * w->shares, planes_item, w);
    return;
  }
  w->source_end = conv_source_end(s, w->padded);
  for (w->image = 0; w->image < w->c->n; w->image += round) {
    w->images = least_of(round, w->c->n - w->image);
    if (!s->direct) cpu_parallel(w->threads, w->images * s->channels, fill_plane, w);
    cpu_parallel(w->threads, w->c->groups * w->blocks * w->shares, one_item, w);
  }
}

/* Adds the sums of the shares in order and writes the result. */
static void finish(const conv_weight_work *w) {
  int64_t n = w->c->c_out * w->k;
  for (int64_t share = 1; share < w->shares; share++) w->kernel->add(n, w->sums, w->sums + share * n * w->size);
  if (w->sums == (char *)w->c->w) return;
  if (w->c->dtype == w->compute) memcpy(w->c->w, w->sums, (size_t)(n * w->size));
  else cpu_isa->convert->convert[w->compute][w->c->dtype](n, w->c->w, w->sums);
}

/* Returns the number of shares into which the pixels are divided: so many that groups, blocks and shares together
** give SHARES items of work. But each share has at least one block of pixels, and all partial sums have at most SUMS
** elements. */
static int64_t share_count(const conv_weight_work *w) {
  int64_t wanted = SHARES / (w->c->groups * w->blocks), sums = SUMS / (w->c->c_out * w->k);
  int64_t pixels = conv_round(&w->source) * w->grid.rows * w->grid.columns / PIXELS;
  int64_t n = least_of(wanted, least_of(sums, pixels));
  return n < 1 ? 1 : n;
}

int conv_weight(const conv_call *c) {
  conv_weight_work w = {.c = c, .kernel = FLOAT_TABLE(conv, dtype_compute(c->dtype)), .compute = dtype_compute(c->dtype), .m = c->c_out / c->groups,
            .k = c->c_in / c->groups * c->kernel[0] * c->kernel[1]};
  w.size = dtype_size(w.compute);
  conv_source_of_x(&w.source, c);
  w.grid = conv_grid_of_y(&w.source, c);
  w.blocks = (w.k + TAPS - 1) / TAPS;
  w.shares = share_count(&w);
  w.threads = cpu_threads(c->n * c->c_out * c->out[0] * c->out[1] * w.k, GRAIN);
  w.scratch_bytes = conv_aligned((size_t)((TAPS + least_of(CHANNELS, w.m) + 1) * (PIXELS + SKEW) * w.size));
  plan_planes(&w);
  bool in_place = w.shares == 1 && c->dtype == w.compute;
  size_t taps = conv_aligned((size_t)w.k * sizeof(int64_t));
  size_t sums = in_place ? 0 : conv_aligned((size_t)(w.shares * c->c_out * w.k * w.size));
  size_t padded = w.by_planes ? 0 : conv_aligned(conv_source_bytes(&w.source, conv_round(&w.source)));
  size_t bytes = taps + sums + padded + w.scratch_bytes * (size_t)w.threads;
  void *all;
  int st = cpu_alloc(0, bytes, &all);
  if (st != OK) return st;
  char *block = all;
  w.tap = all;
  w.sums = in_place ? c->w : block + taps;
  w.padded = block + taps + sums;
  w.scratch = block + taps + sums + padded;
  conv_taps_of_x(&w.source, c, w.tap);
  all_rounds(&w);
  finish(&w);
  cpu_free(0, all, bytes);
  return OK;
}
