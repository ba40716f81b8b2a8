/* Inner loops of convolutions, which compute tiles of results in registers. conv_float32.c and conv_float64.c define
** REAL and include this file. conv_kernel.h describes each function. */

#include <string.h>

#include "cpu/kernels/shuffle.h"

/* ROWS × VECTORS is the number of accumulator vectors of a tile, and DOTS is the number of columns of a block of dot
** products. They are the largest numbers for which the accumulators and their operands fit into the registers. */
#if defined(__AVX512F__) || defined(__aarch64__)
enum { ROWS = 8, VECTORS = 3, DOTS = 6 };
#elif defined(__AVX__)
enum { ROWS = 4, VECTORS = 3, DOTS = 3 };
#else
enum { ROWS = 4, VECTORS = 2, DOTS = 2 };
#endif

enum { DOT_ROWS = 4, ALONG = 4, PLANE_ROWS = 8, PLANE_TAPS = 9 };

/* ---- gathering ---- */

INLINE void move_run(const REAL *from, const REAL *end, REAL *to, int64_t length) {
  if (end - from < length + LANES) {
    memcpy(to, from, (size_t)length * sizeof(REAL));
    return;
  }
  for (int64_t i = 0; i < length; i += LANES) store(to + i, load(from + i));
}

INLINE void pick_rows(const int rows, const conv_pick *p) {
  const REAL *from = p->from;
  REAL *to = p->to;
  for (int64_t k = 0; k < p->k; k++, to += p->pitch)
    #pragma GCC unroll 8
    for (int i = 0; i < rows; i++) to[i] = from[i * p->row + p->at[k]];
}

static void pick(const conv_pick *p) {
  if (p->rows == ROWS) pick_rows(ROWS, p);
  else pick_rows(p->rows, p);
}

static void gather(const conv_gather *g) {
  const REAL *x = g->x, *end = g->end;
  REAL *to = g->to;
  for (int64_t k = 0; k < g->taps; k++, to += g->pitch) {
    const REAL *from = x + g->tap[k];
    for (int r = 0; r < g->runs; r++) {
      const conv_run *run = &g->run[r];
      move_run(from + run->from, end, to + run->to, run->length);
    }
  }
}

/* ---- tiles ---- */

INLINE void start_tile(const int rows, const int vectors, const conv_tile *t, vector sum[ROWS][VECTORS]) {
  const REAL *start = t->start, *c = t->c;
  #pragma GCC unroll 8
  for (int i = 0; i < rows; i++)
    #pragma GCC unroll 8
    for (int j = 0; j < vectors; j++)
      sum[i][j] = t->add ? load(c + i * t->c_pitch + j * LANES) : start ? all(start[i]) : (vector){0};
}

INLINE void one_tile(const int rows, const int vectors, const conv_tile *t) {
  vector sum[ROWS][VECTORS];
  start_tile(rows, vectors, t, sum);
  const REAL *a = t->a, *x = t->x;
  const int64_t *tap = t->tap;
  for (int64_t k = 0; k < t->k; k++, a += rows) {
    const REAL *b = x + tap[k];
    vector v[VECTORS];
    #pragma GCC unroll 8
    for (int j = 0; j < vectors; j++) v[j] = load(b + j * LANES);
    #pragma GCC unroll 8
    for (int i = 0; i < rows; i++) {
      vector u = all(a[i]);
      #pragma GCC unroll 8
      for (int j = 0; j < vectors; j++) sum[i][j] += u * v[j];
    }
  }
  REAL *c = t->c;
  #pragma GCC unroll 8
  for (int i = 0; i < rows; i++)
    #pragma GCC unroll 8
    for (int j = 0; j < vectors; j++) store(c + i * t->c_pitch + j * LANES, sum[i][j]);
}

INLINE void tile_of(const int rows, int vectors, const conv_tile *t) {
  if (vectors == 1) one_tile(rows, 1, t);
  else if (vectors == 2) one_tile(rows, 2, t);
  else one_tile(rows, VECTORS, t);
}

