/* Pads images with zeros for the taps of a convolution, and describes the pixels' positions in the padded images. */

#include <string.h>

#include "cpu/nn/conv.h"

enum {
  ROUND = 8 << 20,             /* the most bytes of padded images that are filled at a time (the L2 of a few cores);
                               ** a larger image is filled alone */
  SLACK = 64,                  /* the number of elements after the last plane that a vector may read */
  CHUNK = 1024                 /* the number of columns of half floats that are converted at a time */
};

static bool is_unpadded(const conv_source *s) {
  return s->before[0] == 0 && s->before[1] == 0 && s->span[0] <= s->length[0] && s->span[1] <= s->length[1];
}

void conv_source_plan(conv_source *s) {
  s->direct = s->dtype == s->compute && s->step == 1 && is_unpadded(s);
  if (s->direct) {
    s->span[0] = s->length[0];
    s->span[1] = s->length[1];
  }
  s->part = (s->span[1] + s->step - 1) / s->step;
  s->row = s->part * s->step;
  s->plane = s->row * s->span[0];
  s->image = s->plane * s->channels;
}

size_t conv_source_bytes(const conv_source *s, int64_t images) {
  return s->direct ? 0 : (size_t)(images * s->image + SLACK) * (size_t)dtype_size(s->compute);
}

int64_t conv_round(const conv_source *s) {
  if (s->direct) return s->images;
  int64_t most = ROUND / (s->image * dtype_size(s->compute));
  return most < 1 ? 1 : most < s->images ? most : s->images;
}

/* ---- filling planes ---- */

/* Sets to[i] = from[i * step] for i < n, converted to the compute dtype. */
static void fetch(const conv_source *s, int64_t n, char *to, const char *from, int64_t step) {
  int size = dtype_size(s->dtype), made = dtype_size(s->compute);
  if (s->dtype == s->compute && step == 1) {
    memcpy(to, from, (size_t)(n * size));
    return;
  }
  copy_plan p = {.rows = 1, .cols = n, .to_row = n, .to_col = 1, .from_row = n, .from_col = step};
  if (s->dtype == s->compute) {
    cpu_isa->convert->copy[__builtin_ctz((unsigned)size)](&p, to, from);
    return;
  }
  uint16_t stored[CHUNK];
  for (int64_t i = 0; i < n; i += CHUNK) {
    p.cols = n - i < CHUNK ? n - i : CHUNK;
    cpu_isa->convert->copy[1](&p, stored, from + i * step * size);
    cpu_isa->convert->convert[s->dtype][s->compute](p.cols, to + i * made, stored);
  }
}

/* Writes part `part` of a padded row: columns part, part + step, part + 2 step, … */
static void fill_part(const conv_source *s, const char *row, int64_t part, char *to) {
  int64_t made = dtype_size(s->compute), from = 0, end;
  while (from < s->part && from * s->step + part < s->before[1]) from++;
  end = from;
  int64_t first = from * s->step + part - s->before[1];
  if (first < s->length[1]) end = from + (s->length[1] - first + s->step - 1) / s->step;
  if (end > s->part) end = s->part;
  memset(to, 0, (size_t)(from * made));
  if (end > from) fetch(s, end - from, to + from * made, row + first * dtype_size(s->dtype), s->step);
  memset(to + end * made, 0, (size_t)((s->part - end) * made));
}

static bool is_used(uint64_t used, int64_t i) { return i >= 64 || used >> i & 1; }

void conv_source_fill(const conv_source *s, int64_t image, int64_t channel, char *to) {
  int64_t size = dtype_size(s->dtype), made = dtype_size(s->compute);
  const char *plane = s->data + (image * s->channels + channel) * s->length[0] * s->length[1] * size;
  for (int64_t r = 0; r < s->span[0]; r++, to += s->row * made) {
    int64_t at = r - s->before[0];
    if (!is_used(s->rows_used, r % s->row_step)) continue;
    if (at < 0 || at >= s->length[0]) {
      memset(to, 0, (size_t)(s->row * made));
      continue;
    }
    for (int64_t p = 0; p < s->step; p++)
      if (is_used(s->parts_used, p)) fill_part(s, plane + at * s->length[1] * size, p, to + p * s->part * made);
  }
}

/* ---- pixels ---- */

int conv_grid_runs(const conv_grid *g, int64_t first, int64_t n, conv_run *run) {
  int64_t columns = g->columns, rows = g->rows;
  if (columns == g->row) {     /* the rows of an image are contiguous */
    columns *= rows;
    rows = 1;
  }
  int count = 0;
  int64_t column = first % columns, r = first / columns % rows, image = first / columns / rows;
  for (int64_t to = 0; to < n; count++) {
    int64_t length = columns - column < n - to ? columns - column : n - to;
    run[count] = (conv_run){image * g->image + r * g->row + column, (int32_t)to, (int32_t)length};
    to += length;
    column = 0;
    if (++r == rows) {
      r = 0;
      image++;
    }
  }
  return count;
}

/* ---- the source for x ---- */

/* Returns the bit set of the numbers k * dilation % stride that are below 64, for all k < kernel. */
static uint64_t residues(int64_t kernel, int64_t dilation, int64_t stride) {
  uint64_t used = 0;
  for (int64_t k = 0; k < kernel; k++)
    if (k * dilation % stride < 64) used |= (uint64_t)1 << (k * dilation % stride);
  return used;
}

void conv_source_of_x(conv_source *s, const conv_call *c) {
  *s = (conv_source){.data = c->x, .dtype = c->dtype, .compute = dtype_compute(c->dtype), .images = c->n, .channels = c->c_in,
                     .row_step = c->stride[0], .step = c->stride[1]};
  for (int d = 0; d < 2; d++) {
    s->length[d] = c->in[d];
    s->before[d] = c->pad[d];
    s->span[d] = (c->out[d] - 1) * c->stride[d] + (c->kernel[d] - 1) * c->dilation[d] + 1;
  }
  s->rows_used = residues(c->kernel[0], c->dilation[0], c->stride[0]);
  s->parts_used = residues(c->kernel[1], c->dilation[1], c->stride[1]);
  conv_source_plan(s);
}

void conv_taps_of_x(const conv_source *s, const conv_call *c, int64_t *tap) {
  for (int64_t channel = 0; channel < c->c_in / c->groups; channel++)
    for (int64_t i = 0; i < c->kernel[0]; i++)
      for (int64_t j = 0; j < c->kernel[1]; j++)
        *tap++ = channel * s->plane + conv_source_at(s, i * c->dilation[0], j * c->dilation[1]);
}

conv_grid conv_grid_of_y(const conv_source *s, const conv_call *c) {
  return (conv_grid){.rows = c->out[0], .columns = c->out[1], .row = s->row * c->stride[0], .image = s->image};
}
