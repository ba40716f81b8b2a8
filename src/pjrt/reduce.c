/* The reductions, scans and softmax rows of ops.def as lines of StableHLO. All work along the last dim. */

#include "pjrt/translate.h"

static const shape one = {0};           /* of a single accumulator */

/* ---- types of accumulators ---- */

static enum dtype wide(enum dtype d) {
  int kind = dtype_kind(d);
  return kind == KIND_COMPLEX ? DT_complex128 : kind == KIND_FLOAT ? DT_float64 : kind == KIND_UINT ? DT_uint64 : DT_int64;
}
static enum dtype same(enum dtype d) { return d; }
static enum dtype count(enum dtype d) { (void)d; return DT_int64; }
static enum dtype flag(enum dtype d) { (void)d; return DT_bool; }
#define A_WIDE  wide
#define A_SAME  same
#define A_COUNT count
#define A_FLAG  flag

/* ---- folds ---- */

shape shape_without(const shape *s, unsigned dims) {
  shape r = {.ndim = 0};
  for (int k = 0; k < s->ndim; k++)
    if (!(dims >> k & 1)) r.dim[r.ndim++] = s->dim[k];
  return r;
}

static unsigned last(const shape *s)       { return 1u << (s->ndim - 1); }
static shape without_last(const shape *s) { return shape_without(s, last(s)); }

static term identity(emission *e, const fold *f) {
  return translate(e, &one, f->init, &(surroundings){f->C, f->A, 0, NULL, NULL});
}

/* Appends the body of a reduction, whose arguments are %first and %first + 1. */
static void merge_body(emission *e, const fold *f, int first) {
  static const char *const names[] = {"a", "b"};
  const term in[] = {term_of(first, f->A), term_of(first + 1, f->A)};
  term t = translate(e, &one, f->merge, &(surroundings){f->C, f->A, 2, names, in});
  emit(e, "stablehlo.return %%%d : tensor<%s>\n", t.value, emit_name(f->A));
}

/* Appends `(type of the operand, type of the accumulator) -> type of the result`. */
static void fold_types(emission *e, enum dtype A, const shape *from, const shape *to) {
  emit(e, "(");
  emit_type(e, A, from);
  emit(e, ", tensor<%s>) -> ", emit_name(A));
  emit_type(e, A, to);
}

term emit_fold(emission *e, const fold *f, const shape *s, unsigned dims, term in) {
  term init = identity(e, f);
  shape kept = shape_without(s, dims);
  int64_t reduced[MAX_DIMS];
  int result = e->next, first = result + 1, n = 0;
  e->next += 3;
  for (int k = 0; k < s->ndim; k++)
    if (dims >> k & 1) reduced[n++] = k;
  emit(e, "%%%d = stablehlo.reduce(%%%d init: %%%d) across ", result, in.value, init.value);
  emit_list(e, "dimensions", reduced, n);
  emit(e, " : ");
  fold_types(e, f->A, s, &kept);
  emit(e, "\nreducer(%%%d: tensor<%s>, %%%d: tensor<%s>) {\n", first, emit_name(f->A), first + 1, emit_name(f->A));
  merge_body(e, f, first);
  emit(e, "}\n");
  return term_of(result, f->A);
}

static term fold_last(emission *e, const fold *f, const shape *s, term in) { return emit_fold(e, f, s, last(s), in); }

term emit_spread(emission *e, term t, const shape *s, unsigned dims) {
  int64_t to[MAX_DIMS];
  shape kept = shape_without(s, dims);
  for (int k = 0, n = 0; k < s->ndim; k++)
    if (!(dims >> k & 1)) to[n++] = k;
  return term_of(emit_broadcast(e, t.value, t.dtype, &kept, to, s), t.dtype);
}

static term repeated(emission *e, term t, const shape *s) { return emit_spread(e, t, s, last(s)); }

/* Returns the accumulators of single elements: one step from the accumulator of no elements. */
static term steps(emission *e, const fold *f, const char *step, const shape *s, term in) {
  static const char *const names[] = {"a", "x"};
  const term init = translate(e, s, f->init, &(surroundings){f->C, f->A, 0, NULL, NULL});
  return translate(e, s, step, &(surroundings){f->C, f->A, 2, names, (const term[]){init, in}});
}

