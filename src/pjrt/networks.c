/* The families of neural networks as lines of the open program: convolutions, pooling, normalisation and cross entropy. All
** their operands are contiguous. Half floats are computed as float32. Sums have the dtypes of the CPU's accumulators. */

#include <math.h>

#include "pjrt/queue.h"

/* A call that is being appended. Its formulas have shape s and compute dtype C, and their sums are over the dims `folded`. */
typedef struct job {
  pjrt_queue *q;
  enum dtype  C;
  shape       s;
  unsigned    folded;
} job;

static shape shape4(int64_t a, int64_t b, int64_t c, int64_t d) { return (shape){4, {a, b, c, d}}; }

/* Reads contiguous elements of dtype d and of the job's shape without some dims, and converts floats to the compute dtype. */
static term load(const job *j, const void *at, enum dtype d, unsigned without) {
  const shape s = shape_without(&j->s, without);
  const strided v = strided_plain(&s);
  term t = queue_get_as(j->q, &(operand){.data = (void *)(uintptr_t)at, .dtype = d}, dtype_kind(d) == KIND_FLOAT ? j->C : d, &v);
  t.without = without;
  return t;
}

/* Writes to contiguous elements of dtype d and of the job's shape without some dims, unless `at` is NULL. */
static void store(const job *j, void *at, enum dtype d, unsigned without, term t) {
  const shape s = shape_without(&j->s, without);
  const strided v = strided_plain(&s);
  t = term_spread(&j->q->lines, &j->s, term_as(&j->q->lines, &j->s, t, d), without);
  t.without = 0;                       /* of shape s */
  if (at) queue_put(j->q, &(operand){.data = at, .dtype = d}, &v, t);
}

/* Translates a text with the names a … f. A is the dtype of sums. */
#define COMPUTE(j, text, ...) compute(j, text, (const term[6]){__VA_ARGS__})
static term compute(const job *j, const char *text, const term *terms) {
  return emit_formula(&j->q->lines, &(formula){&j->s, j->folded, j->C, DT_float64, text, "a b c d e f"}, terms);
}

static term iota(const job *j, enum dtype d, int dim) { return term_of(emit_iota(&j->q->lines, d, &j->s, dim), d); }

/* ---- convolutions ---- */

/* The names of the dims of a call's first operand, of its second operand, and of its result. */
static const char *const conv_dims[] = {
  [CONV_forward] = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", [CONV_input] = "[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]",
  [CONV_weight] = "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]"
};

static term convolve(emission *e, const conv_call *c, term a, const shape *sa, term b, const shape *sb, const shape *to) {
  const bool input = c->op == CONV_input, weight = c->op == CONV_weight;
  const char *precision = queue_precision(c->precision);
  const enum dtype d = c->dtype, gives = dtype_compute(d);
  int64_t low[2], high[2];
  for (int k = 0; k < 2; k++) {
    int64_t reach = (c->kernel[k] - 1) * c->dilation[k], span = (c->out[k] - 1) * c->stride[k];
    low[k] = input ? reach - c->pad[k] : c->pad[k];
    high[k] = input ? c->in[k] - 1 - span + c->pad[k] : reach + span + 1 - c->in[k] - c->pad[k];
  }
  static const int64_t one[] = {1, 1};
  return term_of(emit_line(e, "stablehlo.convolution(%%%d, %%%d) dim_numbers = %s, window = {stride = [%a], pad = [[%i, %i], [%i, %i]], "
                           "lhs_dilate = [%a], rhs_dilate = [%a]%s} {batch_group_count = %i : i64, feature_group_count = %i : i64, "
                           "precision_config = [#stablehlo<precision %s>, #stablehlo<precision %s>]} : (%t, %t) -> %t",
                           a.value, b.value, conv_dims[c->op], weight ? c->dilation : input ? one : c->stride, 2, low[0], high[0], low[1],
                           high[1], input ? c->stride : one, 2, weight ? c->stride : c->dilation, 2,
                           input ? ", reverse = [true, true]" : "", weight ? c->groups : one[0], weight ? one[0] : c->groups, precision,
                           precision, d, sa, d, sb, gives, to), gives);
}

