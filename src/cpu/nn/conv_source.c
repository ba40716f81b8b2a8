/* Pads images with zeros for the taps of a convolution, and describes the pixels' positions in the padded images. */

#include <string.h>

#include "cpu/nn/conv.h"

enum {
  ROUND = 8 << 20,             /* the most bytes of padded images that are filled at a time (the L2 of a few cores);
                               ** a larger image is filled alone */
  SLACK = 64,                  /* the number of elements after the last plane of a block that a vector may read */
  CHUNK = 1024                 /* the number of columns of half floats that are converted at a time */
};

static bool is_unpadded(const conv_source *s) {
  return s->before[0] == 0 && s->before[1] == 0 && s->span[0] <= s->length[0] && s->span[1] <= s->length[1];
}

void conv_source_plan(conv_source *s) {
  s->direct = s->dtype == s->compute && s->step == 1 && s->row_step == 1 && is_unpadded(s);
  if (s->direct) {
    s->span[0] = s->length[0];
    s->span[1] = s->length[1];
  }
  s->row = (s->span[1] + s->step - 1) / s->step;
  s->sheet = s->row * ((s->span[0] + s->row_step - 1) / s->row_step);
  s->plane = s->sheet * s->step * s->row_step;
  s->image = s->plane * s->channels;
}

size_t conv_planes_bytes(const conv_source *s, int64_t planes) {
  return conv_aligned((size_t)(planes * s->plane + SLACK) * (size_t)dtype_size(s->compute));
}

size_t conv_source_bytes(const conv_source *s, int64_t images) {
  return s->direct ? 0 : conv_planes_bytes(s, images * s->channels);
}

int64_t conv_round(const conv_source *s) {
  if (s->direct) return s->images;
  int64_t most = ROUND / (s->image * dtype_size(s->compute));
  return most < 1 ? 1 : most < s->images ? most : s->images;
}

const char *conv_source_end(const conv_source *s, const char *padded) {
  if (s->direct) return s->data + s->images * s->image * dtype_size(s->compute);
  return padded + conv_source_bytes(s, conv_round(s));
}

/* ---- filling planes ---- */

/* Converts half floats: sets to[i] = from[i * step] for i < n. */
static void fetch(const conv_source *s, int64_t n, char *to, const char *from, int64_t step) {
  int size = dtype_size(s->dtype), made = dtype_size(s->compute);
  copy_plan p = {.rows = 1, .cols = n, .to_row = n, .to_col = 1, .from_row = n, .from_col = step};
  uint16_t stored[CHUNK];
  for (int64_t i = 0; i < n; i += CHUNK) {
    p.cols = n - i < CHUNK ? n - i : CHUNK;
    cpu_isa->convert->copy[1](&p, stored, from + i * step * size);
    cpu_isa->convert->convert[s->dtype][s->compute](p.cols, to + i * made, stored);
  }
}

/* The n elements of a dim that are copied to a sheet of the padded plane. Element i of the range is element first + i *
** step of the image. It is copied to element to + i of the sheet. */
typedef struct range {
  int64_t first, to, n;
} range;

/* Returns the range of the sheets that have padded rows or columns part, part + step, … of dim d, `length` in total. */
static range range_of(const conv_source *s, int d, int64_t step, int64_t part, int64_t length) {
  int64_t skipped = s->before[d] - part, to = skipped > 0 ? (skipped + step - 1) / step : 0;
  range r = {to * step - skipped, to, 0};
  if (to < length && r.first < s->length[d]) r.n = least_of((s->length[d] - r.first + step - 1) / step, length - to);
  return r;
}

/* Copies the elements of the rows of `down` and the columns of `right`. */
static void fill_part(const conv_source *s, const char *x, const range *down, const range *right, char *to) {
  int64_t size = dtype_size(s->dtype), made = dtype_size(s->compute);
  int64_t x_row = s->length[1] * s->row_step, to_row = s->row;
  if (down->n == 0 || right->n == 0) return;
  x += (down->first * s->length[1] + right->first) * size;
  to += (down->to * to_row + right->to) * made;
  if (s->dtype == s->compute) {
    FLOAT_TABLE(conv, s->compute)->pad(&(conv_pad){.rows = down->n, .columns = right->n, .x_row = x_row, .step = s->step,
                                                   .to_row = to_row, .x = x, .to = to});
    return;
  }
  for (int64_t r = 0; r < down->n; r++) fetch(s, right->n, to + r * to_row * made, x + r * x_row * size, s->step);
}

static bool is_used(uint64_t used, int64_t i) { return i >= 64 || used >> i & 1; }

void conv_source_fill(const conv_source *s, int64_t image, int64_t channel, char *to) {
  int64_t made = dtype_size(s->compute);
  const char *x = s->data + (image * s->channels + channel) * s->length[0] * s->length[1] * dtype_size(s->dtype);
  if (!is_unpadded(s)) memset(to, 0, (size_t)(s->plane * made));
  for (int64_t p = 0; p < s->row_step; p++) {
    if (!is_used(s->rows_used, p)) continue;
    range down = range_of(s, 0, s->row_step, p, (s->span[0] - p + s->row_step - 1) / s->row_step);
    for (int64_t q = 0; q < s->step; q++) {
      range right = range_of(s, 1, s->step, q, s->row);
      if (is_used(s->parts_used, q)) fill_part(s, x, &down, &right, to + (p * s->step + q) * s->sheet * made);
    }
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
  int64_t r = conv_quotient(first, columns), column = first - r * columns, image = conv_quotient(r, rows);
  r -= image * rows;
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
  int64_t area = c->kernel[0] * c->kernel[1], taps = c->c_in / c->groups * area;
  for (int64_t k = 0; k < taps; k++)
    if (k >= area) tap[k] = tap[k - area] + s->plane;
    else tap[k] = conv_source_at(s, k / c->kernel[1] * c->dilation[0], k % c->kernel[1] * c->dilation[1]);
}

conv_grid conv_grid_of_y(const conv_source *s, const conv_call *c) {
  return (conv_grid){.rows = c->out[0], .columns = c->out[1], .row = s->row, .image = s->image};
}