/* ---- states of reductions (cpu/kernels/state.h) ----
** Each function returns the term that the expression `finish` calls a or a.position. */

static fold bottom_of(enum dtype d) { return (fold){d, d, "m_highest(A)", "m_min(a, b)"}; }

/* Returns the sum of squared distances from the mean. */
static term state_moments(emission *e, const shape *s, term in) {
  shape kept = without_last(s);
  enum dtype A = wide(in.dtype);
  const fold sum = sum_of(A);
  term x = term_as(e, s, in, A), total = fold_last(e, &sum, s, x);
  term mean = emit_formula(e, &kept, A, "a / n", "an", (const term[]){total, term_integer(s->dim[kept.ndim])});
  term means = repeated(e, mean, s);
  return fold_last(e, &sum, s, emit_formula(e, s, A, "(x - a) * (x - a)", "xa", (const term[]){x, means}));
}

/* Returns the logarithm of the sum of exponentials. */
static term state_logsum(emission *e, const shape *s, term in) {
  shape kept = without_last(s);
  enum dtype A = wide(in.dtype);
  const fold sum = sum_of(A), top = top_of(A);
  term x = term_as(e, s, in, A), most = fold_last(e, &top, s, x);
  term shift = emit_formula(e, &kept, A, "m_isfinite(a) ? a : 0", "a", &most), shifts = repeated(e, shift, s);
  term total = fold_last(e, &sum, s, emit_formula(e, s, A, "m_exp(x - a)", "xa", (const term[]){x, shifts}));
  return emit_formula(e, &kept, A, "a + m_log(b)", "ab", (const term[]){shift, total});
}

/* Returns the 0-based position of the first element that is NaN or equal to the result of `top`. */
static term position(emission *e, const shape *s, term in, const fold *top) {
  const fold first = bottom_of(DT_int64);
  term tops = repeated(e, fold_last(e, top, s, in), s), places = term_of(emit_iota(e, DT_int64, s, s->ndim - 1), DT_int64);
  return fold_last(e, &first, s, emit_formula(e, s, DT_int64, "x == a | x != x ? b : MOST", "xab", (const term[]){in, tops, places}));
}

static term state_largest(emission *e, const shape *s, term in) {
  const fold top = top_of(in.dtype);
  return position(e, s, in, &top);
}
static term state_smallest(emission *e, const shape *s, term in) {
  const fold top = bottom_of(in.dtype);
  return position(e, s, in, &top);
}

/* ---- rows ---- */

/* A row has either `state` or init, step and merge. */
typedef struct reduce_row {
  enum dtype_class dtypes;
  enum dtype (*accumulator)(enum dtype d);
  const char *init, *step, *merge, *finish;
  term (*state)(emission *e, const shape *s, term in);
} reduce_row;

