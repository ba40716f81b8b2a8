/* Inner loops of convolutions, which compute tiles of results in registers. conv_float32.c and conv_float64.c define
** REAL and include this file. conv_kernel.h describes each function. */

#include <string.h>

#include "cpu/kernels/vector.h"

/* ROWS × VECTORS is the number of accumulator vectors of a tile, and DOTS is the number of columns of a block of dot
** products. They are the largest numbers for which the accumulators and their operands fit into the registers. */
#if defined(__AVX512F__) || defined(__aarch64__)
enum { ROWS = 8, VECTORS = 3, DOTS = 6 };
#elif defined(__AVX__)
enum { ROWS = 4, VECTORS = 3, DOTS = 3 };
#else
enum { ROWS = 4, VECTORS = 2, DOTS = 2 };
#endif

enum { DOT_ROWS = 4, ALONG = 4 };

/* ---- gathering ---- */

INLINE void move_run(const REAL *from, const REAL *end, REAL *to, int64_t length) {
  if (end - from < length + LANES) {
    memcpy(to, from, (size_t)length * sizeof(REAL));
    return;
  }
  for (int64_t i = 0; i < length; i += LANES) store(to + i, load(from + i));
}

static void pick(const conv_pick *p) {
  const REAL *from = p->from;
  REAL *to = p->to;
  for (int64_t k = 0; k < p->k; k++, to += p->pitch)
    for (int i = 0; i < p->rows; i++) to[i] = from[i * p->row + p->at[k]];
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

/* Computes `along` vectors of results, which begin at x in the input and at `out` in the output. If n < LANES,
** `along` must be 1, and only n elements are written. */
INLINE void plane_part(const int along, const conv_plane *p, const REAL *x, REAL *out, int64_t n) {
  const REAL *w = p->w, *start = p->start;
  vector sum[ALONG];
  #pragma GCC unroll 4
  for (int i = 0; i < along; i++) sum[i] = all(start ? *start : 0);
  for (int64_t k = 0; k < p->taps; k++) {
    const REAL *from = x + p->tap[k];
    vector u = all(w[k]);
    #pragma GCC unroll 4
    for (int i = 0; i < along; i++) sum[i] += u * load(from + i * LANES);
  }
  if (n < LANES) {
    memcpy(out, sum, (size_t)n * sizeof(REAL));
    return;
  }
  #pragma GCC unroll 4
  for (int i = 0; i < along; i++) store(out + i * LANES, sum[i]);
}

/* The last vector of a row ends at the end of the row, so some elements are computed twice. */
static void plane(const conv_plane *p) {
  int64_t n = p->columns;
  for (int64_t r = 0; r < p->rows; r++) {
    const REAL *x = (const REAL *)p->x + r * p->x_row;
    REAL *out = (REAL *)p->out + r * p->out_row;
    int64_t i = 0;
    for (; i + ALONG * LANES <= n; i += ALONG * LANES) plane_part(ALONG, p, x + i, out + i, LANES);
    for (; i + LANES <= n; i += LANES) plane_part(1, p, x + i, out + i, LANES);
    if (i == n) continue;
    if (n >= LANES) plane_part(1, p, x + n - LANES, out + n - LANES, LANES);
    else plane_part(1, p, x, out, n);
  }
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

static void spread(const conv_spread *s) {
  for (int64_t i = 0; i < s->rows; i++) {
    const REAL *from = (const REAL *)s->from + i * s->from_pitch;
    REAL *to = (REAL *)s->to + i * s->to_pitch;
    for (int j = 0; j < s->pieces; j++)
      copy_exactly(to + s->piece[j].at, from + s->piece[j].from, s->piece[j].length);
  }
}

const conv_table ISA_NAME(TABLE) = {.rows = ROWS, .lanes = LANES, .vectors = VECTORS, .pick = pick, .gather = gather,
                                    .tile = tile, .dots = dots, .plane = plane, .spread = spread, .add = add};
