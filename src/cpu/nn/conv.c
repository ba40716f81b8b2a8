/* Computes the result y of a convolution of x, and the gradient of x. A tap is one weight's position in the kernel of
** the convolution. Both results are products of the packed weights and a matrix with the elements that each tap reads
** for each pixel. This matrix is never stored as a whole. One panel of pixels at a time is gathered from zero-padded
** images, so that the panel stays in L2 (the algorithm of Goto and van de Geijn).
**
** For a stride s, x's gradient consists of s * s convolutions of y's gradient (phases). Each phase uses some of the
** taps and computes every s-th element of every s-th row. conv_planes.c computes groups of one channel, and conv_weight.c
** the gradient of the weights. */

#include <string.h>

#include "cpu/nn/conv_work.h"

enum {
  GRAIN   = 1 << 16,           /* the fewest multiplications for each thread; with fewer, a thread costs more time
                               ** than it saves */
  K_BLOCK = 768,               /* the number of taps of a panel that are multiplied at a time; with 48 float32 pixels,
                               ** the width of a panel on AVX-512, these taps take 144 KiB */
  MOST_ROWS = 8,               /* the most rows of a tile */
  PIXELS  = 64,                /* the most pixels of a panel */
};

/* ---- the weights ---- */

/* Returns the number of rows of the panel that begins at row i: the rows of a full panel, or the smallest power of 2
** that is at least the number of remaining rows. */
static int panel_rows(const conv_work *w, int64_t i) {
  int rows = w->kernel->rows;
  while (rows > 1 && rows / 2 >= w->m - i) rows /= 2;
  return rows;
}

/* Packs the panel of a group that begins at row i as [k][rows]. If the group has too few rows, the missing rows are
** 0. */
static void pack_panel(const conv_work *w, const conv_part *p, int64_t group, int64_t i, char *to) {
  int rows = panel_rows(w, i), there = (int)least_of(rows, w->m - i);
  const char *from = w->weights + (group * w->weight_group + i * w->weight_row) * w->size;
  if (there < rows) memset(to, 0, (size_t)(rows * p->k * w->size));
  w->kernel->pick(&(conv_pick){.rows = there, .k = p->k, .row = w->weight_row, .at = p->weight, .from = from, .to = to,
                               .pitch = rows});
}

/* Returns the number of weight panels in a part. */
static int64_t panel_count(const conv_work *w) {
  return w->c->groups * ((w->m + w->kernel->rows - 1) / w->kernel->rows);
}

static void pack_one(const void *arg, int64_t t, int worker) {
  const conv_work *w = arg;
  int64_t each = panel_count(w), down = each / w->c->groups, group = t % each / down, i = t % down * w->kernel->rows;
  const conv_part *p = &w->parts[t / each];
  (void)worker;
  pack_panel(w, p, group, i, conv_panel_at(w, p, group, i));
}

/* ---- panels of pixels ---- */

/* The unit of work: n pixels of a group. The pieces list where the results of these pixels are stored in the group's
** first channel. A wide panel belongs to one image. It also has pixels beyond the ends of rows, whose results are not
** stored. */
typedef struct panel {
  const conv_part *p;
  int64_t     group, image, n;
  const char *x;               /* the group's source; for a wide panel the address of the panel's first pixel */
  conv_run    run[PIXELS];     /* the runs of a gathered panel */
  int         runs;
  conv_piece  piece[PIXELS];
  int         pieces;
} panel;

static const char *source_at(const conv_work *w, int64_t image, int64_t group) {
  const char *base = w->source.direct ? w->source.data + image * w->source.image * w->size : w->padded;
  return base + group * w->group_plane * w->size;
}

static int64_t result_image(const conv_work *w) { return w->c->groups * w->m * w->plane; }

/* Returns the number of pixels that a part counts together: those of an image in wide rows, or those of a round. */
static int64_t counted_pixels(const conv_work *w, const conv_part *p) {
  const conv_grid *g = &p->grid;
  return p->wide ? (g->rows - 1) * g->row + g->columns : w->images * g->rows * g->columns;
}

