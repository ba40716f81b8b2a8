/* Inner loops of softmax and similar functions. The first pass finds the largest element, the second pass computes
** the exponentials and their sum, and the third pass the result. A line (or a block of columns) stays in the cache
** between the passes. softmax_float32.c and softmax_float64.c define REAL and include this file. */

#include "cpu/cpu.h"
#include "cpu/kernels/exponentials.h"
#include "cpu/kernels/largest.h"

enum { COLUMNS_AT_ONCE = 64 };     /* the number of columns that are computed together: so few that their elements
                                   ** stay in L1 and L2 between the passes */

/* ---- the expressions of ops.def ----
** The argument `op` is a constant in every inlined call. */

INLINE REAL kept(const enum softmax_op op, REAL d, REAL e) {
#define SOFTMAX(name, keep, m, last, doc) if (op == SOFTMAX_##name) return keep;
#include "ops.def"
  return d + e;
}

INLINE REAL from_sum(const enum softmax_op op, double s) {
  typedef REAL C;
#define SOFTMAX(name, keep, m, last, doc) if (op == SOFTMAX_##name) return m;
#include "ops.def"
  return (C)s;
}

INLINE REAL result(const enum softmax_op op, REAL k, REAL m) {
#define SOFTMAX(name, keep, factor, last, doc) if (op == SOFTMAX_##name) return last;
#include "ops.def"
  return k + m;
}

/* ---- rows ---- */

/* one_vector computes the exponentials of a vector. Except for the first `skip` exponentials, it adds them to part[0 …
** VECTOR - 1]. make_exponentials reads a row in whole vectors, the last of which ends at the row's end. Elements that
** the last two vectors share are added only once. The last vector's exponentials are computed first and stored last,
** because OUT may be X. The maximum may ignore NaN, because the exponential of NaN is NaN, too. */
INLINE void one_vector(const enum softmax_op op, const REAL *X, REAL *OUT, const REAL max, int skip, REAL *part) {
  #pragma omp simd
  for (int j = 0; j < VECTOR; j++) {
    REAL d = X[j] - max, e = exp_to_0(d);
    part[j] += j < skip ? 0 : e;
    OUT[j] = kept(op, d, e);
  }
}

INLINE double make_exponentials(const enum softmax_op op, int64_t n, const REAL *X, REAL *OUT) {
  REAL part[VECTOR] = {0}, end[VECTOR];
  const REAL max = top_of_row(n, X);
  double s = 0;
  one_vector(op, X + n - VECTOR, end, max, (int)(-n & (VECTOR - 1)), part);
  for (int64_t i = 0, vectors = (n - 1) / VECTOR; i < vectors; ) {
    int64_t stop = vectors - i < IN_PART ? vectors : i + IN_PART;
    for (; i < stop; i++) one_vector(op, X + i * VECTOR, OUT + i * VECTOR, max, 0, part);
    if (n > CANCEL_STRETCH && i / IN_PART % 128 == 0 && cancel_due()) break;
    if (i < vectors) {
      s += sum_of_part(part);
      memset(part, 0, sizeof part);
    }
  }
  memcpy(OUT + n - VECTOR, end, sizeof end);
  return s + sum_of_part(part);
}

typedef double exponentials(int64_t n, const REAL *X, REAL *OUT);

INLINE void one_row(const enum softmax_op op, exponentials *make, int64_t n, const REAL *X, REAL *OUT) {
  REAL few[VECTOR];
  const bool is_short = n < VECTOR;
  if (is_short)
    for (int j = 0; j < VECTOR; j++) few[j] = j < n ? X[j] : -(REAL)INFINITY;
  const double s = is_short ? make(VECTOR, few, few) : make(n, X, OUT);
  const REAL m = from_sum(op, s), *from = is_short ? few : OUT;
  for (int64_t i = 0, stop; (stop = cancel_stretch(i, n)) > i;)
    for (; i < stop; i++) OUT[i] = result(op, from[i], m);
}

INLINE void some_columns(const enum softmax_op op, int64_t n, int64_t w, const REAL *X, int64_t x_step, REAL *OUT, int64_t out_step) {
  REAL max[COLUMNS_AT_ONCE], by[COLUMNS_AT_ONCE];
  double sum[COLUMNS_AT_ONCE] = {0};
  memcpy(max, X, (size_t)w * sizeof(REAL));
  largest_columns_line(n - 1, w, X + x_step, x_step, max, NULL);
  for (int64_t i = 0; i < n; i += IN_PART) {
    REAL part[COLUMNS_AT_ONCE] = {0};
    int64_t end = n - i < IN_PART ? n : i + IN_PART;
    if (n * w > CANCEL_STRETCH && cancel_due()) return;
    for (int64_t r = i; r < end; r++) {
      const REAL *x = X + r * x_step;
      REAL *out = OUT + r * out_step;
      #pragma omp simd
      for (int64_t j = 0; j < w; j++) {
        REAL d = x[j] - max[j], e = exp_to_0(d);
        part[j] += e;
        out[j] = kept(op, d, e);
      }
    }
    for (int64_t j = 0; j < w; j++) sum[j] += (double)part[j];
  }
  for (int64_t j = 0; j < w; j++) by[j] = from_sum(op, sum[j]);
  for (int64_t i = 0; i < n; i++) {
    if (i % CANCEL_STRETCH == CANCEL_STRETCH - 1 && cancel_due()) return;
    REAL *out = OUT + i * out_step;
    #pragma omp simd
    for (int64_t j = 0; j < w; j++) out[j] = result(op, out[j], by[j]);
  }
}

INLINE void all_lines(const enum softmax_op op, exponentials *make, const line_tile *t) {
  const REAL *X = t->x;
  REAL *OUT = t->out;
  if (t->x_step == 1 && t->out_step == 1) {
    for (int64_t k = 0; k < t->lines; k++)
      one_row(op, make, t->n, X + k * t->x_line, OUT + k * t->out_line);
    return;
  }
  for (int64_t j = 0; j < t->lines; j += COLUMNS_AT_ONCE) {
    int64_t w = t->lines - j < COLUMNS_AT_ONCE ? t->lines - j : COLUMNS_AT_ONCE;
    some_columns(op, t->n, w, X + j, t->x_step, OUT + j, t->out_step);
  }
}

#define SOFTMAX(name, ...)                                                                       \
  OUTLINE double name##_exponentials(int64_t n, const REAL *X, REAL *OUT) {                      \
    return make_exponentials(SOFTMAX_##name, n, X, OUT);                                         \
  }                                                                                              \
  static void name(const line_tile *t) { all_lines(SOFTMAX_##name, name##_exponentials, t); }
#include "ops.def"

const softmax_table ISA_NAME(TABLE) = {{
#define SOFTMAX(name, ...) [SOFTMAX_##name] = name,
#include "ops.def"
}};
