/* Inner loops of pooling. A tap is one position in a window. For windows of equal length, each tap is processed for a
** whole row of results, so that a vector contains neighbouring results. Adaptive windows, which differ in length, are
** computed separately. pool_float32.c and pool_float64.c define REAL and WORD, an integer of the same width, and
** include this file. */

#include <math.h>
#include <string.h>

#include "cpu/kernels/vector.h"

enum { ROOM = 512 };             /* upper bound of the span, in elements of a row of x, of the windows of one vector
                                 ** of results */

static bool line_fits(const pool_call *c) {
  return BYTES / 4 * c->stride[1] + (c->kernel[1] - 1) * c->dilation[1] <= ROOM;
}

/* For one given tap and one row of results: the results first … end - 1 read an element of x at this tap. The other
** results read padding at this tap. */
typedef struct reach { int64_t first, end; } reach;

INLINE reach reach_of(const pool_call *c, int64_t offset) {
  int64_t s = c->stride[1], lack = c->pad[1] - offset, last = c->in[1] - 1 + lack;
  reach r = {lack > 0 ? (lack + s - 1) / s : 0, last < 0 ? 0 : last / s + 1};
  if (r.end > c->out[1]) r.end = c->out[1];
  return r;
}

typedef WORD places __attribute__((vector_size(BYTES)));

/* Loads x[0], x[step], x[2 step], …: one element for each lane. */
INLINE vector each(const REAL *x, const int64_t step) {
  if (step == 1) return load(x);
#ifndef __clang__            /* clang cannot shuffle by a vector of positions */
  places even = {0};
  for (int i = 0; i < LANES; i++) even[i] = 2 * i;
  if (step == 2) return __builtin_shuffle(load(x), load(x + LANES), even);
#endif
  vector v = {0};
  for (int i = 0; i < LANES; i++) v[i] = x[i * step];
  return v;
}

/* Computes n results of row r from `first` on, one for each lane. If windows extend beyond x, or vectors beyond the
** plane, the elements are read from `line`, a copy of the row that is padded with -infinity. */
INLINE void max_lanes(const pool_plane *p, int64_t r, int64_t first, int64_t n, const int64_t step) {
  const pool_call *c = p->c;
  REAL line[ROOM];
  int64_t width = c->in[1], from = first * step - c->pad[1], reach = (c->kernel[1] - 1) * c->dilation[1];
  int64_t begin = from < 0 ? -from : 0, length = LANES * step + reach, end = width - from < length ? width - from : length;
  bool inside = from >= 0 && from + (n - 1) * step + reach < width;
  vector best = -(REAL)INFINITY - (vector){0};
  places at = {0}, lane = {0};
  for (int i = 0; i < LANES; i++) lane[i] = i * (WORD)step;
  for (int i = 0; i < LANES; i++) at[i] = (WORD)(p->begin[0][r] * width + p->begin[1][i < n ? first + i : first] + 1);
  for (int64_t i = 0; !inside && i < length; i++) line[i] = -(REAL)INFINITY;
  for (int64_t row = p->begin[0][r]; row < p->end[0][r]; row += c->dilation[0]) {
    const REAL *x = (const REAL *)p->x + row * width + from;
    if (!inside || row * width + from + length > c->in[0] * width) {
      if (end > begin) memcpy(line + begin, x + begin, (size_t)(end - begin) * sizeof(REAL));
      x = line;
    }
    for (int64_t k = 0; k < c->kernel[1]; k++) {
      vector v = each(x + k * c->dilation[1], step);
      places better = (places)(v > best) | (places)(v != v);
      best = (vector)(((places)v & better) | ((places)best & ~better));
      at = ((lane + (WORD)(row * width + from + k * c->dilation[1] + 1)) & better) | (at & ~better);
    }
  }
  memcpy((REAL *)p->y + r * c->out[1] + first, &best, (size_t)n * sizeof(REAL));
  for (int64_t i = 0; p->position && i < n; i++) p->position[r * c->out[1] + first + i] = (int32_t)at[i];
}

/* Computes row r of the maxima. Steps 1 and 2 are constants, so that the compiler vectorises the loads of
** max_lanes. */
static void max_row(const pool_plane *p, int64_t r) {
  int64_t s = p->c->stride[1], out = p->c->out[1];
  for (int64_t i = 0; i < out; i += LANES) {
    int64_t n = out - i < LANES ? out - i : LANES;
    if (s == 1) max_lanes(p, r, i, n, 1);
    else if (s == 2) max_lanes(p, r, i, n, 2);
    else max_lanes(p, r, i, n, s);
  }
}

