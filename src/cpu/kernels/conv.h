/* Convolutions: tiles of results held in registers. conv_float32.c and conv_float64.c say what REAL is; see
** conv_kernel.h for what each function computes. */

#include <string.h>

#include "../cpu.h"

/* As many sums as fit in the registers beside the vectors that they are made of. */
#if defined(__AVX512F__)
enum { BYTES = 64, ROWS = 8, VECTORS = 3, DOTS = 6 };
#elif defined(__AVX__)
enum { BYTES = 32, ROWS = 4, VECTORS = 3, DOTS = 3 };
#elif defined(__aarch64__)
enum { BYTES = 16, ROWS = 8, VECTORS = 3, DOTS = 6 };
#else
enum { BYTES = 16, ROWS = 4, VECTORS = 2, DOTS = 2 };
#endif

typedef REAL vector __attribute__((vector_size(BYTES)));
typedef vector loose __attribute__((aligned(sizeof(REAL)), may_alias));   /* anywhere in memory */

enum { LANES = BYTES / sizeof(REAL), DOT_ROWS = 4, ALONG = 4 };

INLINE vector load(const REAL *p) { return *(const loose *)p; }
INLINE void   store(REAL *p, vector v) { *(loose *)p = v; }
INLINE vector all(REAL x) { return x - (vector){0}; }

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
  const REAL *a = t->a, *b = t->b;
  int64_t pitch = t->b_pitch;
  for (int64_t k = 0; k < t->k; k++, a += rows, b += pitch) {
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

#define TILE_ROWS(rows)                                                      \
  static void tile_##rows(const conv_tile *t, int vectors) {                 \
    if (vectors == 1) one_tile(rows, 1, t);                                  \
    else if (vectors == 2) one_tile(rows, 2, t);                             \
    else one_tile(rows, VECTORS, t);                                         \
  }
TILE_ROWS(1)
TILE_ROWS(2)
TILE_ROWS(4)
#if defined(__AVX512F__) || defined(__aarch64__)
TILE_ROWS(8)
#endif

static void tile(const conv_tile *t, int rows, int vectors) {
  if (rows == 1) tile_1(t, vectors);
  else if (rows == 2) tile_2(t, vectors);
  else if (rows == 4) tile_4(t, vectors);
#if defined(__AVX512F__) || defined(__aarch64__)
  else tile_8(t, vectors);
#endif
}

/* ---- sums over pixels ---- */

/* Halves are added until one element is left. */
INLINE REAL sum_of(vector v) {
  REAL part[LANES];
  memcpy(part, &v, sizeof part);
  #pragma GCC unroll 4
  for (int half = LANES / 2; half > 0; half /= 2)
    #pragma GCC unroll 8
    for (int i = 0; i < half; i++) part[i] += part[i + half];
  return part[0];
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

/* The sums of `columns` x with all y. */
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

INLINE void plane_part(const int along, const conv_plane *p, const REAL *x, REAL *out) {
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
  #pragma GCC unroll 4
  for (int i = 0; i < along; i++) store(out + i * LANES, sum[i]);
}

static void plane(const conv_plane *p) {
  for (int r = 0; r < p->runs; r++) {
    const conv_run *run = &p->run[r];
    const REAL *x = (const REAL *)p->x + run->from;
    REAL *out = (REAL *)p->out + run->to;
    int64_t i = 0, left;
    for (; (left = run->length - i) > 3 * LANES; i += ALONG * LANES) plane_part(ALONG, p, x + i, out + i);
    if (left > 2 * LANES) plane_part(3, p, x + i, out + i);
    else if (left > LANES) plane_part(2, p, x + i, out + i);
    else if (left > 0) plane_part(1, p, x + i, out + i);
  }
}

/* ---- rows ---- */

static void add(int64_t n, void *to, const void *from) {
  REAL *y = to;
  const REAL *x = from;
  for (int64_t i = 0; i < n; i++) y[i] += x[i];
}

static void shift(int64_t n, void *to, const void *from, const void *by) {
  REAL *restrict y = to;
  const REAL *restrict x = from;
  const REAL b = by ? *(const REAL *)by : 0;
  if (!by) memcpy(y, x, (size_t)n * sizeof(REAL));
  else for (int64_t i = 0; i < n; i++) y[i] = x[i] + b;
}

const conv_table ISA_NAME(TABLE) = {.rows = ROWS, .lanes = LANES, .vectors = VECTORS, .pick = pick, .gather = gather, .tile = tile,
                                    .dots = dots, .plane = plane, .add = add, .shift = shift};