/* Sets the panel to pixels first … first + n - 1, counted over all images from q->image on. */
static void set_gathered(const conv_work *w, panel *q, int64_t first) {
  const conv_part *p = q->p;
  int64_t columns = p->dense ? p->grid.rows * p->grid.columns : p->grid.columns, rows = p->dense ? 1 : p->grid.rows;
  q->runs = conv_grid_runs(&p->grid, first, q->n, q->run);
  q->pieces = 0;
  int64_t r = conv_quotient(first, columns), column = first - r * columns, image = conv_quotient(r, rows);
  r -= image * rows;
  for (int64_t done = 0; done < q->n; column = 0) {
    int64_t length = least_of(columns - column, q->n - done);
    int64_t at = (q->image + image) * result_image(w) + p->first + r * p->row + column * p->column;
    q->piece[q->pieces++] = (conv_piece){at, (int32_t)done, (int32_t)length};
    done += length;
    if (++r == rows) r = 0, image++;
  }
}

/* Sets the panel to pixels first … first + n - 1 of one image. In a wide panel, a row of pixels has all
** columns of a row of the source. */
static void set_wide(const conv_work *w, panel *q, int64_t first) {
  const conv_part *p = q->p;
  int64_t row = p->grid.row, base = q->image * result_image(w) + p->first;
  q->pieces = 0;
  if (p->grid.columns == row && p->dense) {
    q->piece[q->pieces++] = (conv_piece){base + first, 0, (int32_t)q->n};
    return;
  }
  int64_t r = conv_quotient(first, row), column = first - r * row;
  for (int64_t done = 0; done < q->n; r++, column = 0) {
    int64_t length = least_of(p->grid.columns - column, q->n - done);
    if (length > 0)
      q->piece[q->pieces++] = (conv_piece){base + r * p->row + column * p->column, (int32_t)done, (int32_t)length};
    done += row - column;
  }
}

/* ---- results ---- */

/* Converts n numbers from the compute dtype to the dtype of the result. Writes number i to element at + i * step of the
** result. */
static void put(const conv_work *w, int64_t n, int64_t at, int64_t step, const char *from) {
  int size = dtype_size(w->c->dtype);
  char stored[PIXELS * sizeof(uint16_t)];
  copy_plan p = {.rows = 1, .cols = n, .to_row = n, .to_col = step, .from_row = n, .from_col = 1};
  bool same = w->c->dtype == w->compute;
  if (!same) cpu_isa->convert->convert[w->compute][w->c->dtype](n, stored, from);
  cpu_isa->convert->copy[__builtin_ctz((unsigned)size)](&p, w->result + at * size, same ? from : stored);
}

/* Writes rows i … i + rows - 1 of a group's results. In c, the stride of rows is the width of a panel. */
static void put_rows(const conv_work *w, const panel *q, int64_t i, int64_t rows, const char *c) {
  int64_t width = w->kernel->lanes * w->kernel->vectors, channel = q->group * w->m + i;
  if (q->p->column == 1 && w->c->dtype == w->compute) {
    w->kernel->spread(&(conv_spread){.rows = rows, .from = c, .to = w->result + channel * w->plane * w->size,
                                     .from_pitch = width, .to_pitch = w->plane, .piece = q->piece, .pieces = q->pieces});
    return;
  }
  for (int64_t r = 0; r < rows; r++)
    for (int j = 0; j < q->pieces; j++)
      put(w, q->piece[j].length, q->piece[j].at + (channel + r) * w->plane, q->p->column,
          c + (r * width + q->piece[j].from) * w->size);
}

/* ---- products ---- */

