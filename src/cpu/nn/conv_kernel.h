#ifndef LT_CPU_NN_CONV_KERNEL_H
#define LT_CPU_NN_CONV_KERNEL_H

/* Inner loops of convolutions, for float32 and float64. Lengths and offsets are in elements. */

#include <stdbool.h>
#include <stdint.h>

/* A run of `length` adjacent elements that moves from `from` to `to`. */
typedef struct conv_run {
  int64_t from;
  int32_t to, length;
} conv_run;

/* Sets row k of `to` to the runs of x + tap[k]. Whole vectors are moved, so up to a vector minus one element after a
** row's last run are undefined. Nothing at or after `end` is read. */
typedef struct conv_gather {
  int64_t         taps;
  const int64_t  *tap;
  const void     *x, *end;
  const conv_run *run;
  int             runs;
  void           *to;
  int64_t         pitch;               /* step of the rows of `to` */
} conv_gather;

/* c[i][j] = start[i] (or c[i][j], or 0) + the sum over k of a[k][i] * x[tap[k] + j]. */
typedef struct conv_tile {
  int64_t        k;
  const void    *a, *x;                /* a: [k][rows], so the rows are side by side */
  const int64_t *tap;
  void          *c;
  int64_t        c_pitch;
  const void    *start;                /* NULL: none */
  bool           add;
} conv_tile;

/* A piece of adjacent results: `length` elements of a panel's row, beginning at `from`. They are written to the
** result's channel, beginning at `at`. */
typedef struct conv_piece {
  int64_t at;
  int32_t from, length;
} conv_piece;

/* to[i * to_pitch + at …] = from[i * from_pitch + from …] for all pieces. Nothing else is written. */
typedef struct conv_spread {
  int64_t           rows;
  const void       *from;
  void             *to;
  int64_t           from_pitch, to_pitch;
  const conv_piece *piece;
  int               pieces;
} conv_spread;

/* out[i][j] = (out[i][j] or 0) + the sum over p of y[i][p] * x[j][p]. n must be a multiple of the vector's length. */
typedef struct conv_dots {
  int64_t     n, rows, columns;
  const void *y, *x;
  int64_t     y_pitch, x_pitch;
  void       *out;
  int64_t     out_pitch;
  bool        add;
} conv_dots;

/* The convolution of a single plane: out[r][j] = start + the sum over k of w[k] * x[tap[k] + r * x_row + j], j <
** columns. */
typedef struct conv_plane {
  int64_t        taps, rows, columns;
  const int64_t *tap;
  const void    *x, *w, *start;        /* start may be NULL, which means 0 */
  int64_t        x_row;
  void          *out;
  int64_t        out_row;
} conv_plane;

/* to[k * pitch + i] = from[i * row + at[k]]. */
typedef struct conv_pick {
  int            rows;
  int64_t        k, row;
  const int64_t *at;
  const void    *from;
  void          *to;
  int64_t        pitch;
} conv_pick;

typedef struct conv_table {
  int rows, lanes, vectors;            /* the size of a tile: rows (a power of 2), elements of a vector, vectors */
  void (*pick)(const conv_pick *p);
  void (*gather)(const conv_gather *g);
  void (*tile)(const conv_tile *t, int rows, int vectors);     /* rows must be a power of 2 */
  void (*dots)(const conv_dots *d);
  void (*plane)(const conv_plane *p);  /* may read up to a vector minus one element after the end of a row */
  void (*spread)(const conv_spread *s);
  void (*add)(int64_t n, void *to, const void *from);          /* to += from */
} conv_table;

typedef conv_table conv_float32_table, conv_float64_table;

#endif
