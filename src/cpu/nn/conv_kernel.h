#ifndef LT_CPU_NN_CONV_KERNEL_H
#define LT_CPU_NN_CONV_KERNEL_H

/* Declarations of the inner loops of convolutions, for float32 and float64. Lengths and offsets are in elements. */

#include <stdbool.h>
#include <stdint.h>

/* A run of `length` adjacent elements, which are copied from offset `from` to offset `to`. */
typedef struct conv_run {
  int64_t from;
  int32_t to, length;
} conv_run;

/* The arguments of `gather`, which copies all runs of each tap: to[k * pitch + run.to + i] = x[tap[k] + run.from + i]
** for i < run.length. Whole vectors are copied, so the elements of a row after its last run are undefined, up to
** one element less than a vector. Elements at or after `end` are not read. */
typedef struct conv_gather {
  int64_t         taps;
  const int64_t  *tap;
  const void     *x, *end;
  const conv_run *run;
  int             runs;
  void           *to;
  int64_t         pitch;               /* the stride of the rows of `to` */
} conv_gather;

/* The arguments of `tile`, which computes c[i][j] = start[i] + the sum over k of a[k][i] * x[tap[k] + j]. If `add` is
** true, the old c[i][j] replaces start[i]. */
typedef struct conv_tile {
  int64_t        k;
  const void    *a, *x;                /* a is [k][rows], so that the rows of one k are adjacent */
  const int64_t *tap;
  void          *c;
  int64_t        c_pitch;
  const void    *start;                /* one element for each row i; NULL: all 0 */
  bool           add;
} conv_tile;

/* A piece of adjacent results: `length` elements of a panel's row from element `from` on. They are stored in elements
** `at`, at + 1, … of the result's channel. */
typedef struct conv_piece {
  int64_t at;
  int32_t from, length;
} conv_piece;

/* The arguments of `spread`, which copies all pieces of each row: to[i * to_pitch + at + j] = from[i * from_pitch +
** from + j]. No other element is written. */
typedef struct conv_spread {
  int64_t           rows;
  const void       *from;
  void             *to;
  int64_t           from_pitch, to_pitch;
  const conv_piece *piece;
  int               pieces;
} conv_spread;

/* The arguments of `dots`, which computes out[i][j] = the sum over p < n of y[i][p] * x[j][p], and adds the old
** out[i][j] if `add` is true. n must be a multiple of the vector's length. */
typedef struct conv_dots {
  int64_t     n, rows, columns;
  const void *y, *x;
  int64_t     y_pitch, x_pitch;
  void       *out;
  int64_t     out_pitch;
  bool        add;
} conv_dots;

/* The arguments of `plane`, which computes one plane of a convolution. For r < rows and j < columns, out[r][j] is
** start + the sum over k of w[k] * x[tap[k] + r * x_row + j]. The rows of `out` are contiguous. Vectors may read beyond
** the end of a row of x, by less than a vector. */
typedef struct conv_plane {
  int64_t        taps, rows, columns;
  const int64_t *tap;
  const void    *x, *w, *start;        /* start points to one element; NULL: 0 */
  int64_t        x_row;
  void          *out;
} conv_plane;

/* The arguments of `plane_dots`, which adds to the vector sum[k] the products y[r][j] * x[tap[k] + r * x_row + j] for
** r < rows and j < columns. The sum of this vector's lanes is the gradient of the weight of tap k. y_row is a multiple
** of the vector's length, and the elements of y's rows from `columns` on are 0. */
typedef struct conv_plane_dots {
  int64_t        taps, rows, columns;
  const int64_t *tap;
  const void    *x, *y;
  int64_t        x_row, y_row;
  void          *sum;
} conv_plane_dots;

/* The arguments of `pad`, which copies to[r * to_row + i] = x[r * x_row + i * step] for r < rows and i < columns. */
typedef struct conv_pad {
  int64_t     rows, columns, x_row, step, to_row;
  const void *x;
  void       *to;
} conv_pad;

/* The arguments of `weave`, which merges rows: to[i] = from[i % step][i / step] for i < n. If from[i % step] is NULL,
** to[i] becomes 0. */
typedef struct conv_weave {
  int64_t            n, step;
  const void *const *from;
  void              *to;
} conv_weave;

/* The arguments of `pick`, which copies to[k * pitch + i] = from[i * row + at[k]] for i < rows and all k. */
typedef struct conv_pick {
  int            rows;
  int64_t        k, row;
  const int64_t *at;
  const void    *from;
  void          *to;
  int64_t        pitch;
} conv_pick;

typedef struct conv_table {
  int rows, lanes, vectors;            /* the size of a tile: rows (a power of 2), elements of a vector, and vectors
                                       ** of a row */
  void (*pick)(const conv_pick *p);
  void (*gather)(const conv_gather *g);
  void (*tile)(const conv_tile *t, int rows, int vectors);     /* rows must be a power of 2 */
  void (*dots)(const conv_dots *d);
  void (*plane)(const conv_plane *p);
  void (*plane_dots)(const conv_plane_dots *d);
  void (*add_lanes)(int64_t n, const void *sum, void *to);     /* sets to[k] to the sum of the lanes of vector sum[k],
                                                               ** for k < n */
  void (*pad)(const conv_pad *p);
  void (*weave)(const conv_weave *w);
  void (*spread)(const conv_spread *s);
  void (*add)(int64_t n, void *to, const void *from);          /* adds n elements of `from` to `to` */
} conv_table;

typedef conv_table conv_float32_table, conv_float64_table;

#endif