/* Reads the weight [c_out, c_in / groups, kernel] as [c_out / groups, c_in, kernel], *s, for the gradient of the input. */
static term load_turned(pjrt_queue *q, const conv_call *c, shape *s) {
  int64_t area = c->kernel[0] * c->kernel[1], in = c->c_in / c->groups, out = c->c_out / c->groups;
  const strided apart = {{5, {out, c->groups, in, c->kernel[0], c->kernel[1]}}, {in * area, out * in * area, area, c->kernel[1], 1}};
  *s = shape4(out, c->c_in, c->kernel[0], c->kernel[1]);
  term w = queue_get(q, &(operand){.data = c->w, .dtype = c->dtype}, &apart);
  return term_of(emit_reshape(&q->lines, w.value, c->dtype, &apart.s, s), c->dtype);
}

int queue_conv(pjrt_queue *q, const conv_call *c) {
  const bool input = c->op == CONV_input, weight = c->op == CONV_weight;
  const job x = {q, c->dtype, shape4(c->n, c->c_in, c->in[0], c->in[1]), 0};
  const job y = {q, c->dtype, shape4(c->n, c->c_out, c->out[0], c->out[1]), 0};
  const job w = {q, c->dtype, shape4(c->c_out, c->c_in / c->groups, c->kernel[0], c->kernel[1]), 0};
  const job *to = weight ? &w : input ? &x : &y, *from = input ? &y : &x;
  shape second = weight ? y.s : w.s;
  term a = load(from, input ? c->y : c->x, c->dtype, 0);
  term b = input ? load_turned(q, c, &second) : weight ? load(&y, c->y, c->dtype, 0) : load(&w, c->w, c->dtype, 0);
  term t = convolve(&q->lines, c, a, &from->s, b, &second, &to->s);
  if (c->bias) t = COMPUTE(to, "a + b", t, term_as(&q->lines, &to->s, load(to, c->bias, c->dtype, 13), t.dtype));
  store(to, weight ? c->w : input ? c->x : c->y, c->dtype, 0, t);
  return OK;
}

/* ---- cross entropy ---- */

/* The elements of a row are along dim 1. `skip` and `hot` tell whether a row is ignored, and whether an element is of its class. */
int queue_cross_entropy(pjrt_queue *q, const cross_entropy_call *c) {
  enum { ROWS = 1, ALONG = 2, BOTH = 3 };
  job j = {q, c->compute, {2, {c->rows, c->n}}, ALONG}, over_rows = {q, c->compute, j.s, ROWS};
  char *at = c->sums, *totals = at + c->rows * dtype_size(j.C), *factor = totals + c->rows * dtype_size(j.C);
  const bool each = c->reduction == CROSS_ENTROPY_none;
  if (c->rows * c->n == 0) return ERR_NO_KERNEL;
  int st = queue_check(q, c->classes, c->rows, 1, c->n, c->ignores ? &c->ignored : NULL, c->bad);
  if (st != OK) return st;
  term x = load(&j, c->in.data, c->in.dtype, 0), class = load(&j, c->classes, DT_int64, ALONG);
  term hot = COMPUTE(&j, "a + 1 == b", iota(&j, DT_int64, 1), class);
  term skip = COMPUTE(&j, c->ignores ? "a == b" : "a != a", class, term_integer(c->ignored));
  if (c->backward) {
    term top = load(&j, at, j.C, ALONG), total = load(&j, totals, j.C, ALONG), scale = load(&j, factor, j.C, BOTH);
    term g = COMPUTE(&j, "a ? 0 : b * c", skip, load(&j, c->losses, j.C, each ? ALONG : BOTH), scale);
    store(&j, c->out.data, c->out.dtype, 0, COMPUTE(&j, "a ? 0 : m_exp(b - c) * (f / d) - (e ? f : 0)", skip, x, top, total, hot, g));
    return OK;
  }
  term top = COMPUTE(&j, "top(a)", x), total = COMPUTE(&j, "sum(m_exp(a - b))", x, top);
  term loss = COMPUTE(&j, "a ? 0 : m_log(b) - (sum(d ? e : 0) - (A)c)", skip, total, top, hot, x);
  term scale = term_float(1);
  if (c->reduction == CROSS_ENTROPY_mean) scale = COMPUTE(&over_rows, "1 / sum(!a)", skip);
  store(&j, c->losses, j.C, each ? ALONG : BOTH, each ? loss : COMPUTE(&over_rows, "sum(a) * b", loss, scale));
  store(&j, at, j.C, ALONG, COMPUTE(&j, "a ? 0 : b", skip, top));
  store(&j, totals, j.C, ALONG, COMPUTE(&j, "a ? 1 : b", skip, total));
  store(&j, factor, j.C, BOTH, scale);
  return OK;
}