static void tile(const conv_tile *t, int rows, int vectors) {
  if (rows == 1) tile_of(1, vectors, t);
  else if (rows == 2) tile_of(2, vectors, t);
  else if (rows == 4) tile_of(4, vectors, t);
  else if (ROWS == 8) tile_of(8 < ROWS ? 8 : ROWS, vectors, t);
}

/* ---- sums over pixels ---- */

/* sum_of returns the sum of a vector's elements. few_of adds the two halves of a vector until 16 bytes remain. halve
** returns 32 bytes of a vector: the sum of the halves of a vector of 64 bytes, or the vector itself. */
typedef REAL few __attribute__((vector_size(16)));
#if BYTES == 64
typedef REAL half __attribute__((vector_size(32)));
INLINE half halve(vector v) {
  struct { half low, high; } part;
  memcpy(&part, &v, sizeof part);
  return part.low + part.high;
}
#elif BYTES == 32
typedef vector half;
INLINE half halve(vector v) { return v; }
#endif
#if BYTES > 16
INLINE few few_of(vector v) {
  struct { few low, high; } part;
  half h = halve(v);
  memcpy(&part, &h, sizeof part);
  return part.low + part.high;
}
#else
INLINE few few_of(vector v) { return v; }
#endif

INLINE REAL sum_of(vector v) {
  few s = few_of(v);
  return sizeof(REAL) == 8 ? s[0] + s[1] : (s[0] + s[2 % (16 / sizeof(REAL))]) + (s[1] + s[3 % (16 / sizeof(REAL))]);
}

INLINE void some_dots(const int rows, const int columns, const conv_dots *d, const REAL *y, const REAL *x, REAL *out) {
  vector sum[DOT_ROWS][DOTS];
  #pragma GCC unroll 8
  for (int i = 0; i < rows; i++)
    #pragma GCC unroll 8
    for (int j = 0; j < columns; j++) sum[i][j] = (vector){0};
  for (int64_t p = 0; p < d->n; p += LANES) {
    vector v[DOTS];
    #pragma GCC unroll 8
    for (int j = 0; j < columns; j++) v[j] = load(x + j * d->x_pitch + p);
    #pragma GCC unroll 8
    for (int i = 0; i < rows; i++) {
      vector u = load(y + i * d->y_pitch + p);
      #pragma GCC unroll 8
      for (int j = 0; j < columns; j++) sum[i][j] += u * v[j];
    }
  }
  #pragma GCC unroll 8
  for (int i = 0; i < rows; i++)
    #pragma GCC unroll 8
    for (int j = 0; j < columns; j++) {
      REAL *to = out + i * d->out_pitch + j, s = sum_of(sum[i][j]);
      *to = d->add ? *to + s : s;
    }
}

/* Computes columns j … j + columns - 1 of the result: dot products of rows of x with all rows of y. */
INLINE void column_dots(const int columns, const conv_dots *d, int64_t j) {
  const REAL *y = d->y, *x = (const REAL *)d->x + j * d->x_pitch;
  REAL *out = (REAL *)d->out + j;
  int64_t i = 0;
  for (; i + DOT_ROWS <= d->rows; i += DOT_ROWS)
    some_dots(DOT_ROWS, columns, d, y + i * d->y_pitch, x, out + i * d->out_pitch);
  for (; i < d->rows; i++) some_dots(1, columns, d, y + i * d->y_pitch, x, out + i * d->out_pitch);
}

static void dots(const conv_dots *d) {
  int64_t j = 0;
  for (; j + DOTS <= d->columns; j += DOTS) column_dots(DOTS, d, j);
  for (; DOTS > 3 && j + 3 <= d->columns; j += 3) column_dots(3 < DOTS ? 3 : DOTS, d, j);
  for (; j < d->columns; j++) column_dots(1, d, j);
}

/* ---- planes ---- */

