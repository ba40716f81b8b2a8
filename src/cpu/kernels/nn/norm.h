/* Inner loops of normalisation. norm_float32.c and norm_float64.c define T and WORD, an integer of T's width, and
** include this file. The distance of an element from the mean is (x - from) - mean. Here `from` is an element of the
** data or 0, and `mean` is the mean minus `from`, so that data far from 0 loses no digits. Up to PART
** elements are summed in T; these partial sums are then added in double. */

#include <math.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "cpu/cpu.h"
#include "math/base.h"

enum {
  N    = 64 / sizeof(T),        /* the number of elements of a vector */
  PART = 32 * N,                /* the number of elements that are summed in T before the sum is added in double */
  ROWS = 64                     /* the number of rows for which the gradients of parameters are summed in T before the
                                ** sums are added in double */
};

typedef T    vec  __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));
typedef WORD mask __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));

#define AT(p) (*(const vec *)(const void *)(p))
#define TO(p) (*(vec *)(void *)(p))

/* READ_REST defines a vector with the `rest` elements at p, followed by zeros. WRITE_REST writes these elements to
** p. */
#ifdef __AVX512F__                     /* a copy through memory would wait for its own stores */
INLINE vec read_rest(const T *p, int64_t rest) {
  const unsigned first = (1u << rest) - 1;
  if (sizeof(T) == 4) return (vec)_mm512_maskz_loadu_ps((__mmask16)first, p);
  return (vec)_mm512_maskz_loadu_pd((__mmask8)first, p);
}
#define READ_REST(name, p, rest)  vec name = read_rest(p, rest)
#else
#define READ_REST(name, p, rest)  vec name = {0}; memcpy(&name, p, (size_t)(rest) * sizeof(T))
#endif
#define WRITE_REST(name, p, rest) memcpy(p, &name, (size_t)(rest) * sizeof(T))

static const WORD lanes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#define FIRST_OF(v, rest) ((vec)((mask)(v) & (*(const mask *)(const void *)lanes < (WORD)(rest))))

/* Returns the sum of the lanes. Halves are added until one lane remains. */
INLINE double add_lanes(const vec *v) {
  typedef T half __attribute__((vector_size(32)));
  typedef T quarter __attribute__((vector_size(16)));
  struct { half low, high; } a;
  struct { quarter low, high; } b;
  memcpy(&a, v, sizeof a);
  a.low += a.high;
  memcpy(&b, &a.low, sizeof b);
  b.low += b.high;
  const quarter q = b.low;
  if (sizeof(T) == 8) return (double)(q[0] + q[1]);
  return (double)((q[0] + q[2 % (16 / sizeof(T))]) + (q[1] + q[3 % (16 / sizeof(T))]));
}

/* ---- sums along a row ---- */

/* Returns the sum of x - from, or of ((x - from) - mean)² if `squared` is true, over n elements. */
INLINE double sum_up(int64_t n, const T *X, const T from, const T mean, const bool squared) {
#define TERM(x) (squared ? (((x) - from) - mean) * (((x) - from) - mean) : (x) - from)
  double total = 0;
  for (; n > 0; n -= PART, X += PART) {
    const int64_t some = n < PART ? n : PART;
    int64_t i = 0;
    vec a = {0}, b = {0};
    for (; i + 2 * N <= some; i += 2 * N) {
      a += TERM(AT(X + i));
      b += TERM(AT(X + i + N));
    }
    for (; i + N <= some; i += N) a += TERM(AT(X + i));
    if (i < some) {
      READ_REST(x, X + i, some - i);
      const vec e = TERM(x);
      b += FIRST_OF(e, some - i);
    }
    a += b;
    total += add_lanes(&a);
  }
  return total;
#undef TERM
}

INLINE double sum_of_distances(int64_t n, const T *X, const T from) { return sum_up(n, X, from, 0, false); }
INLINE double sum_of_squares(int64_t n, const T *X, const T from, const T mean) { return sum_up(n, X, from, mean, true); }

static norm_moments moments(int64_t n, const void *x) {
  const T from = *(const T *)x;
  const double mean = sum_of_distances(n, x, from) / (double)n;
  return (norm_moments){(double)n, (double)from + mean, sum_of_squares(n, x, from, (T)mean)};
}