/* ---- normalisation ----
** Arrays have the shape [rows / groups, groups, segments, run]. The statistics are without the dims that are folded, weights without
** the dims `shared`. */

typedef struct normal {
  const norm_call *c;
  job      j;
  unsigned shared;
  term     x, w, n;                    /* x: relative to an element, from; n: the number of elements of a mean */
  term     from;
  void    *mean, *rstd;                /* the statistics; mean: NULL if there is none */
} normal;

static normal load_normal(pjrt_queue *q, const norm_call *c) {
  enum { ROWS = 12, ROWS_SHARED = 9, CHANNELS = 11 };    /* sets of dims */
  const bool by_channel = c->kind == NORM_channels;
  const unsigned folded = by_channel ? CHANNELS : ROWS;
  const int64_t kept = by_channel ? c->segments : c->rows;
  normal n = {.c = c, .j = {q, c->compute, shape4(c->rows / c->groups, c->groups, c->segments, c->run), folded}, .from = term_integer(0),
              .shared = by_channel ? CHANNELS : ROWS_SHARED, .n = term_float((double)(c->rows * c->segments * c->run / kept)),
              .w = term_integer(1), .mean = c->rms ? NULL : c->stats};
  n.rstd = (char *)c->stats + (c->rms ? 0 : kept * dtype_size(c->compute));
  n.x = load(&n.j, c->in.data, c->in.dtype, 0);
  if (!c->rms && !c->given && c->kind < NORM_softmax) {
    const strided all = strided_plain(&n.j.s);
    strided first = {.s.ndim = 0};
    for (int k = 0; k < 4; k++)
      if (!(folded >> k & 1)) strided_add(&first, all.s.dim[k], all.stride[k]);
    n.from = queue_get_as(q, &c->in, n.j.C, &first);
    n.from.without = folded;
    n.x = COMPUTE(&n.j, "a - b", n.x, n.from);
  }
  if (c->weight) n.w = load(&n.j, c->weight, n.j.C, n.shared);
  return n;
}

/* Changes running statistics, which may be NULL. */
static void follow(const normal *n, void *running, term now) {
  const job *j = &n->j;
  if (!running) return;
  term by = queue_number(j->q, DT_float64, (scalar){.f = n->c->momentum, .is_float = true});
  store(j, running, j->C, j->folded, COMPUTE(j, "(A)a + b * (c - (A)a)", load(j, running, j->C, j->folded), by, now));
}

static void norm_forward(const normal *n) {
  const norm_call *c = n->c;
  const job *j = &n->j;
  term mean = term_integer(0), bias = mean;
  if (c->given) mean = load(j, c->running_mean, j->C, j->folded);
  else if (!c->rms) mean = COMPUTE(j, "(C)(sum(a) / b)", n->x, n->n);
  term d = COMPUTE(j, "a - b", n->x, mean);
  term var = c->given ? COMPUTE(j, "(A)a", load(j, c->running_var, j->C, j->folded)) : COMPUTE(j, "sum(a * a) / b", d, n->n);
  term rstd = COMPUTE(j, "(C)(1 / m_sqrt(a + b))", var, term_float(c->eps));
  if (c->bias) bias = load(j, c->bias, j->C, n->shared);
  store(j, c->out.data, c->out.dtype, 0, COMPUTE(j, "a * b * c + d", d, rstd, n->w, bias));
  store(j, n->mean, j->C, j->folded, mean);
  store(j, n->rstd, j->C, j->folded, rstd);
  if (c->kind != NORM_channels || c->given) return;
  follow(n, c->running_mean, COMPUTE(j, "(A)a + (A)b", n->from, mean));
  follow(n, c->running_var, COMPUTE(j, "a * b", var, term_float(c->correction)));
}

