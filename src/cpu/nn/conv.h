#ifndef LT_CPU_NN_CONV_H
#define LT_CPU_NN_CONV_H

/* Declarations that conv.c, conv_source.c and conv_weight.c share. conv.c explains the algorithm. Lengths and offsets
** are in elements. */

#include "cpu/cpu.h"

/* Images in a layout with zero padding. A padded plane is divided into row_step * step sheets. Sheet (p, q) has rows p,
** p + row_step, p + 2 row_step, … and columns q, q + step, q + 2 step, …. Therefore a tap reads adjacent elements for
** adjacent pixels, and the next row of pixels begins after the elements of one row, also if the stride is above 1. */
typedef struct conv_source {
  const char *data;            /* [images, channels, length[0], length[1]], in dtype `dtype` */
  enum dtype  dtype, compute;
  int64_t     images, channels, length[2];
  int64_t     before[2];       /* the numbers of zero rows and zero columns before the image; -n: the first n rows or
                               ** columns of the image are skipped */
  int64_t     span[2];         /* the number of padded rows, and the number of padded columns */
  int64_t     row_step, step;  /* the step from pixel to pixel, in rows and in columns */
  uint64_t    rows_used, parts_used;   /* bit i of rows_used: a tap reads rows whose number modulo row_step is i;
                                       ** bit i of parts_used: the same for columns and step. Sheets that no tap reads
                                       ** are not filled. Rows and columns without a bit (i >= 64) are always filled */
  int64_t     row, sheet, plane, image;        /* strides of rows, sheets, planes and images */
  bool        direct;          /* true: `data` already has this layout, so nothing is copied */
} conv_source;

/* Returns a / b for a >= 0 and b > 0. A division of 64 bits takes up to 90 cycles, and a division of 32 bits takes 26. */
static inline int64_t conv_quotient(int64_t a, int64_t b) {
  return (a | b) >> 32 ? a / b : (int64_t)((uint32_t)a / (uint32_t)b);
}

static inline size_t conv_aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

/* Sets the strides and `direct`. All other fields must be set before. If `direct` is true, also sets `span` to the
** size of the image, because nothing is padded. */
void conv_source_plan(conv_source *s);

/* Writes the padded plane of a channel of an image to `to`. */
void conv_source_fill(const conv_source *s, int64_t image, int64_t channel, char *to);

/* Returns the bytes of `images` padded images and of the elements after the images that a vector may read. Returns 0
** if s->direct is true. */
size_t conv_source_bytes(const conv_source *s, int64_t images);

/* Returns the bytes of `planes` padded planes and of the elements after them that a vector may read, rounded up to
** whole cache lines. */
size_t conv_planes_bytes(const conv_source *s, int64_t planes);

/* Returns the offset of a padded row and column in a plane. */
static inline int64_t conv_source_at(const conv_source *s, int64_t row, int64_t column) {
  return (row % s->row_step * s->step + column % s->step) * s->sheet + row / s->row_step * s->row + column / s->step;
}

/* The pixels of a product: rows × columns pixels of each image, counted row by row and image by image. */
typedef struct conv_grid {
  int64_t rows, columns;
  int64_t row, image;          /* strides in the source; the pixels of a row are adjacent */
} conv_grid;

/* Describes the n pixels from pixel `first` on as runs of adjacent elements. Returns the number of runs, at most
** n. */
int conv_grid_runs(const conv_grid *g, int64_t first, int64_t n, conv_run *run);

/* Returns the number of images that are padded at a time: as many as fit into 8 MiB, at least 1, or all if s->direct
** is true. */
int64_t conv_round(const conv_source *s);

/* Returns the end of the images that taps read: of `padded`, which has conv_round(s) padded images, or of s->data if
** s->direct is true. */
const char *conv_source_end(const conv_source *s, const char *padded);

/* conv_source_of_x makes x the source for the taps of w. conv_taps_of_x sets tap[0 … c_in / groups * kernel size -
** 1], the taps' offsets in the planes of a group. conv_grid_of_y describes y's pixels in this source. */
void conv_source_of_x(conv_source *s, const conv_call *c);
void conv_taps_of_x(const conv_source *s, const conv_call *c, int64_t *tap);
conv_grid conv_grid_of_y(const conv_source *s, const conv_call *c);

int conv_weight(const conv_call *c);

#endif