/* Adds the products of the weights of taps k0 … k0 + k - 1 and the elements of x, for all rows of the weights. Tap i
** reads its elements from x + tap[i] on. The sums are complete after the last tap. If `direct` is not NULL, full tiles
** are written to `direct`, their place in the result. All other tiles are written to c and, after the last tap, copied
** to the result. */
static void tiles(const conv_work *w, const panel *q, int64_t k0, int64_t k, const char *x, const int64_t *tap, char *c,
                  char *direct) {
  const conv_table *kernel = w->kernel;
  int width = kernel->lanes * kernel->vectors, vectors = (int)((q->n + kernel->lanes - 1) / kernel->lanes);
  bool last = k0 + k >= q->p->k;
  for (int64_t i = 0; i < w->m; i += kernel->rows) {
    int rows = panel_rows(w, i), there = (int)least_of(rows, w->m - i);
    double start[MOST_ROWS] = {0};
    conv_tile t = {.k = k, .a = conv_panel_at(w, q->p, q->group, i) + k0 * rows * w->size, .x = x, .tap = tap, .add = k0 > 0,
                   .c = c + i * width * w->size, .c_pitch = width};
    if (w->bias && k0 == 0) t.start = memcpy(start, conv_bias_at(w, q->group * w->m + i), (size_t)(there * w->size));
    bool in_place = direct && there == rows;
    if (in_place) {
      t.c = direct + i * w->plane * w->size;
      t.c_pitch = w->plane;
    }
    kernel->tile(&t, rows, vectors);
    if (last && !in_place) put_rows(w, q, i, there, t.c);
  }
}

static void product(const conv_work *w, const panel *q, bool gathered, char *memory) {
  const conv_table *kernel = w->kernel;
  int width = kernel->lanes * kernel->vectors;
  char *c = memory, *b = memory + w->m_padded * width * w->size;
  bool whole = q->n % kernel->lanes == 0 && q->pieces == 1 && q->piece[0].length == q->n && q->p->column == 1 &&
               w->c->dtype == w->compute;
  char *direct = whole ? w->result + (q->piece[0].at + q->group * w->m * w->plane) * w->size : NULL;
  for (int64_t k0 = 0; k0 == 0 || k0 < q->p->k; k0 += K_BLOCK) {
    int64_t k = least_of(K_BLOCK, q->p->k - k0);
    if (gathered)
      kernel->gather(&(conv_gather){.taps = k, .tap = q->p->tap + k0, .x = q->x, .end = w->source_end, .run = q->run,
                                    .runs = q->runs, .to = b, .pitch = width});
    tiles(w, q, k0, k, gathered ? b : q->x, gathered ? w->step : q->p->tap + k0, c, direct);
  }
}

/* Computes panel t of a group. The pixels of a wide panel belong to one image. The pixels of a gathered panel are
** counted over all images of the round. */
static void one_panel(const conv_work *w, const conv_part *p, int64_t group, int64_t t, char *memory) {
  int width = w->kernel->lanes * w->kernel->vectors;
  int64_t image = p->wide ? conv_quotient(t, p->across) : 0, first = (t - image * p->across) * width;
  panel q;                                   /* not initialised: the runs and pieces take 2 KiB */
  q.p = p;
  q.group = group;
  q.image = w->image + image;
  q.n = least_of(width, counted_pixels(w, p) - first);
  q.x = source_at(w, w->image, group);
  if (!p->wide) {
    set_gathered(w, &q, first);
    product(w, &q, true, memory);
    return;
  }
  int64_t from = image * p->grid.image + first;
  set_wide(w, &q, first);
  bool ends = (w->source_end - q.x) / w->size < from + p->reach + width;     /* true: vectors would read beyond the
                                                                             ** end of the source */
  q.run[0] = (conv_run){from, 0, (int32_t)q.n};
  q.runs = 1;
  if (!ends) q.x += from * w->size;
  product(w, &q, ends, memory);
}

/* ---- rounds ---- */

static void fill_plane(const void *arg, int64_t t, int worker) {
  const conv_work *w = arg;
  const conv_source *s = &w->source;
  (void)worker;
  conv_source_fill(s, w->image + t / s->channels, t % s->channels, w->padded + t * s->plane * w->size);
}

/* Counts the panels of each part in this round. Returns the number of panels of all parts and groups. */
static int64_t count_items(const conv_work *w) {
  int64_t width = w->kernel->lanes * w->kernel->vectors, items = 0;
  for (int i = 0; i < w->count; i++) {
    conv_part *p = &w->parts[i];
    p->across = (counted_pixels(w, p) + width - 1) / width;
    p->items = p->across * (p->wide ? w->images : 1);
    items += p->items * w->c->groups;
  }
  return items;
}