static void max_window(const pool_plane *p, int64_t r, int64_t column) {
  const pool_call *c = p->c;
  const REAL *x = p->x;
  int64_t best = p->begin[0][r] * c->in[1] + p->begin[1][column];
  int64_t steps[2] = {c->adaptive ? 1 : c->dilation[0], c->adaptive ? 1 : c->dilation[1]};
  for (int64_t i = p->begin[0][r]; i < p->end[0][r]; i += steps[0])
    for (int64_t j = p->begin[1][column]; j < p->end[1][column]; j += steps[1]) {
      REAL v = x[i * c->in[1] + j];
      if (v > x[best] || v != v) best = i * c->in[1] + j;
    }
  ((REAL *)p->y)[r * c->out[1] + column] = x[best];
  if (p->position) p->position[r * c->out[1] + column] = (int32_t)best + 1;
}

static void max(const pool_plane *p) {
  bool lines = !p->c->adaptive && line_fits(p->c);
  for (int64_t r = 0; r < p->c->out[0]; r++)
    if (lines) max_row(p, r);
    else for (int64_t i = 0; i < p->c->out[1]; i++) max_window(p, r, i);
}

static void max_back(const pool_plane *p) {
  REAL *x = p->x;
  const REAL *y = p->y;
  int64_t n = p->c->out[0] * p->c->out[1];
  for (int64_t i = 0; i < n; i++) x[p->position[i] - 1] += y[i];
}

INLINE REAL divisor(const pool_plane *p, int64_t r, int64_t i) {
  return (REAL)(p->c->divisor ? p->c->divisor : p->count[0][r] * p->count[1][i]);
}

INLINE void add_tap(int64_t n, const REAL *restrict x, const int64_t step, REAL *restrict y) {
  for (int64_t i = 0; i < n; i++) y[i] += x[i * step];
}

static void sum_row(const pool_plane *p, int64_t r) {
  const pool_call *c = p->c;
  REAL *y = (REAL *)p->y + r * c->out[1];
  for (int64_t i = 0; i < c->out[1]; i++) y[i] = 0;
  for (int64_t row = p->begin[0][r]; row < p->end[0][r]; row++)
    for (int64_t k = 0; k < c->kernel[1]; k++) {
      int64_t s = c->stride[1];
      reach a = reach_of(c, k);
      int64_t n = a.end - a.first;
      const REAL *x = (const REAL *)p->x + row * c->in[1] + a.first * s + k - c->pad[1];
      REAL *to = y + a.first;
      if (s == 1) add_tap(n, x, 1, to);
      else if (s == 2) add_tap(n, x, 2, to);
      else add_tap(n, x, s, to);
    }
}

static REAL sum_window(const pool_plane *p, int64_t r, int64_t column) {
  REAL sum = 0;
  int64_t begin = p->begin[1][column], end = p->end[1][column];
  for (int64_t i = p->begin[0][r]; i < p->end[0][r]; i++) {
    const REAL *x = (const REAL *)p->x + i * p->c->in[1];
    #pragma omp simd reduction(+ : sum)
    for (int64_t j = begin; j < end; j++) sum += x[j];
  }
  return sum;
}

static void average(const pool_plane *p) {
  for (int64_t r = 0; r < p->c->out[0]; r++) {
    REAL *y = (REAL *)p->y + r * p->c->out[1];
    if (!p->c->adaptive) sum_row(p, r);
    else for (int64_t i = 0; i < p->c->out[1]; i++) y[i] = sum_window(p, r, i);
    for (int64_t i = 0; i < p->c->out[1]; i++) y[i] /= divisor(p, r, i);
  }
}

static void average_back(const pool_plane *p) {
  const pool_call *c = p->c;
  const REAL *y = p->y;
  for (int64_t r = 0; r < c->out[0]; r++)
    for (int64_t i = 0; i < c->out[1]; i++) {
      REAL v = y[r * c->out[1] + i] / divisor(p, r, i);
      for (int64_t row = p->begin[0][r]; row < p->end[0][r]; row++) {
        REAL *x = (REAL *)p->x + row * c->in[1];
        for (int64_t j = p->begin[1][i]; j < p->end[1][i]; j++) x[j] += v;
      }
    }
}

const pool_table ISA_NAME(TABLE) = {{[POOL_max] = max, [POOL_max_back] = max_back, [POOL_average] = average,
                                     [POOL_average_back] = average_back}};
