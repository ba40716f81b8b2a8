#ifndef LT_CPU_NN_CONV_H
#define LT_CPU_NN_CONV_H

/* What the convolutions of the CPU share. conv.c says how they work. Lengths and offsets are in elements. */

#include "cpu/cpu.h"

/* Images as taps read them: planes with zeros around, rows split into `step` parts of every step-th column, so that what
** neighbouring pixels read for a tap lies side by side whatever the stride. */
typedef struct conv_source {
  const char *data;            /* [images, channels, length] of dtype */
  enum dtype  dtype, compute;
  int64_t     images, channels, length[2];
  int64_t     before[2];       /* zeros in front; negative: so much is left out */
  int64_t     span[2];         /* rows and columns, zeros counted */
  int64_t     row_step, step;  /* of the pixels, in rows and in columns */
  uint64_t    rows_used, parts_used;   /* which of the first 64 rows modulo row_step, parts: others are not filled in */
  int64_t     part, row, plane, image; /* strides */
  bool        direct;          /* data is just that already */
} conv_source;

/* Sets the strides and direct; the rest is given. */
void conv_source_plan(conv_source *s);

/* Fills in a plane of an image. */
void conv_source_fill(const conv_source *s, int64_t image, int64_t channel, char *to);

/* Bytes of so many images, with what a vector may read behind them. */
size_t conv_source_bytes(const conv_source *s, int64_t images);

/* Where padded row and column begin in a plane. */
static inline int64_t conv_source_at(const conv_source *s, int64_t row, int64_t column) {
  return row * s->row + column % s->step * s->part + column / s->step;
}

/* Pixels that are computed alike: image after image, row after row. */
typedef struct conv_grid {
  int64_t rows, columns;
  int64_t row, image;          /* strides in the source; columns lie side by side */
} conv_grid;

/* Where n pixels from `first` on lie, as runs. Returns their number, n at most. */
int conv_grid_runs(const conv_grid *g, int64_t first, int64_t n, conv_run *run);

/* The number of images that are copied at a time: as many as fit into CONV_ROUND bytes, at least one. */
int64_t conv_round(const conv_source *s);

static inline size_t conv_aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

/* Source of x for taps of w; NULL or the taps' offsets in a group's planes, [c_in / groups * kernel]. */
void conv_source_of_x(conv_source *s, const conv_call *c);
void conv_taps_of_x(const conv_source *s, const conv_call *c, int64_t *tap);
conv_grid conv_grid_of_y(const conv_source *s, const conv_call *c);

int conv_weight(const conv_call *c);

#endif