static void one_item(const void *arg, int64_t t, int worker) {
  const conv_work *w = arg;
  const conv_part *p = w->parts;
  for (; t >= p->items * w->c->groups; p++) t -= p->items * w->c->groups;
  int64_t group = conv_quotient(t, p->items);
  one_panel(w, p, group, t - group * p->items, w->scratch + (size_t)worker * w->scratch_bytes);
}

static void all_rounds(conv_work *w) {
  int64_t round = conv_round(&w->source);
  cpu_parallel(w->threads, panel_count(w) * w->count, pack_one, w);
  if (w->by_planes) {
    cpu_parallel(w->threads, w->c->n * w->c->groups, conv_one_plane, w);
    return;
  }
  w->source_end = conv_source_end(&w->source, w->padded);
  for (w->image = 0; w->image < w->c->n; w->image += round) {
    w->images = least_of(round, w->c->n - w->image);
    if (!w->source.direct) cpu_parallel(w->threads, w->images * w->source.channels, fill_plane, w);
    cpu_parallel(w->threads, count_items(w), one_item, w);
  }
}

/* ---- plans ---- */

/* Chooses between wide rows and gathered pixels by counting vector operations. Gathering takes MOVE operations for
** each vector and each run of a tap. With wide rows, the weights are also multiplied with the padding at the ends of
** the rows. The product of wide rows that are divided into sheets takes 13 % longer, measured on Cascade Lake. */
static void choose_width(const conv_work *w, conv_part *p) {
  enum { MOVE = 4 };
  const double sheets = w->source.step * w->source.row_step > 1 ? 0.15 : 0;
  int vectors = w->kernel->vectors;
  double behind = (double)(p->grid.row - p->grid.columns) / (double)p->grid.columns;
  double runs = p->grid.row == p->grid.columns ? 1 : (double)vectors * w->kernel->lanes / (double)p->grid.columns + 1;
  p->wide = (behind + sheets) * (double)(w->m_padded * vectors) < MOVE * (vectors + runs);
  p->reach = 0;
  for (int64_t k = 0; k < p->k; k++)
    if (p->tap[k] > p->reach) p->reach = p->tap[k];
}

static void plan_forward(conv_work *w) {
  const conv_call *c = w->c;
  conv_part *p = &w->parts[0];
  w->weight_row = p->k;
  w->weight_group = p->k * w->m;
  w->group_plane = c->c_in / c->groups * w->source.plane;
  w->result = c->y;
  conv_taps_of_x(&w->source, c, p->tap);
  for (int64_t k = 0; k < p->k; k++) p->weight[k] = k;
  p->grid = conv_grid_of_y(&w->source, c);
  p->row = c->out[1];
  p->column = 1;
  p->dense = true;
  choose_width(w, p);
}

/* One dim of a phase of x's gradient. The phase has the elements i = first + stride * j of x, for 0 <= j < count. All
** of them have the same (i + pad) % stride, which is `number`. Element i is the sum of y[start + j - t] * w[k] over all
** k and t for which k * dilation = number + stride * t. */
typedef struct phase {
  int64_t first, count, start, number;
} phase;

/* Returns the number of phases of dim d that have elements. */
static int64_t phase_count(const conv_call *c, int d) { return least_of(c->stride[d], c->in[d]); }

/* Returns phase number `first` of dim d. `first` must be less than phase_count. */
static phase phase_of(const conv_call *c, int d, int64_t first) {
  int64_t s = c->stride[d], at = first + c->pad[d];
  return (phase){first, (c->in[d] - first + s - 1) / s, at / s, at % s};
}

/* True if the phase has a tap. All elements of a phase without taps are 0. */
static bool has_taps(const conv_call *c, int d, const phase *q) {
  for (int64_t k = 0; k < c->kernel[d]; k++)
    if (k * c->dilation[d] % c->stride[d] == q->number) return true;
  return false;
}

/* Returns an upper bound of the number of phases of dim d that have elements and taps. */
static int64_t most_parts(const conv_call *c, int d) { return least_of(phase_count(c, d), c->kernel[d]); }