/* Adds g * distance to sum[0], and g to sum[1], for n elements. The distance is (x - from) - mean. */
static void sums(int64_t n, const void *x_, const void *g_, double from_, double mean_, double *sum) {
  const T *X = x_, *G = g_, from = (T)from_, mean = (T)mean_;
  for (; n > 0; n -= PART, X += PART, G += PART) {
    const int64_t some = n < PART ? n : PART;
    int64_t i = 0;
    vec a = {0}, b = {0};
    for (; i + N <= some; i += N) {
      const vec g = AT(G + i);
      a += g * ((AT(X + i) - from) - mean);
      b += g;
    }
    if (i < some) {
      READ_REST(x, X + i, some - i);
      READ_REST(g, G + i, some - i);
      const vec e = g * ((x - from) - mean);
      a += FIRST_OF(e, some - i);
      b += g;
    }
    sum[0] += add_lanes(&a);
    sum[1] += add_lanes(&b);
  }
}

/* ---- a run of elements with one factor ---- */

/* Sets y = distance * by + add for n elements. The distance is (x - from) - mean. */
static void apply(int64_t n, const void *x_, double from_, double mean_, double by_, double add_, void *y_) {
  const T *x = x_, from = (T)from_, mean = (T)mean_, by = (T)by_, add = (T)add_;
  T *y = y_;
  _Pragma("omp simd")
  for (int64_t i = 0; i < n; i++) y[i] = ((x[i] - from) - mean) * by + add;
}

/* Sets out = g * by[0] + distance * by[1] + by[2] for n elements. The distance is (x - from) - mean. If by[1] is 0, x
** is not read. */
static void apply_back(int64_t n, const void *x_, const void *g_, double from_, double mean_, const double *by_, void *out_) {
  const T *x = x_, *g = g_, from = (T)from_, mean = (T)mean_, by = (T)by_[0], slope = (T)by_[1], add = (T)by_[2];
  T *out = out_;
  if (by_[1] == 0) {
    _Pragma("omp simd")
    for (int64_t i = 0; i < n; i++) out[i] = g[i] * by + add;
    return;
  }
  _Pragma("omp simd")
  for (int64_t i = 0; i < n; i++) out[i] = g[i] * by + ((x[i] - from) - mean) * slope + add;
}

/* ---- rows ---- */

INLINE int64_t row_length(const norm_call *c) { return c->segments * c->run; }

/* Sets y = distance * rstd * w + b for a row of n elements, with the distance (x - from) - mean. Each element has its
** own w and b. */
INLINE void apply_row(int64_t n, const T *x, T from, T mean, T rstd, const T *w, const T *b, T *y) {
  _Pragma("omp simd")
  for (int64_t i = 0; i < n; i++) y[i] = ((x[i] - from) - mean) * rstd * w[i] + b[i];
}

static void rows(const norm_call *c, int64_t begin, int64_t end) {
  const int64_t n = row_length(c);
  T *stats = c->stats;
  for (int64_t r = begin; r < end; r++) {
    const T *x = (const T *)c->in.data + r * n;
    T *y = (T *)c->out.data + r * n;
    const int64_t at = r % c->groups * c->segments;
    const T *w = (const T *)c->weight + at, *b = (const T *)c->bias + at;
    const T from = c->rms ? 0 : x[0], mean = c->rms ? 0 : (T)(sum_of_distances(n, x, from) / (double)n);
    const double rstd = 1 / sqrt(sum_of_squares(n, x, from, mean) / (double)n + c->eps);
    if (!c->rms) stats[r] = mean;
    stats[c->rms ? r : c->rows + r] = (T)rstd;
    if (c->run == 1) apply_row(n, x, from, mean, (T)rstd, w, b, y);
    else
      for (int64_t s = 0; s < c->segments; s++)
        apply(c->run, x + s * c->run, (double)from, (double)mean, rstd * (double)w[s], (double)b[s], y + s * c->run);
  }
}