static void norm_backward(const normal *n) {
  const norm_call *c = n->c;
  const job *j = &n->j;
  job shared = *j;
  shared.folded = n->shared;
  term mean = n->mean ? load(j, n->mean, j->C, j->folded) : term_integer(0), rstd = load(j, n->rstd, j->C, j->folded);
  term d = COMPUTE(j, "a - b", n->x, mean), g = load(j, c->gradient.data, c->in.dtype, 0);
  term gw = COMPUTE(j, "a * b", g, n->w), gd = COMPUTE(j, "a * (b * c)", g, d, rstd), slope = term_integer(0), add = slope;
  if (!c->given) slope = COMPUTE(j, "(C)(-(A)a * (A)a * sum(b * c) / d)", rstd, gd, n->w, n->n);
  if (!c->given && !c->rms) add = COMPUTE(j, "(C)(-(A)a * sum(b) / c)", rstd, gw, n->n);
  store(j, c->out.data, c->out.dtype, 0, COMPUTE(j, "a * b + c * d + e", gw, rstd, d, slope, add));
  if (c->dweight) store(j, c->dweight, j->C, n->shared, COMPUTE(&shared, "sum(a)", gd));
  if (c->dbias) store(j, c->dbias, j->C, n->shared, COMPUTE(&shared, "sum(a)", g));
}

int queue_norm(pjrt_queue *q, const norm_call *c) {
  if (c->rows * c->segments * c->run == 0) return ERR_NO_KERNEL;
  const normal n = load_normal(q, c);
  if (c->kind < NORM_softmax) (c->backward ? norm_backward : norm_forward)(&n);
  else store(&n.j, c->out.data, c->out.dtype, 0,
             COMPUTE(&n.j, c->kind == NORM_softmax ? "a * (b - (C)sum(b * a))" : "b - m_exp(a) * (C)sum(b)", n.x,
                     load(&n.j, c->gradient.data, c->in.dtype, 0)));
  return OK;
}

/* ---- pooling ----
** The elements of all windows at one tap, which is a position in a window, are a part with steps of x, which is padded first. So
** pooling is a loop over the taps, in the order in which the CPU adds. Windows of different lengths are left to the CPU. */

enum { MOST_TAPS = 64 };

/* Returns the elements [planes, out] of a padded x at a tap. With `back`, returns a padded x with t's elements at the tap, and zeros
** elsewhere. */
static term at_tap(const job *out, const pool_call *c, const shape *padded, int tap, bool back, term t) {
  emission *e = &out->q->lines;
  const int64_t start[] = {0, tap / c->kernel[1] * c->dilation[0], tap % c->kernel[1] * c->dilation[1]};
  const int64_t inner[] = {0, c->stride[0] - 1, c->stride[1] - 1};
  if (back) return term_of(emit_pad(e, t.value, t.dtype, &out->s, (scalar){0}, start, inner, padded), t.dtype);
  return term_of(emit_line(e, "stablehlo.slice %%%d [0:%i, %i:%i:%i, %i:%i:%i] : (%t) -> %t", t.value, c->planes,
                           start[1], start[1] + (c->out[0] - 1) * c->stride[0] + 1, c->stride[0], start[2],
                           start[2] + (c->out[1] - 1) * c->stride[1] + 1, c->stride[1], t.dtype, padded, t.dtype, &out->s), t.dtype);
}