/* Makes y the source, with enough zero padding for all phases. */
static void source_of_y(conv_source *s, const conv_call *c) {
  *s = (conv_source){.data = c->y, .dtype = c->dtype, .compute = dtype_compute(c->dtype), .images = c->n,
                     .channels = c->c_out, .row_step = 1, .step = 1, .rows_used = 1, .parts_used = 1};
  for (int d = 0; d < 2; d++) {
    int64_t least_start = INT64_MAX, end = 0, reach = (c->kernel[d] - 1) * c->dilation[d] / c->stride[d];
    for (int64_t f = 0; f < phase_count(c, d); f++) {
      phase q = phase_of(c, d, f);
      least_start = least_of(least_start, q.start);
      if (q.start + q.count > end) end = q.start + q.count;
    }
    s->length[d] = c->out[d];
    s->before[d] = reach - least_start;
    s->span[d] = s->before[d] + end;
  }
  conv_source_plan(s);
}

static void plan_phase(conv_work *w, conv_part *p, const phase q[2]) {
  const conv_call *c = w->c;
  const conv_source *s = &w->source;
  int64_t area = c->kernel[0] * c->kernel[1], channels = c->c_out / c->groups, n = 0;
  int64_t corner = conv_source_at(s, q[0].start + s->before[0], q[1].start + s->before[1]);
  for (int64_t i = 0; i < c->kernel[0]; i++)
    for (int64_t j = 0; j < c->kernel[1]; j++) {
      int64_t down = i * c->dilation[0] - q[0].number, right = j * c->dilation[1] - q[1].number;
      if (down % c->stride[0] != 0 || right % c->stride[1] != 0) continue;
      p->tap[n] = corner - down / c->stride[0] * s->row - right / c->stride[1];
      p->weight[n++] = i * c->kernel[1] + j;
    }
  for (int64_t k = n; k < n * channels; k++) {
    p->tap[k] = p->tap[k - n] + s->plane;
    p->weight[k] = p->weight[k - n] + c->c_in / c->groups * area;
  }
  p->k = n * channels;
  p->grid = (conv_grid){.rows = q[0].count, .columns = q[1].count, .row = s->row, .image = s->image};
  p->first = q[0].first * c->in[1] + q[1].first;
  p->row = c->stride[0] * c->in[1];
  p->column = c->stride[1];
  p->dense = c->stride[0] == 1 && c->stride[1] == 1;
  choose_width(w, p);
}

static void plan_input(conv_work *w) {
  const conv_call *c = w->c;
  int64_t area = c->kernel[0] * c->kernel[1];
  w->weight_row = area;
  w->weight_group = c->c_out / c->groups * w->m * area;
  w->group_plane = c->c_out / c->groups * w->source.plane;
  w->result = c->x;
  int64_t *tap = w->parts[0].tap, *weight = w->parts[0].weight;
  char *panels = w->parts[0].panels;
  w->count = 0;
  for (int64_t f0 = 0; f0 < phase_count(c, 0); f0++) {
    phase q[2] = {phase_of(c, 0, f0)};
    if (!has_taps(c, 0, &q[0])) continue;
    for (int64_t f1 = 0; f1 < phase_count(c, 1); f1++) {
      q[1] = phase_of(c, 1, f1);
      if (!has_taps(c, 1, &q[1])) continue;
      conv_part *p = &w->parts[w->count++];
      *p = (conv_part){.tap = tap, .weight = weight, .panels = panels};
      plan_phase(w, p, q);
      tap += p->k;
      weight += p->k;
      panels += c->groups * w->m_padded * p->k * w->size;
    }
  }
  w->gaps = w->count < phase_count(c, 0) * phase_count(c, 1);
  if (w->gaps)
    memset(w->result, 0, (size_t)(c->n * c->c_in * w->plane * dtype_size(c->dtype)));
}

/* ---- calls ---- */

/* Returns n numbers of the call in the compute dtype: x itself if x has this dtype or is NULL, otherwise `to` after
** the conversion. */
static const char *converted(const conv_work *w, const void *x, int64_t n, char *to) {
  if (w->c->dtype == w->compute || !x) return x;
  cpu_isa->convert->convert[w->c->dtype][w->compute](n, to, x);
  return to;
}

/* Returns the address of the next `bytes` bytes of a block and increases *used by `bytes`, rounded up to whole cache
** lines. If `block` is NULL, only increases *used. */
static char *take_room(char *block, size_t *used, size_t bytes) {
  char *at = block ? block + *used : NULL;
  *used += conv_aligned(bytes);
  return at;
}