/* Adds the sum of g * w * distance * rstd to sum[0], and the sum of g * w to sum[1], for a row of n elements. The
** distance is (x - from) - mean. If `affine` is true, also adds g * distance * rstd to dw, and g to db, element by
** element. */
INLINE void back_sums(int64_t n, const T *X, const T *G, T from, T mean, T rstd, const T *W, T *dw, T *db, const bool affine,
                      double *sum) {
  for (int64_t done = 0; done < n; done += PART) {
    const int64_t end = n - done < PART ? n : done + PART;
    int64_t i = done;
    vec a = {0}, b = {0};
    for (; i + N <= end; i += N) {
      const vec g = AT(G + i), gx = g * (((AT(X + i) - from) - mean) * rstd), w = AT(W + i);
      a += gx * w;
      b += g * w;
      if (affine) TO(dw + i) += gx, TO(db + i) += g;
    }
    if (i < end) {
      READ_REST(x, X + i, end - i);
      READ_REST(g, G + i, end - i);
      READ_REST(w, W + i, end - i);
      const vec all = g * (((x - from) - mean) * rstd), gx = FIRST_OF(all, end - i);
      a += gx * w;
      b += g * w;
      if (affine) {
        READ_REST(v, dw + i, end - i);
        READ_REST(u, db + i, end - i);
        v += gx, u += g;
        WRITE_REST(v, dw + i, end - i);
        WRITE_REST(u, db + i, end - i);
      }
    }
    sum[0] += add_lanes(&a);
    sum[1] += add_lanes(&b);
  }
}

INLINE void back_row(int64_t n, const T *x, const T *g, T from, T mean, T rstd, const T *w, T slope, T add, T *out) {
  _Pragma("omp simd")
  for (int64_t i = 0; i < n; i++) out[i] = g[i] * w[i] * rstd + ((x[i] - from) - mean) * slope + add;
}

/* Like back_sums, for a row of c->segments runs of c->run elements. All elements of a run have the same weight. */
static void back_sums_of_runs(const norm_call *c, const T *x, const T *g, T from, T mean, double rstd, const T *w, T *dw, T *db,
                              double *sum) {
  for (int64_t s = 0; s < c->segments; s++) {
    double of_run[2] = {0, 0};
    sums(c->run, x + s * c->run, g + s * c->run, (double)from, (double)mean, of_run);
    sum[0] += of_run[0] * rstd * (double)w[s];
    sum[1] += of_run[1] * (double)w[s];
    dw[s] += (T)(of_run[0] * rstd);
    db[s] += (T)of_run[1];
  }
}

/* Adds n elements of `part` to `total`, and sets the elements of `part` to 0. */
static void flush(int64_t n, T *part, double *total) {
  for (int64_t i = 0; i < n; i++) total[i] += (double)part[i];
  memset(part, 0, (size_t)n * sizeof(T));
}

static void rows_back(const norm_call *c, int64_t begin, int64_t end, void *part_, double *total) {
  const int64_t n = row_length(c), params = c->groups * c->segments;
  const bool affine = c->dweight || c->dbias;
  const T *stats = c->stats;
  T *part = part_;
  memset(part, 0, (size_t)(2 * params) * sizeof(T));
  memset(total, 0, (size_t)(2 * params) * sizeof(double));
  for (int64_t r = begin; r < end; r++) {
    const T *x = (const T *)c->in.data + r * n, *g = (const T *)c->gradient.data + r * n;
    const int64_t at = r % c->groups * c->segments;
    const T *w = (const T *)c->weight + at, from = c->rms ? 0 : x[0], mean = c->rms ? 0 : stats[r];
    const T rstd = stats[c->rms ? r : c->rows + r];
    T *dw = part + at, *db = dw + params;
    double sum[2] = {0, 0};
    if (c->run > 1) back_sums_of_runs(c, x, g, from, mean, (double)rstd, w, dw, db, sum);
    else if (affine) back_sums(n, x, g, from, mean, rstd, w, dw, db, true, sum);
    else back_sums(n, x, g, from, mean, rstd, w, dw, db, false, sum);
    const double slope = -(double)rstd * (double)rstd * sum[0] / (double)n;
    const double add = c->rms ? 0 : -(double)rstd * sum[1] / (double)n;
    T *out = (T *)c->out.data + r * n;
    if (c->out.data && c->run == 1) back_row(n, x, g, from, mean, rstd, w, (T)slope, (T)add, out);
    for (int64_t s = 0; c->out.data && c->run > 1 && s < c->segments; s++) {
      const double by[3] = {(double)w[s] * (double)rstd, slope, add};
      apply_back(c->run, x + s * c->run, g + s * c->run, (double)from, (double)mean, by, out + s * c->run);
    }
    if (affine && (r - begin) % ROWS == ROWS - 1) flush(2 * params, part, total);
  }
  if (affine) flush(2 * params, part, total);
}

/* ---- softmax ----
** o is the result of the forward call, and g is the gradient of this result. */

