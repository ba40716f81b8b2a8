#ifndef LT_CPU_CONV_KERNEL_H
#define LT_CPU_CONV_KERNEL_H

/* Inner loops of convolutions, of float32 and of float64. Lengths and offsets are in elements. */

#include <stdbool.h>
#include <stdint.h>

/* Elements side by side: `length` of them from `from` on go to `to` on. */
typedef struct conv_run {
  int64_t from;
  int32_t to, length;
} conv_run;

/* Row k of `to` becomes the runs of x + tap[k]. Whole vectors are moved: up to a vector less one element behind a row's last
** run may be anything. What lies at `end` or behind it is not read. */
typedef struct conv_gather {
  int64_t         taps;
  const int64_t  *tap;
  const void     *x, *end;
  const conv_run *run;
  int             runs;
  void           *to;
  int64_t         pitch;               /* of the rows of `to` */
} conv_gather;

/* c[i][j] = start[i] (or c[i][j], or 0) + the sum over k of a[k][i] * b[k][j]. */
typedef struct conv_tile {
  int64_t     k;
  const void *a, *b;                   /* a: rows beside each other */
  int64_t     b_pitch;
  void       *c;
  int64_t     c_pitch;
  const void *start;                   /* NULL: none */
  bool        add;
} conv_tile;

/* out[i][j] = (out[i][j] or 0) + the sum over p of y[i][p] * x[j][p]; n is a multiple of the vector's length. */
typedef struct conv_dots {
  int64_t     n, rows, columns;
  const void *y, *x;
  int64_t     y_pitch, x_pitch;
  void       *out;
  int64_t     out_pitch;
  bool        add;
} conv_dots;

/* A plane's convolution by itself: out[p] = start + the sum over k of w[k] * x[tap[k] + p] along each run. */
typedef struct conv_plane {
  int64_t         taps;
  const int64_t  *tap;
  const void     *x, *w, *start;       /* start: NULL: 0 */
  const conv_run *run;
  int             runs;
  void           *out;
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
  int rows, lanes, vectors;            /* a tile: so many rows (a power of 2) of so many vectors of so many elements */
  void (*pick)(const conv_pick *p);
  void (*gather)(const conv_gather *g);
  void (*tile)(const conv_tile *t, int rows, int vectors);     /* rows: a power of 2 */
  void (*dots)(const conv_dots *d);
  void (*plane)(const conv_plane *p);  /* reads and writes whole vectors, as gather does */
  void (*add)(int64_t n, void *to, const void *from);          /* to += from */
  void (*shift)(int64_t n, void *to, const void *from, const void *by);   /* to = from + *by (NULL: 0) */
} conv_table;

typedef conv_table conv_float32_table, conv_float64_table;

#endif