/* Divides one block into the arrays that the call requires, and returns the block's size in bytes. If `block` is
** NULL, only computes the size. */
static size_t set_memory(conv_work *w, char *block) {
  const conv_call *c = w->c;
  bool forward = c->op == CONV_forward, is_half = c->dtype != w->compute;
  int64_t inner = (forward ? c->c_in : c->c_out) / c->groups, k = inner * c->kernel[0] * c->kernel[1];
  int64_t phases = forward ? 1 : most_parts(c, 0) * most_parts(c, 1), width = w->kernel->lanes * w->kernel->vectors;
  size_t used = 0, size = (size_t)w->size;
  w->parts = (conv_part *)(void *)take_room(block, &used, (size_t)phases * sizeof(conv_part));
  conv_part p = {.k = k};
  p.tap = (int64_t *)(void *)take_room(block, &used, (size_t)k * sizeof(int64_t));
  p.weight = (int64_t *)(void *)take_room(block, &used, (size_t)k * sizeof(int64_t));
  p.panels = take_room(block, &used, (size_t)(c->groups * w->m_padded * k) * size);
  char *weights = take_room(block, &used, is_half ? (size_t)(c->groups * w->m * k) * size : 0);
  char *bias = take_room(block, &used, is_half ? (size_t)c->c_out * size : 0);
  w->step = (int64_t *)(void *)take_room(block, &used, K_BLOCK * sizeof(int64_t));
  for (int64_t i = 0; block && i < K_BLOCK; i++) w->step[i] = i * width;
  w->padded = take_room(block, &used, w->by_planes ? 0 : conv_source_bytes(&w->source, conv_round(&w->source)));
  w->scratch_bytes = conv_aligned((size_t)((w->m_padded + least_of(k, K_BLOCK) + 1) * width) * size);
  int64_t band = w->band * w->columns * (1 + (is_half ? w->down : 0));
  if (w->by_planes) w->scratch_bytes = conv_planes_bytes(&w->source, inner) + conv_aligned((size_t)band * size);
  w->scratch = take_room(block, &used, w->scratch_bytes * (size_t)w->threads);
  if (!block) return used;
  w->parts[0] = p;
  w->weights = converted(w, c->w, c->groups * w->m * k, weights);
  w->bias = converted(w, c->bias, c->c_out, bias);
  return used;
}

static int run_conv(conv_work *w) {
  const conv_call *c = w->c;
  bool forward = c->op == CONV_forward;
  w->m = (forward ? c->c_out : c->c_in) / c->groups;
  int64_t last = w->m / w->kernel->rows * w->kernel->rows;
  w->m_padded = last == w->m ? last : last + panel_rows(w, last);
  w->plane = forward ? c->out[0] * c->out[1] : c->in[0] * c->in[1];
  w->by_planes = conv_has_planes(w);
  if (w->by_planes) {
    w->source.direct = false;
    w->threads = (int)least_of(w->threads, c->n * c->groups);
    conv_plan_bands(w);
  }
  w->count = 1;
  void *block;
  size_t bytes = set_memory(w, NULL);
  int st = cpu_alloc(0, bytes, &block);
  if (st != OK) return st;
  set_memory(w, block);
  if (forward) plan_forward(w);
  else plan_input(w);
  all_rounds(w);
  cpu_free(0, block, bytes);
  return OK;
}

int cpu_conv(int index, const conv_call *c) {
  (void)index;
  if (c->op == CONV_weight) return conv_weight(c);
  conv_work w = {.c = c, .kernel = FLOAT_TABLE(conv, dtype_compute(c->dtype)), .compute = dtype_compute(c->dtype)};
  w.size = dtype_size(w.compute);
  if (c->op == CONV_forward) conv_source_of_x(&w.source, c);
  else source_of_y(&w.source, c);
  int64_t each = c->c_in / c->groups * c->kernel[0] * c->kernel[1];
  w.threads = cpu_threads(c->n * c->c_out * c->out[0] * c->out[1] * each, GRAIN);
  return run_conv(&w);
}