/* Returns the sum of g * o over n elements, or the sum of g if `plain` is true. */
INLINE double sum_of_products(int64_t n, const T *O, const T *G, const bool plain) {
  double total = 0;
  for (; n > 0; n -= PART, O += PART, G += PART) {
    const int64_t some = n < PART ? n : PART;
    int64_t i = 0;
    vec a = {0};
    for (; i + N <= some; i += N) {
      if (plain) a += AT(G + i);
      else a += AT(G + i) * AT(O + i);
    }
    if (i < some) {
      READ_REST(o, O + i, some - i);
      READ_REST(g, G + i, some - i);
      if (plain) a += g;
      else a += g * o;
    }
    total += add_lanes(&a);
  }
  return total;
}

static void softmax_back(const norm_call *c, int64_t begin, int64_t end) {
  const int64_t n = row_length(c);
  for (int64_t r = begin; r < end; r++) {
    const T *o = (const T *)c->in.data + r * n, *g = (const T *)c->gradient.data + r * n;
    T *out = (T *)c->out.data + r * n;
    if (c->kind == NORM_softmax) {
      const T sum = (T)sum_of_products(n, o, g, false);
      _Pragma("omp simd")
      for (int64_t i = 0; i < n; i++) out[i] = o[i] * (g[i] - sum);
    } else {
      const T sum = (T)sum_of_products(n, o, g, true);
      _Pragma("omp simd")
      for (int64_t i = 0; i < n; i++) out[i] = g[i] - exp_to_0(o[i]) * sum;
    }
  }
}

/* ---- columns ----
** These functions process `count` rows of n elements. Each of the n columns has its own parameters. */

/* Adds d = x - from[j] to sum[j], and d² to squares[j], for each column j of `count` rows. */
static void column_moments(int64_t count, int64_t n, const void *x_, const void *from_, double *sum, double *squares) {
  const T *x = x_, *from = from_;
  for (int64_t r = 0; r < count; r++, x += n) {
    _Pragma("omp simd")
    for (int64_t j = 0; j < n; j++) {
      const double d = (double)(x[j] - from[j]);
      sum[j] += d;
      squares[j] += d * d;
    }
  }
}

/* Sets y = distance * factor + add, with the distance (x - from) - mean. `by` is [4][n]: from, mean, factor and add
** of each column. */
static void column_apply(int64_t count, int64_t n, const void *x_, const void *by, void *y_) {
  const T *x = x_, *from = by, *mean = from + n, *factor = mean + n, *add = factor + n;
  T *y = y_;
  for (int64_t r = 0; r < count; r++, x += n, y += n) {
    _Pragma("omp simd")
    for (int64_t j = 0; j < n; j++) y[j] = ((x[j] - from[j]) - mean[j]) * factor[j] + add[j];
  }
}

/* Adds g * distance to sum[j], and g to sum[n + j], for each column j of `count` rows. The distance is (x - from) -
** mean. `by` begins with from and mean of each column. */
static void column_sums(int64_t count, int64_t n, const void *x_, const void *g_, const void *by, double *sum) {
  const T *x = x_, *g = g_, *from = by, *mean = from + n;
  double *all = sum + n;
  for (int64_t r = 0; r < count; r++, x += n, g += n) {
    _Pragma("omp simd")
    for (int64_t j = 0; j < n; j++) {
      sum[j] += (double)(g[j] * ((x[j] - from[j]) - mean[j]));
      all[j] += (double)g[j];
    }
  }
}

/* Sets out = g * by + distance * slope + add, with the distance (x - from) - mean. `by_` is [5][n]: from, mean, by,
** slope and add of each column. */
static void column_back(int64_t count, int64_t n, const void *x_, const void *g_, const void *by_, void *out_) {
  const T *x = x_, *g = g_, *from = by_, *mean = from + n, *by = mean + n, *slope = by + n, *add = slope + n;
  T *out = out_;
  for (int64_t r = 0; r < count; r++, x += n, g += n, out += n) {
    _Pragma("omp simd")
    for (int64_t j = 0; j < n; j++) out[j] = g[j] * by[j] + ((x[j] - from[j]) - mean[j]) * slope[j] + add[j];
  }
}

const norm_kernel ISA_NAME(TABLE) = {
  .rows = rows, .rows_back = rows_back, .softmax_back = softmax_back, .moments = moments, .sums = sums, .apply = apply, .apply_back = apply_back,
  .column_moments = column_moments, .column_apply = column_apply, .column_sums = column_sums, .column_back = column_back,
};
