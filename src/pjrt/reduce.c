/* The reductions, scans and softmax rows of ops.def as lines of StableHLO. All work along the last dim. */

#include "pjrt/translate.h"

/* ---- types of accumulators ---- */

static enum dtype accumulator_WIDE(enum dtype d) {
  int kind = dtype_kind(d);
  return kind == KIND_COMPLEX ? DT_complex128 : kind == KIND_FLOAT ? DT_float64 : kind == KIND_UINT ? DT_uint64 : DT_int64;
}
static enum dtype accumulator_SAME(enum dtype d)  { return d; }
static enum dtype accumulator_COUNT(enum dtype d) { return (void)d, DT_int64; }
static enum dtype accumulator_FLAG(enum dtype d)  { return (void)d, DT_bool; }

static unsigned last(const shape *s) { return 1u << (s->ndim - 1); }

/* ---- reductions ---- */

/* The states of cpu/kernels/state.h, which `finish` calls a or a.position. `moments` is the sum of squared distances from the mean,
** and `logsum` the logarithm of the sum of exponentials. The others are the 0-based position of the first element that is NaN or
** the largest or smallest. */
#define STATE_moments  accumulator_WIDE,  "y = (A)x; m = sum(y) / n; a = sum((y - m) * (y - m));"
#define STATE_logsum   accumulator_WIDE,  "y = (A)x; t = top(y); f = m_isfinite(t) ? t : 0; a = f + m_log(sum(m_exp(y - f)));"
#define STATE_largest  accumulator_COUNT, "a.position = bottom(x == top(x) | x != x ? i : MOST);"
#define STATE_smallest accumulator_COUNT, "a.position = bottom(x == bottom(x) | x != x ? i : MOST);"

/* A row has either init, step and merge, or a text that sets a state. */
typedef struct reduce_row {
  enum dtype_class dtypes;
  const char *init, *step, *merge, *finish;
  enum dtype (*accumulator)(enum dtype d);
  const char *state;
} reduce_row;

static const reduce_row rows[REDUCE_COUNT] = {
#define REDUCE(name, dtypes, result, accumulator, init, step, merge, finish, doc) \
  [REDUCE_##name] = {CLASS_##dtypes, #init, #step, #merge, #finish, accumulator_##accumulator, NULL},
#define REDUCE_STATE(name, dtypes, result, state, finish, doc) \
  [REDUCE_##name] = {CLASS_##dtypes, NULL, NULL, NULL, NULL, STATE_##state " " #finish},
#include "ops.def"
};

/* Returns the accumulators of single elements: one step from the accumulator of no elements. */
static term steps(emission *e, enum dtype C, enum dtype A, const char *init, const char *step, const shape *s, term in) {
  const term terms[] = {emit_formula(e, &(formula){s, 0, C, A, init, ""}, NULL), in};
  return emit_formula(e, &(formula){s, 0, C, A, step, "a x"}, terms);
}

term emit_reduce(emission *e, enum reduce_op op, enum dtype compute, const shape *s, double correction, term in) {
  const reduce_row *r = &rows[op];
  const enum dtype A = r->accumulator(compute);
  term t[] = {in, term_integer(s->dim[s->ndim - 1]), term_float(correction), in};
  if (!dtype_in_class(compute, r->dtypes)) emit_fail(e, ERR_NO_KERNEL);
  if (!r->state) {
    t[3] = emit_fold(e, s, last(s), compute, A, r->init, r->merge, steps(e, compute, A, r->init, r->step, s, in));
    return emit_formula(e, &(formula){s, 0, A, A, r->finish, "x n correction a"}, t);
  }
  if (A == DT_int64) t[3] = term_of(emit_iota(e, DT_int64, s, s->ndim - 1), DT_int64);
  return emit_formula(e, &(formula){s, last(s), A, A, r->state, "x n correction i"}, t);
}

/* ---- scans and softmax ---- */

static const struct { enum dtype_class dtypes; enum reduce_op reduction; enum dtype (*accumulator)(enum dtype d); const char *init, *step; }
scans[SCAN_COUNT] = {
#define SCAN(name, reduction, dtypes, accumulator, init, step, doc) \
  [SCAN_##name] = {CLASS_##dtypes, REDUCE_##reduction, accumulator_##accumulator, #init, #step},
#include "ops.def"
};

term emit_scan(emission *e, enum scan_op op, enum dtype compute, const shape *s, bool initial, term in) {
  const enum dtype A = scans[op].accumulator(compute);
  const int64_t n = s->dim[s->ndim - 1];
  if (!dtype_in_class(compute, scans[op].dtypes) || n == 0) emit_fail(e, ERR_NO_KERNEL);
  term x = steps(e, compute, A, scans[op].init, scans[op].step, s, in);
  term init = emit_formula(e, &(formula){&no_dims, 0, compute, A, scans[op].init, ""}, NULL);
  shape to = *s;
  to.dim[s->ndim - 1] += initial;
  x = term_spread(e, s, x, 0);
  init = term_spread(e, &no_dims, init, 0);
  int result = e->next++;
  emit(e, "%%%d = \"stablehlo.reduce_window\"(%%%d, %%%d) <{window_dimensions = array<i64: ", result, x.value, init.value);
  for (int k = 0; k < s->ndim - 1; k++) emit(e, "1, ");
  emit(e, "%i>, padding = dense<[", n);
  for (int k = 0; k < s->ndim - 1; k++) emit(e, "[0, 0], ");
  emit(e, "[%i, 0]]> : tensor<%dx2xi64>}> ", n - 1 + initial, s->ndim);
  emit_region(e, 2, (enum dtype[]){A, A}, compute, rows[scans[op].reduction].merge);
  emit(e, " : (%t, %t) -> %t\n", A, s, A, &no_dims, A, &to);
  return term_of(result, A);
}

static const char *const softmaxes[SOFTMAX_COUNT] = {
#define SOFTMAX(name, keep, m, last, doc) \
  [SOFTMAX_##name] = "d = x - top(x); e = m_exp(d); s = sum(e); k = " #keep "; m = " #m "; " #last,
#include "ops.def"
};

term emit_softmax(emission *e, enum softmax_op op, enum dtype compute, const shape *s, term in) {
  if (!dtype_in_class(compute, CLASS_REALFLOAT)) emit_fail(e, ERR_NO_KERNEL);
  return emit_formula(e, &(formula){s, last(s), compute, accumulator_WIDE(compute), softmaxes[op], "x"}, &in);
}