static const reduce_row rows[REDUCE_COUNT] = {
#define REDUCE(name, dtypes, result, accumulator, init, step, merge, finish, doc) \
  [REDUCE_##name] = {CLASS_##dtypes, A_##accumulator, #init, #step, #merge, #finish, NULL},
#define REDUCE_STATE(name, dtypes, result, state, finish, doc) \
  [REDUCE_##name] = {CLASS_##dtypes, same, NULL, NULL, NULL, #finish, state_##state},
#include "ops.def"
};

/* Makes one dim of the last `reduced` dims of *s. */
static int joined(emission *e, enum dtype d, shape *s, int reduced, int in) {
  shape to = {.ndim = s->ndim - reduced + 1};
  int64_t n = 1;
  for (int k = 0; k < s->ndim; k++)
    if (k < to.ndim - 1) to.dim[k] = s->dim[k];
    else n *= s->dim[k];
  to.dim[to.ndim - 1] = n;
  in = emit_reshape(e, in, d, s, &to);
  *s = to;
  return in;
}

int emit_reduce(emission *e, enum reduce_op op, enum dtype compute, const shape *s, int reduced, double correction, int in,
                enum dtype *gives) {
  static const char *const names[] = {"a", "n", "correction", "a.position"};
  const reduce_row *r = &rows[op];
  const emission before = *e;
  shape from = *s;
  if (!dtype_in_class(compute, r->dtypes)) return EMIT_NONE;
  enum dtype A = r->accumulator(compute);
  const fold f = {compute, A, r->init, r->merge};
  term x = term_of(joined(e, compute, &from, reduced, in), compute);
  term a = r->state ? r->state(e, &from, x) : fold_last(e, &f, &from, steps(e, &f, r->step, &from, x));
  shape kept = without_last(&from);
  const term terms[] = {a, term_integer(from.dim[kept.ndim]), term_float(correction), a};
  term t = translate(e, &kept, r->finish, &(surroundings){a.dtype, a.dtype, 4, names, terms});
  *gives = t.dtype;
  return emit_settle(e, &before, t.value);
}

/* ---- scans and softmax ---- */

static const struct { enum dtype_class dtypes; enum reduce_op reduction; enum dtype (*accumulator)(enum dtype d); const char *init, *step; }
scans[SCAN_COUNT] = {
#define SCAN(name, reduction, dtypes, accumulator, init, step, doc) \
  [SCAN_##name] = {CLASS_##dtypes, REDUCE_##reduction, A_##accumulator, #init, #step},
#include "ops.def"
};

int emit_scan(emission *e, enum scan_op op, enum dtype compute, const shape *s, bool initial, int in, enum dtype *gives) {
  const emission before = *e;
  int64_t n = s->dim[s->ndim - 1];
  if (!dtype_in_class(compute, scans[op].dtypes) || n == 0) return EMIT_NONE;
  const fold f = {compute, scans[op].accumulator(compute), scans[op].init, rows[scans[op].reduction].merge};
  term x = steps(e, &f, scans[op].step, s, term_of(in, compute)), init = identity(e, &f);
  shape to = *s;
  to.dim[s->ndim - 1] += initial;
  int result = e->next, first = result + 1;
  e->next += 3;
  emit(e, "%%%d = \"stablehlo.reduce_window\"(%%%d, %%%d) <{", result, x.value, init.value);
  emit(e, "window_dimensions = array<i64: ");
  for (int k = 0; k < s->ndim - 1; k++) emit(e, "1, ");
  emit(e, "%lld>, padding = dense<[", (long long)n);
  for (int k = 0; k < s->ndim - 1; k++) emit(e, "[0, 0], ");
  emit(e, "[%lld, 0]]> : tensor<%dx2xi64>}> ({\n^bb0(%%%d: tensor<%s>, %%%d: tensor<%s>):\n", (long long)(n - 1 + initial), s->ndim,
       first, emit_name(f.A), first + 1, emit_name(f.A));
  merge_body(e, &f, first);
  emit(e, "}) : ");
  fold_types(e, f.A, s, &to);
  emit(e, "\n");
  *gives = f.A;
  return emit_settle(e, &before, result);
}

static const struct { const char *keep, *m, *last; } softmaxes[SOFTMAX_COUNT] = {
#define SOFTMAX(name, keep, m, last, doc) [SOFTMAX_##name] = {#keep, #m, #last},
#include "ops.def"
};

int emit_softmax(emission *e, enum softmax_op op, enum dtype compute, const shape *s, int in) {
  const enum dtype C = compute, A = wide(compute);
  const fold top = top_of(C), sum = sum_of(A);
  const emission before = *e;
  shape kept = without_last(s);
  term t[6];
  if (!dtype_in_class(compute, CLASS_REALFLOAT)) return EMIT_NONE;
  t[0] = term_of(in, C);
  t[1] = repeated(e, fold_last(e, &top, s, t[0]), s);
  t[1] = emit_formula(e, s, C, "x - d", "xd", t);
  t[2] = emit_formula(e, s, C, "m_exp(d)", "d", t + 1);
  t[3] = fold_last(e, &sum, s, term_as(e, s, t[2], A));
  t[4] = emit_formula(e, s, C, softmaxes[op].keep, "de", t + 1);
  t[5] = repeated(e, emit_formula(e, &kept, C, softmaxes[op].m, "s", t + 3), s);
  return emit_settle(e, &before, emit_formula(e, s, C, softmaxes[op].last, "km", t + 4).value);
}
