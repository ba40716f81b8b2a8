/* Inner loops of pooling. A tap is one position in a window. For windows of equal length, each tap is processed for a
** whole row of results, so that a vector contains neighbouring results. Adaptive windows, which differ in length, are
** computed separately. pool_float32.c and pool_float64.c define REAL and WORD, an integer of the same width, and
** include this file. */

#include <math.h>
#include <string.h>

#include "cpu/kernels/shuffle.h"

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

/* Loads x[0], x[step], x[2 step], …: one element for each lane. Reads no element after the last of them. */
INLINE vector each(const REAL *x, const int64_t step) {
  if (step == 1) return load(x);
  if (step == 2) return evens(x);
  vector v = {0};
  for (int i = 0; i < LANES; i++) v[i] = x[i * step];
  return v;
}

INLINE vector choose(places mask, vector a, vector b) { return (vector)(((places)a & mask) | ((places)b & ~mask)); }

/* Computes n results of row r from `first` on, one for each lane. If windows extend beyond x, or vectors beyond the
** plane, the elements are read from `line`, a copy of the row that is padded with -infinity. If `placed` is true, also
** writes the positions of the maxima. */
INLINE void max_lanes(const pool_plane *p, int64_t r, int64_t first, int64_t n, const int64_t step, const bool placed) {
  const pool_call *c = p->c;
  REAL line[ROOM];
  int64_t width = c->in[1], from = first * step - c->pad[1], reach = (c->kernel[1] - 1) * c->dilation[1];
  int64_t length = (LANES - 1) * step + reach + 1;
  int64_t begin = from < 0 ? -from : 0, end = width - from < length ? width - from : length;
  bool inside = from >= 0 && from + (n - 1) * step + reach < width;
  vector best = -(REAL)INFINITY - (vector){0};
  places at = {0}, lane = {0};
  for (int i = 0; i < LANES; i++) lane[i] = i * (WORD)step;
  for (int i = 0; placed && i < LANES; i++)
    at[i] = (WORD)(p->begin[0][r] * width + p->begin[1][i < n ? first + i : first] + 1);
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
      best = choose(better, v, best);
      if (placed) at = ((lane + (WORD)(row * width + from + k * c->dilation[1] + 1)) & better) | (at & ~better);
    }
  }
  int64_t to = r * c->out[1] + first;
  if (n == LANES) store((REAL *)p->y + to, best);
  else memcpy((REAL *)p->y + to, &best, (size_t)n * sizeof(REAL));
  for (int64_t i = 0; placed && i < n; i++) p->position[to + i] = (int32_t)at[i];
}

/* Computes row r of the maxima. The last vector ends at the end of the row, so some maxima are computed twice. */
INLINE void max_along(const pool_plane *p, int64_t r, const int64_t step, const bool placed) {
  int64_t out = p->c->out[1], i = 0;
  for (; i + LANES <= out; i += LANES) max_lanes(p, r, i, LANES, step, placed);
  if (i == out) return;
  if (out >= LANES) max_lanes(p, r, out - LANES, LANES, step, placed);
  else max_lanes(p, r, 0, out, step, placed);
}

/* Like max_along. Steps 1 and 2 are constants, so that the compiler vectorises the loads of max_lanes. */
static void max_row(const pool_plane *p, int64_t r) {
  int64_t s = p->c->stride[1];
  if (s == 1 && !p->position) max_along(p, r, 1, false);
  else if (s == 1) max_along(p, r, 1, true);
  else if (s == 2 && !p->position) max_along(p, r, 2, false);
  else if (s == 2) max_along(p, r, 2, true);
  else max_along(p, r, s, p->position != NULL);
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

/* Returns the sum of n elements. Four vectors of sums hide the latency of additions. */
INLINE REAL sum_run(int64_t n, const REAL *x) {
  vector sum[4] = {{0}, {0}, {0}, {0}};
  int64_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
    #pragma GCC unroll 4
    for (int j = 0; j < 4; j++) sum[j] += load(x + i + j * LANES);
  }
  for (; i + LANES <= n; i += LANES) sum[0] += load(x + i);
  REAL lane[LANES];
  store(lane, (sum[0] + sum[1]) + (sum[2] + sum[3]));
  for (int w = LANES / 2; w > 0; w /= 2)
    for (int j = 0; j < w; j++) lane[j] += lane[j + w];
  for (; i < n; i++) lane[0] += x[i];
  return lane[0];
}

/* Returns the sum of an adaptive window. If the window has whole rows, they are summed as one run. */
static REAL sum_window(const pool_plane *p, int64_t r, int64_t column) {
  int64_t begin = p->begin[1][column], length = p->end[1][column] - begin, width = p->c->in[1];
  int64_t first = p->begin[0][r], rows = p->end[0][r] - first;
  const REAL *x = (const REAL *)p->x + first * width + begin;
  if (length == width) return sum_run(rows * length, x);
  REAL sum = 0;
  for (int64_t i = 0; i < rows; i++) sum += sum_run(length, x + i * width);
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
