#ifndef LT_CPU_NN_CONV_H
#define LT_CPU_NN_CONV_H

/* The shared parts of the CPU's convolutions. conv.c explains the algorithm. Lengths and offsets are in elements. */

#include "cpu/cpu.h"

/* Images in the layout in which taps read them: planes with zero padding. Each row is split into `step` parts of every
** step-th column. So a tap reads neighbouring elements for neighbouring pixels, whatever the stride. */
typedef struct conv_source {
  const char *data;            /* [images, channels, length], stored as dtype */
  enum dtype  dtype, compute;
  int64_t     images, channels, length[2];
  int64_t     before[2];       /* zeros in front; if negative, the number of elements that are skipped */
  int64_t     span[2];         /* rows and columns, including zeros */
  int64_t     row_step, step;  /* the step between pixels, in rows and in columns */
  uint64_t    rows_used, parts_used;   /* bit sets of the used rows (the first 64, modulo row_step) and of the used
                                       ** parts; unused ones are not filled */
  int64_t     part, row, plane, image; /* strides */
  bool        direct;          /* data already has this layout */
} conv_source;

/* Sets the strides and `direct`; the other fields must be set. */
void conv_source_plan(conv_source *s);

/* Fills a plane of an image with the padded elements. */
void conv_source_fill(const conv_source *s, int64_t image, int64_t channel, char *to);

/* Returns the bytes of `images` images, including elements that a vector may read after them. */
size_t conv_source_bytes(const conv_source *s, int64_t images);

/* Returns the offset of a padded row and column in a plane. */
static inline int64_t conv_source_at(const conv_source *s, int64_t row, int64_t column) {
  return row * s->row + column % s->step * s->part + column / s->step;
}

/* Pixels that are computed alike: image after image, row after row. */
typedef struct conv_grid {
  int64_t rows, columns;
  int64_t row, image;          /* strides in the source; the columns of a row are adjacent */
} conv_grid;

/* Describes n pixels from `first` on as runs. Returns the number of runs, at most n. */
int conv_grid_runs(const conv_grid *g, int64_t first, int64_t n, conv_run *run);

/* Returns the number of images that are copied at a time: as many as fit into CONV_ROUND bytes, at least one. */
int64_t conv_round(const conv_source *s);

static inline size_t conv_aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

/* conv_source_of_x makes x the source for the taps of w. conv_taps_of_x sets the taps' offsets in a group's planes,
** [c_in / groups * kernel]. */
void conv_source_of_x(conv_source *s, const conv_call *c);
void conv_taps_of_x(const conv_source *s, const conv_call *c, int64_t *tap);
conv_grid conv_grid_of_y(const conv_source *s, const conv_call *c);

int conv_weight(const conv_call *c);

#endif