/* Returns the averages of windows with given sums. */
static term divided(const job *out, const pool_call *c, term sums) {
  term count[2];
  if (c->divisor) return COMPUTE(out, "a / b", sums, term_float((double)c->divisor));
  for (int d = 0; d < 2; d++)
    count[d] = COMPUTE(out, c->count_pad ? "w = a * b - c; m_min(w + d, e) - w" : "w = a * b - c; m_min(w + d, e) - m_max(w, 0)",
                       iota(out, DT_int64, d + 1), term_integer(c->stride[d]), term_integer(c->pad[d]), term_integer(c->kernel[d]),
                       term_integer(c->in[d] + (c->count_pad ? c->pad[d] : 0)));
  return COMPUTE(out, "a / (C)(b * c)", sums, count[0], count[1]);
}

/* Makes equal windows of an adaptive call, if its windows have one length. */
static bool has_equal_windows(pool_call *c) {
  for (int d = 0; d < 2 && c->adaptive; d++) {
    if (c->in[d] % c->out[d]) return false;
    c->kernel[d] = c->stride[d] = c->in[d] / c->out[d];
    c->dilation[d] = 1;
  }
  return c->planes && c->kernel[0] * c->kernel[1] <= MOST_TAPS;
}

int queue_pool(pjrt_queue *q, const pool_call *given) {
  pool_call call = *given, *c = &call;
  if (!has_equal_windows(c)) return ERR_NO_KERNEL;
  const bool max = c->op == POOL_max || c->op == POOL_max_back, back = c->op == POOL_max_back || c->op == POOL_average_back;
  const int taps = (int)(c->kernel[0] * c->kernel[1]);
  const int64_t before[] = {0, c->pad[0], c->pad[1]}, after[] = {0, -c->pad[0], -c->pad[1]}, none[] = {0, 0, 0};
  const scalar zero = {0}, lowest = {.f = -(double)INFINITY};
  const job in = {q, dtype_compute(c->dtype), {3, {c->planes, c->in[0], c->in[1]}}, 0};
  job out = in, padded = in;
  for (int d = 0; d < 2; d++) {
    out.s.dim[d + 1] = c->out[d];
    padded.s.dim[d + 1] = (c->out[d] - 1) * c->stride[d] + (c->kernel[d] - 1) * c->dilation[d] + 1;
  }
  emission *e = &q->lines;
  term from = back ? load(&out, c->y, c->dtype, 0) : load(&in, c->x, c->dtype, 0), at = term_as(e, &out.s, term_integer(0), DT_int32);
  term result = term_as(e, &in.s, term_integer(0), in.C), places = at, here = at;
  if (c->op == POOL_average_back) from = divided(&out, c, from);
  if (!back) from.value = emit_pad(e, from.value, in.C, &in.s, max ? lowest : zero, before, none, &padded.s);
  if (max) {
    if (back) at = load(&out, c->position, DT_int32, 0);
    places = COMPUTE(&in, "a * b + c + 1", iota(&in, DT_int32, 1), term_integer(c->in[1]), iota(&in, DT_int32, 2));
    places.value = emit_pad(e, places.value, DT_int32, &in.s, zero, before, none, &padded.s);
  }
  for (int k = 0; k < taps; k++) {
    const int tap = back ? taps - 1 - k : k;
    if (max) here = at_tap(&out, c, &padded.s, tap, false, places);
    if (back) {
      term x = max ? COMPUTE(&out, "a == b ? c : 0", at, here, from) : from;
      result = COMPUTE(&padded, "a + b", result, at_tap(&out, c, &padded.s, tap, true, x));
      continue;
    }
    term x = at_tap(&out, c, &padded.s, tap, false, from);
    if (max) {
      term better = COMPUTE(&out, "a > b | a != a | c == 0 & d != 0", x, result, at, here);
      at = COMPUTE(&out, "a ? b : c", better, here, at);
      result = COMPUTE(&out, "a ? b : c", better, x, result);
    } else {
      result = COMPUTE(&out, "a + b", result, x);
    }
  }
  if (c->op == POOL_average) result = divided(&out, c, result);
  if (back) result.value = emit_pad(e, result.value, in.C, &padded.s, zero, after, none, &in.s);
  store(back ? &in : &out, back ? c->x : c->y, c->dtype, 0, result);
  if (c->op == POOL_max) store(&out, c->position, DT_int32, 0, at);
  return OK;
}