/* Computes `count` vectors of results. From one vector to the next, x advances by x_step, and `out` by out_step. `room`
** is the number of elements from `out` to the end of the plane. Vectors are stored in order, so that elements beyond
** the end of a row are overwritten by the next row. */
INLINE void plane_part(const int count, const conv_plane *p, const REAL *x, int64_t x_step, REAL *out, int64_t out_step,
                       int64_t room) {
  const REAL *w = p->w, *start = p->start;
  vector sum[PLANE_ROWS];
  #pragma GCC unroll 8
  for (int i = 0; i < count; i++) sum[i] = all(start ? *start : 0);
  for (int64_t k = 0; k < p->taps; k++) {
    const REAL *from = x + p->tap[k];
    vector u = all(w[k]);
    #pragma GCC unroll 8
    for (int i = 0; i < count; i++) sum[i] += u * load(from + i * x_step);
  }
  #pragma GCC unroll 8
  for (int i = 0; i < count; i++, out += out_step, room -= out_step)
    if (room >= LANES) store(out, sum[i]);
    else memcpy(out, &sum[i], (size_t)room * sizeof(REAL));
}

/* Computes the LANES columns from column j on, or all columns if there are fewer, in all rows. */
static void plane_columns(const conv_plane *p, int64_t j) {
  const REAL *x = (const REAL *)p->x + j;
  REAL *out = (REAL *)p->out + j;
  int64_t n = p->columns, rows = p->rows, room = rows * n - j, r = 0;
  for (; r + PLANE_ROWS <= rows; r += PLANE_ROWS)
    plane_part(PLANE_ROWS, p, x + r * p->x_row, p->x_row, out + r * n, n, room - r * n);
  if (r + 4 <= rows) {
    plane_part(4, p, x + r * p->x_row, p->x_row, out + r * n, n, room - r * n);
    r += 4;
  }
  for (; r < rows; r++) plane_part(1, p, x + r * p->x_row, p->x_row, out + r * n, n, room - r * n);
}

/* Blocks of rows share the vectors of weights. If rows are long, vectors are neighbours in a row instead. The last
** vector of a row ends at the end of the row, so some elements are computed twice. */
static void plane(const conv_plane *p) {
  int64_t n = p->columns, begin = n / (ALONG * LANES) * (ALONG * LANES), j = begin;
  for (int64_t r = 0; begin > 0 && r < p->rows; r++)
    for (int64_t i = 0; i < begin; i += ALONG * LANES)
      plane_part(ALONG, p, (const REAL *)p->x + r * p->x_row + i, LANES, (REAL *)p->out + r * n + i, LANES,
                 p->rows * n - r * n - i);
  for (; j + LANES <= n; j += LANES) plane_columns(p, j);
  if (j < n) plane_columns(p, n >= LANES ? n - LANES : 0);
}

/* Adds the products of `taps` taps from tap k on. The last vector of a row may have elements of x beyond the row, which
** may be infinite or NaN, so they are replaced by 0. */
INLINE void some_plane_dots(const int taps, const conv_plane_dots *d, int64_t k) {
  vector sum[PLANE_TAPS], lane;
  int64_t whole = d->columns / LANES * LANES;
  REAL *to = (REAL *)d->sum + k * LANES;
  for (int i = 0; i < LANES; i++) lane[i] = (REAL)i;
  words keep = (words)(lane < all((REAL)(d->columns - whole)));
  #pragma GCC unroll 9
  for (int i = 0; i < taps; i++) sum[i] = load(to + i * LANES);
  for (int64_t r = 0; r < d->rows; r++) {
    const REAL *x = (const REAL *)d->x + r * d->x_row, *y = (const REAL *)d->y + r * d->y_row;
    int64_t j = 0;
    for (; j < whole; j += LANES) {
      vector v = load(y + j);
      #pragma GCC unroll 9
      for (int i = 0; i < taps; i++) sum[i] += v * load(x + d->tap[k + i] + j);
    }
    if (j == d->columns) continue;
    vector v = load(y + j);
    #pragma GCC unroll 9
    for (int i = 0; i < taps; i++) sum[i] += v * (vector)((words)load(x + d->tap[k + i] + j) & keep);
  }
  #pragma GCC unroll 9
  for (int i = 0; i < taps; i++) store(to + i * LANES, sum[i]);
}

static void plane_dots(const conv_plane_dots *d) {
  int64_t k = 0;
  for (; k + PLANE_TAPS <= d->taps; k += PLANE_TAPS) some_plane_dots(PLANE_TAPS, d, k);
  for (; k + 3 <= d->taps; k += 3) some_plane_dots(3, d, k);
  for (; k < d->taps; k++) some_plane_dots(1, d, k);
}

static void add_lanes(int64_t n, const void *sum, void *to) {
  for (int64_t k = 0; k < n; k++) ((REAL *)to)[k] = sum_of(load((const REAL *)sum + k * LANES));
}

/* ---- rows ---- */

static void add(int64_t n, void *to, const void *from) {
  REAL *y = to;
  const REAL *x = from;
  for (int64_t i = 0; i < n; i++) y[i] += x[i];
}

/* Copies n elements. The last vector ends at the last element, so some elements are copied twice. */
INLINE void copy_exactly(REAL *to, const REAL *from, int64_t n) {
  enum { HALF = LANES / 2 };
  if (n >= LANES) {
    for (int64_t i = 0; i + LANES <= n; i += LANES) store(to + i, load(from + i));
    store(to + n - LANES, load(from + n - LANES));
  } else if (n >= HALF) {
    REAL first[HALF], last[HALF];
    memcpy(first, from, sizeof first);
    memcpy(last, from + n - HALF, sizeof last);
    memcpy(to, first, sizeof first);
    memcpy(to + n - HALF, last, sizeof last);
  } else {
    for (int64_t i = 0; i < n; i++) to[i] = from[i];
  }
}

INLINE void pad_row(int64_t n, const REAL *x, const int64_t step, REAL *to) {
  int64_t i = 0;
  if (step == 1) {
    copy_exactly(to, x, n);
    return;
  }
  for (; step == 2 && i + LANES <= n; i += LANES) store(to + i, evens(x + 2 * i));
  for (; i < n; i++) to[i] = x[i * step];
}

static void pad(const conv_pad *p) {
  const REAL *x = p->x;
  REAL *to = p->to;
  for (int64_t r = 0; r < p->rows; r++, x += p->x_row, to += p->to_row)
    if (p->step == 1) pad_row(p->columns, x, 1, to);
    else if (p->step == 2) pad_row(p->columns, x, 2, to);
    else pad_row(p->columns, x, p->step, to);
}

/* Merges two rows. `ahead` is the number of elements of both rows that are merged by vectors. */
INLINE void weave_two(const REAL *a, const REAL *b, REAL *to, int64_t ahead) {
  words low, high;
  for (int i = 0; i < LANES; i++) low[i] = i / 2 + i % 2 * LANES, high[i] = low[i] + LANES / 2;
  for (int64_t i = 0; i < ahead; i += LANES) {
    vector u = a ? load(a + i) : (vector){0}, v = b ? load(b + i) : (vector){0};
    store(to + 2 * i, shuffled(u, v, low));
    store(to + 2 * i + LANES, shuffled(u, v, high));
  }
}

static void weave(const conv_weave *w) {
  REAL *to = w->to;
  int64_t ahead = w->step == 2 ? w->n / 2 / LANES * LANES : 0;
  if (ahead) weave_two(w->from[0], w->from[1], to, ahead);
  for (int64_t k = 0; k < w->step; k++) {
    const REAL *from = w->from[k];
    for (int64_t i = ahead; i * w->step + k < w->n; i++) to[i * w->step + k] = from ? from[i] : 0;
  }
}

static void spread(const conv_spread *s) {
  for (int64_t i = 0; i < s->rows; i++) {
    const REAL *from = (const REAL *)s->from + i * s->from_pitch;
    REAL *to = (REAL *)s->to + i * s->to_pitch;
    for (int j = 0; j < s->pieces; j++)
      copy_exactly(to + s->piece[j].at, from + s->piece[j].from, s->piece[j].length);
  }
}

const conv_table ISA_NAME(TABLE) = {.rows = ROWS, .lanes = LANES, .vectors = VECTORS, .pick = pick, .gather = gather,
                                    .tile = tile, .dots = dots, .plane = plane, .plane_dots = plane_dots,
                                    .add_lanes = add_lanes, .pad = pad, .weave = weave, .spread = spread, .add = add};
