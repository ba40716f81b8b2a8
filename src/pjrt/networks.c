/* The families of neural networks as lines of the open program: convolutions, pooling, normalisation and cross entropy. All
** their operands are contiguous. Half floats are computed as float32. Sums have the dtypes of the CPU's accumulators. */

#include "pjrt/queue.h"
#include "pjrt/translate.h"

/* A call that is being appended: C is its compute dtype, st the first error. */
typedef struct job {
  pjrt_queue *q;
  enum dtype  C;
  int         st;
} job;

static shape shape4(int64_t a, int64_t b, int64_t c, int64_t d) { return (shape){4, {a, b, c, d}}; }

/* Reads elements of dtype d, and converts floats to the compute dtype. stride NULL: the elements are contiguous. */
static term load(job *j, const void *at, enum dtype d, const shape *s, const int64_t *stride) {
  operand o = {.data = (void *)(uintptr_t)at, .dtype = d};
  enum dtype to = dtype_kind(d) == KIND_FLOAT ? j->C : d;
  int64_t plain[MAX_DIMS];
  shape_strides(s, plain);
  return term_of(j->st == OK ? queue_get_as(j->q, &o, to, s, stride ? stride : plain, &j->st) : EMIT_NONE, to);
}

/* Writes to contiguous elements of dtype d, unless `at` is NULL. Nothing is written after an expression that was refused. */
static void store(job *j, void *at, enum dtype d, const shape *s, term t) {
  operand o = {.data = at, .dtype = d};
  int64_t stride[MAX_DIMS];
  shape_strides(s, stride);
  if (j->q->lines.refused) j->st = ERR_NO_KERNEL;
  j->q->lines.refused = false;
  if (at && j->st == OK) j->st = queue_put_as(j->q, &o, t.dtype, s, stride, t.value);
}

/* True if no write to the operands returns QUEUE_AGAIN. An operand of dtype d may be NULL. */
static bool accepts(const pjrt_queue *q, enum dtype d, int n, void *const *at) {
  bool all = true;
  for (int k = 0; k < n; k++) all = all && (!at[k] || queue_accepts(q, &(operand){.data = at[k], .dtype = d}));
  return all;
}

/* Translates a text with the names a … f. A is the dtype of sums. */
enum { FORMULA_TERMS = 6 };
#define FORMULA(j, s, text, ...) formula(j, s, text, (const term[FORMULA_TERMS]){__VA_ARGS__})
static term formula(job *j, const shape *s, const char *text, const term *terms) {
  return j->st == OK ? emit_formula(&j->q->lines, s, j->C, text, "abcdef", terms) : term_of(EMIT_NONE, j->C);
}

/* Returns the sums over some dims, of dtype float64. */
static term sum(job *j, const shape *s, unsigned dims, term t) {
  const fold f = sum_of(DT_float64);
  return j->st == OK ? emit_fold(&j->q->lines, &f, s, dims, term_as(&j->q->lines, s, t, DT_float64)) : t;
}

static term spread(job *j, term t, const shape *s, unsigned dims) {
  return j->st == OK && t.dtype != DT_none ? emit_spread(&j->q->lines, t, s, dims) : t;
}

/* ---- convolutions ---- */

/* The names of the dims of a call's first operand, of its second operand, and of its result. */
static const char *const conv_dims[] = {
  [CONV_forward] = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", [CONV_input] = "[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]",
  [CONV_weight] = "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]"
};

/* The steps of the windows, the distances of the elements of windows and of the first operand, and its padding. */
typedef struct window { int64_t step[2], dilation[2], apart[2], low[2], high[2]; } window;

static window conv_window(const conv_call *c) {
  window w;
  for (int d = 0; d < 2; d++) {
    int64_t reach = (c->kernel[d] - 1) * c->dilation[d], span = (c->out[d] - 1) * c->stride[d];
    bool input = c->op == CONV_input, weight = c->op == CONV_weight;
    w.step[d] = weight ? c->dilation[d] : input ? 1 : c->stride[d];
    w.dilation[d] = weight ? c->stride[d] : c->dilation[d];
    w.apart[d] = input ? c->stride[d] : 1;
    w.low[d] = input ? reach - c->pad[d] : c->pad[d];
    w.high[d] = input ? c->in[d] - 1 - span + c->pad[d] : reach + span + 1 - c->in[d] - c->pad[d];
  }
  return w;
}

static term convolve(emission *e, const conv_call *c, term a, const shape *sa, term b, const shape *sb, const shape *to) {
  const window w = conv_window(c);
  const char *precision = queue_precision(c->precision);
  long long groups = (long long)c->groups;
  emit(e, "%%%d = stablehlo.convolution(%%%d, %%%d) dim_numbers = %s, window = {", e->next, a.value, b.value, conv_dims[c->op]);
  emit_list(e, "stride", w.step, 2);
  emit(e, ", pad = [[%lld, %lld], ", (long long)w.low[0], (long long)w.high[0]);
  emit(e, "[%lld, %lld]], ", (long long)w.low[1], (long long)w.high[1]);
  emit_list(e, "lhs_dilate", w.apart, 2);
  emit_list(e, ", rhs_dilate", w.dilation, 2);
  emit(e, "%s} {batch_group_count = %lld : i64, feature_group_count = %lld : i64, precision_config = [#stablehlo<precision %s>, "
       "#stablehlo<precision %s>]}", c->op == CONV_input ? ", reverse = [true, true]" : "", c->op == CONV_weight ? groups : 1,
       c->op == CONV_weight ? 1 : groups, precision, precision);
  enum dtype gives = dtype_compute(c->dtype);
  return term_of(emit_end(e, 2, c->dtype, sa, c->dtype, sb, gives, to), gives);
}

/* Reads the weight [c_out, c_in / groups, kernel] as [c_out / groups, c_in, kernel], *s, for the gradient of the input. */
static term load_turned(job *j, const conv_call *c, shape *s) {
  int64_t area = c->kernel[0] * c->kernel[1], in = c->c_in / c->groups, out = c->c_out / c->groups;
  const shape apart = {5, {out, c->groups, in, c->kernel[0], c->kernel[1]}};
  *s = shape4(out, c->c_in, c->kernel[0], c->kernel[1]);
  term w = load(j, c->w, c->dtype, &apart, (const int64_t[]){in * area, out * in * area, area, c->kernel[1], 1});
  return j->st == OK ? term_of(emit_reshape(&j->q->lines, w.value, w.dtype, &apart, s), w.dtype) : w;
}

int queue_conv(pjrt_queue *q, const conv_call *c) {
  job j = {q, c->dtype, OK};
  const shape x = shape4(c->n, c->c_in, c->in[0], c->in[1]), y = shape4(c->n, c->c_out, c->out[0], c->out[1]);
  const bool input = c->op == CONV_input, weight = c->op == CONV_weight;
  shape w = shape4(c->c_out, c->c_in / c->groups, c->kernel[0], c->kernel[1]), turned = weight ? y : w;
  const shape *to = weight ? &w : input ? &x : &y, *from = input ? &y : &x;
  term a = load(&j, input ? c->y : c->x, c->dtype, from, NULL);
  term b = input ? load_turned(&j, c, &turned) : load(&j, weight ? c->y : c->w, c->dtype, &turned, NULL), bias = a;
  if (c->bias) bias = load(&j, c->bias, c->dtype, &(shape){1, {c->c_out}}, NULL);
  if (j.st != OK) return j.st;
  term t = convolve(&q->lines, c, a, from, b, &turned, to);
  if (c->bias) t = FORMULA(&j, to, "a + b", t, term_as(&q->lines, to, spread(&j, bias, to, 13), t.dtype));
  store(&j, weight ? c->w : input ? c->x : c->y, c->dtype, to, t);
  return j.st;
}

/* ---- cross entropy ---- */

/* Brings the classes to the shadow, and checks them there. */
static int check_classes(pjrt_queue *q, const cross_entropy_call *c) {
  block *b = block_of(q, c->classes);
  int st = b ? block_read(q, b) : OK;
  for (int64_t r = 0; r < c->rows && st == OK; r++)
    if ((uint64_t)c->classes[r] - 1 >= (uint64_t)c->n && !(c->ignores && c->classes[r] == c->ignored)) {
      *c->bad = c->classes[r];
      st = ERR_INDEX;
    }
  return st;
}

enum { ALONG = 2 };                    /* the set of dim 1: the elements of a row */

static void entropy_losses(job *j, const cross_entropy_call *c, const shape *s, term x, term hot, term skip) {
  emission *e = &j->q->lines;
  const fold largest = top_of(j->C);
  const shape rows = {1, {c->rows}}, none = {.ndim = 0};
  const int size = dtype_size(j->C);
  term top = emit_fold(e, &largest, s, ALONG, x);
  term total = sum(j, s, ALONG, FORMULA(j, s, "m_exp(a - b)", x, spread(j, top, s, ALONG)));
  term picked = sum(j, s, ALONG, FORMULA(j, s, "a ? b : 0", hot, x));
  term loss = FORMULA(j, &rows, "a ? 0 : m_log(b) - (c - (A)d)", skip, total, picked, top);
  term scale = FORMULA(j, &none, c->reduction == CROSS_ENTROPY_mean ? "1 / a" : "(A)1", sum(j, &rows, 1, FORMULA(j, &rows, "(A)!a", skip)));
  if (c->reduction == CROSS_ENTROPY_none) store(j, c->losses, j->C, &rows, loss);
  else store(j, c->losses, j->C, &none, FORMULA(j, &none, "a * b", sum(j, &rows, 1, loss), scale));
  store(j, c->sums, j->C, &rows, FORMULA(j, &rows, "a ? 0 : b", skip, top));
  store(j, (char *)c->sums + c->rows * size, j->C, &rows, FORMULA(j, &rows, "a ? 1 : b", skip, total));
  store(j, (char *)c->sums + 2 * c->rows * size, j->C, &none, scale);
}

static void entropy_gradient(job *j, const cross_entropy_call *c, const shape *s, term x, term hot, term skip) {
  const shape rows = {1, {c->rows}}, none = {.ndim = 0};
  const char *sums = c->sums;
  const int size = dtype_size(j->C);
  bool each = c->reduction == CROSS_ENTROPY_none;
  term top = load(j, sums, j->C, &rows, NULL), total = load(j, sums + c->rows * size, j->C, &rows, NULL);
  term g = load(j, c->losses, j->C, each ? &rows : &none, NULL), scale = load(j, sums + 2 * c->rows * size, j->C, &none, NULL);
  if (!each) g = spread(j, g, &rows, 1);
  g = FORMULA(j, &rows, "a ? 0 : b * c", skip, g, spread(j, scale, &rows, 1));
  term by = FORMULA(j, &rows, "a / b", g, total);
  store(j, c->out.data, c->out.dtype, s, FORMULA(j, s, "a ? 0 : m_exp(b - c) * d - (e ? f : 0)", spread(j, skip, s, ALONG), x,
        spread(j, top, s, ALONG), spread(j, by, s, ALONG), hot, spread(j, g, s, ALONG)));
}

int queue_cross_entropy(pjrt_queue *q, const cross_entropy_call *c) {
  const shape s = {2, {c->rows, c->n}}, rows = {1, {c->rows}};
  job j = {q, c->compute, c->rows && c->n ? check_classes(q, c) : ERR_NO_KERNEL};
  if (j.st == OK && !accepts(q, c->compute, 2, (void *const[]){c->losses, c->sums})) return QUEUE_AGAIN;
  term x = load(&j, c->in.data, c->in.dtype, &s, NULL), class = load(&j, c->classes, DT_int64, &rows, NULL);
  if (j.st != OK) return j.st;
  term hot = FORMULA(&j, &s, "a + 1 == b", term_of(emit_iota(&q->lines, DT_int64, &s, 1), DT_int64), spread(&j, class, &s, ALONG));
  term skip = FORMULA(&j, &rows, c->ignores ? "a == b" : "a != a", class, term_integer(c->ignored));
  (c->backward ? entropy_gradient : entropy_losses)(&j, c, &s, x, hot, skip);
  return j.st;
}

/* ---- normalisation ----
** Arrays have the shape s = [rows / groups, groups, segments, run]. The statistics have the shape `kept`, which is s without the
** dims `reduced`. Weights have the shape `params`, which is s without the dims `shared`. */

typedef struct normal {
  const norm_call *c;
  shape    s, kept, params;
  unsigned reduced, shared;
  term     x, from, w;                 /* from: the element of x to which means are relative, or the number 0 */
  void    *mean, *rstd;                /* the statistics; mean: NULL if there is none */
  double   n;                          /* the number of elements of a mean */
} normal;

static normal load_normal(job *j, const norm_call *c) {
  enum { ROWS = 12, ROWS_SHARED = 9, CHANNELS = 11 };    /* sets of dims */
  bool by_channel = c->kind == NORM_channels;
  normal n = {.c = c, .s = shape4(c->rows / c->groups, c->groups, c->segments, c->run), .from = term_integer(0), .w = term_integer(1)};
  int64_t all[MAX_DIMS], stride[MAX_DIMS], kept = by_channel ? c->segments : c->rows;
  n.reduced = by_channel ? CHANNELS : ROWS;
  n.shared = by_channel ? CHANNELS : ROWS_SHARED;
  n.kept = shape_without(&n.s, n.reduced);
  n.params = shape_without(&n.s, n.shared);
  n.n = (double)(c->rows * c->segments * c->run / kept);
  n.mean = c->rms ? NULL : c->stats;
  n.rstd = (char *)c->stats + (c->rms ? 0 : kept * dtype_size(c->compute));
  shape_strides(&n.s, all);
  for (int k = 0, i = 0; k < 4; k++)
    if (!(n.reduced >> k & 1)) stride[i++] = all[k];
  n.x = load(j, c->in.data, c->in.dtype, &n.s, NULL);
  if (!c->rms && !c->given && c->kind < NORM_softmax) n.from = load(j, c->in.data, c->in.dtype, &n.kept, stride);
  if (c->weight) n.w = spread(j, load(j, c->weight, j->C, &n.params, NULL), &n.s, n.shared);
  return n;
}

/* Returns the distances of the elements of x from the mean. */
static term distances(job *j, const normal *n, term mean) {
  return FORMULA(j, &n->s, "(a - b) - c", n->x, spread(j, n->from, &n->s, n->reduced), spread(j, mean, &n->s, n->reduced));
}

/* Changes running statistics, which may be NULL. */
static void follow(job *j, const normal *n, void *running, term now) {
  if (!running || j->st != OK) return;
  term by = term_of(queue_number(j->q, DT_float64, (scalar){.f = n->c->momentum, .is_float = true}, &j->st), DT_float64);
  term old = load(j, running, j->C, &n->kept, NULL);
  store(j, running, j->C, &n->kept, FORMULA(j, &n->kept, "(A)a + b * (c - (A)a)", old, spread(j, by, &n->kept, (1u << n->kept.ndim) - 1), now));
}

static void norm_forward(job *j, const normal *n) {
  const norm_call *c = n->c;
  const term count = term_float(n->n);
  term mean = term_integer(0), bias = mean, var, d;
  if (c->given) mean = load(j, c->running_mean, j->C, &n->kept, NULL);
  else if (!c->rms) mean = FORMULA(j, &n->kept, "(C)(a / b)", sum(j, &n->s, n->reduced, distances(j, n, mean)), count);
  d = distances(j, n, mean);
  if (c->given) var = FORMULA(j, &n->kept, "(A)a", load(j, c->running_var, j->C, &n->kept, NULL));
  else var = FORMULA(j, &n->kept, "a / b", sum(j, &n->s, n->reduced, FORMULA(j, &n->s, "a * a", d)), count);
  term rstd = FORMULA(j, &n->kept, "(C)(1 / m_sqrt(a + b))", var, term_float(c->eps));
  if (c->bias) bias = spread(j, load(j, c->bias, j->C, &n->params, NULL), &n->s, n->shared);
  store(j, c->out.data, c->out.dtype, &n->s, FORMULA(j, &n->s, "a * b * c + d", d, spread(j, rstd, &n->s, n->reduced), n->w, bias));
  store(j, n->mean, j->C, &n->kept, mean);
  store(j, n->rstd, j->C, &n->kept, rstd);
  if (c->kind != NORM_channels || c->given) return;
  follow(j, n, c->running_mean, FORMULA(j, &n->kept, "(A)a + (A)b", n->from, mean));
  follow(j, n, c->running_var, FORMULA(j, &n->kept, "a * b", var, term_float(c->correction)));
}

static void norm_backward(job *j, const normal *n) {
  const norm_call *c = n->c;
  term mean = n->mean ? load(j, n->mean, j->C, &n->kept, NULL) : term_integer(0), rstd = load(j, n->rstd, j->C, &n->kept, NULL);
  term d = distances(j, n, mean), by = spread(j, rstd, &n->s, n->reduced), g = load(j, c->gradient.data, c->in.dtype, &n->s, NULL);
  term gw = FORMULA(j, &n->s, "a * b", g, n->w), gd = FORMULA(j, &n->s, "a * (b * c)", g, d, by), slope = term_integer(0), add = slope;
  if (!c->given) {
    term total = sum(j, &n->s, n->reduced, FORMULA(j, &n->s, "a * b", gd, n->w));
    slope = spread(j, FORMULA(j, &n->kept, "(C)(-(A)a * (A)a * b / c)", rstd, total, term_float(n->n)), &n->s, n->reduced);
  }
  if (!c->given && !c->rms)
    add = spread(j, FORMULA(j, &n->kept, "(C)(-(A)a * b / c)", rstd, sum(j, &n->s, n->reduced, gw), term_float(n->n)), &n->s, n->reduced);
  store(j, c->out.data, c->out.dtype, &n->s, FORMULA(j, &n->s, "a * b + c * d + e", gw, by, d, slope, add));
  if (c->dweight) store(j, c->dweight, j->C, &n->params, sum(j, &n->s, n->shared, gd));
  if (c->dbias) store(j, c->dbias, j->C, &n->params, sum(j, &n->s, n->shared, g));
}

static void softmax_backward(job *j, const normal *n) {
  const norm_call *c = n->c;
  bool plain = c->kind == NORM_softmax;
  term g = load(j, c->gradient.data, c->in.dtype, &n->s, NULL);
  term total = FORMULA(j, &n->kept, "(C)a", sum(j, &n->s, n->reduced, FORMULA(j, &n->s, plain ? "a * b" : "a", g, n->x)));
  store(j, c->out.data, c->out.dtype, &n->s, FORMULA(j, &n->s, plain ? "a * (b - c)" : "b - m_exp(a) * c", n->x, g,
        spread(j, total, &n->s, n->reduced)));
}

int queue_norm(pjrt_queue *q, const norm_call *c) {
  job j = {q, c->compute, OK};
  if (c->rows * c->segments * c->run == 0) return ERR_NO_KERNEL;
  if (!accepts(q, c->out.dtype, 1, &c->out.data) ||
      !accepts(q, c->compute, 5, (void *const[]){c->stats, c->running_mean, c->running_var, c->dweight, c->dbias})) return QUEUE_AGAIN;
  const normal n = load_normal(&j, c);
  if (j.st == OK) (c->kind >= NORM_softmax ? softmax_backward : c->backward ? norm_backward : norm_forward)(&j, &n);
  return j.st;
}

/* ---- pooling ----
** The elements of all windows at one tap, which is a position in a window, are a part of x with steps. So pooling is a loop over
** the taps, in the order in which the CPU adds. Windows of different lengths are left to the CPU. */

enum { MOST_TAPS = 64 };

/* Returns the elements [planes, out] of x at a tap, and `fill` in the padding. With `back`, returns [planes, in] with t's elements
** at the tap, and zeros elsewhere. */
static term at_tap(job *j, const pool_call *c, const int64_t *tap, bool back, const char *fill, term t) {
  emission *e = &j->q->lines;
  const shape none = {.ndim = 0}, in = {3, {c->planes, c->in[0], c->in[1]}}, out = {3, {c->planes, c->out[0], c->out[1]}};
  int64_t low[3] = {0}, high[3] = {0}, inner[3] = {0}, limit[2];
  shape padded = back ? in : out;
  term zero = translate(e, &none, fill, &(surroundings){t.dtype, t.dtype, 0, NULL, NULL});
  for (int d = 0; d < 2; d++) {
    int64_t first = tap[d] * c->dilation[d] - c->pad[d], span = (c->out[d] - 1) * c->stride[d] + 1;
    low[d + 1] = back ? first : -first;
    high[d + 1] = (back ? 1 : -1) * (c->in[d] - first - span);
    inner[d + 1] = back ? c->stride[d] - 1 : 0;
    padded.dim[d + 1] = limit[d] = back ? c->in[d] : span;
  }
  emit(e, "%%%d = stablehlo.pad %%%d, %%%d, ", e->next, t.value, zero.value);
  emit_list(e, "low", low, 3);
  emit_list(e, ", high", high, 3);
  emit_list(e, ", interior", inner, 3);
  t.value = emit_end(e, 2, t.dtype, back ? &out : &in, t.dtype, &none, t.dtype, &padded);
  if (back) return t;
  emit(e, "%%%d = stablehlo.slice %%%d [0:%lld, 0:%lld:%lld, 0:%lld:%lld]", e->next, t.value, (long long)c->planes, (long long)limit[0],
       (long long)c->stride[0], (long long)limit[1], (long long)c->stride[1]);
  return term_of(emit_end(e, 1, t.dtype, &padded, t.dtype, &out), t.dtype);
}

/* Returns the averages of windows with given sums, of shape s = [planes, out]. */
static term divided(job *j, const pool_call *c, const shape *s, term sums) {
  term count[2];
  if (c->divisor) return FORMULA(j, s, "a / b", sums, term_float((double)c->divisor));
  for (int d = 0; d < 2; d++) {
    term window = term_of(emit_iota(&j->q->lines, DT_int64, s, d + 1), DT_int64);
    term begin = FORMULA(j, s, "a * b - c", window, term_integer(c->stride[d]), term_integer(c->pad[d]));
    count[d] = FORMULA(j, s, c->count_pad ? "m_min(a + b, c) - a" : "m_min(a + b, c) - m_max(a, 0)", begin, term_integer(c->kernel[d]),
                       term_integer(c->in[d] + (c->count_pad ? c->pad[d] : 0)));
  }
  return FORMULA(j, s, "a / (C)(b * c)", sums, count[0], count[1]);
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
  const shape in = {3, {c->planes, c->in[0], c->in[1]}}, out = {3, {c->planes, c->out[0], c->out[1]}};
  const bool max = c->op == POOL_max || c->op == POOL_max_back, back = c->op == POOL_max_back || c->op == POOL_average_back;
  const int taps = (int)(c->kernel[0] * c->kernel[1]);
  job j = {q, dtype_compute(c->dtype), OK};
  if (!back && !accepts(q, DT_int32, 1, (void *const[]){c->position})) return QUEUE_AGAIN;
  term from = load(&j, back ? c->y : c->x, c->dtype, back ? &out : &in, NULL), place = from, at = from;
  if (c->op == POOL_max_back) at = load(&j, c->position, DT_int32, &out, NULL);
  if (j.st != OK) return j.st;
  if (c->op == POOL_average_back) from = divided(&j, c, &out, from);
  if (c->op == POOL_max) at = term_as(&q->lines, &out, term_integer(0), DT_int32);
  term result = term_as(&q->lines, back ? &in : &out, term_integer(0), j.C);
  term places = {0};
  if (max) {
    term row = term_of(emit_iota(&q->lines, DT_int32, &in, 1), DT_int32), column = term_of(emit_iota(&q->lines, DT_int32, &in, 2), DT_int32);
    places = FORMULA(&j, &in, "a * b + c + 1", row, term_integer(c->in[1]), column);
  }
  for (int k = 0; k < taps; k++) {
    const int number = back ? taps - 1 - k : k;
    const int64_t tap[2] = {number / c->kernel[1], number % c->kernel[1]};
    term x = back ? from : at_tap(&j, c, tap, false, max ? "m_lowest(C)" : "0", from);
    if (max) place = at_tap(&j, c, tap, false, "0", places);
    if (back) {
      if (max) x = FORMULA(&j, &out, "a == b ? c : 0", at, place, x);
      result = FORMULA(&j, &in, "a + b", result, at_tap(&j, c, tap, true, "0", x));
    } else if (max) {
      term better = FORMULA(&j, &out, "a > b | a != a | c == 0 & d != 0", x, result, at, place);
      result = FORMULA(&j, &out, "a ? b : c", better, x, result);
      at = FORMULA(&j, &out, "a ? b : c", better, place, at);
    } else {
      result = FORMULA(&j, &out, "a + b", result, x);
    }
  }
  if (c->op == POOL_average) result = divided(&j, c, &out, result);
  store(&j, back ? c->x : c->y, c->dtype, back ? &in : &out, result);
  if (c->op == POOL_max) store(&j, c->position, DT_int32, &out, at);
  return j.st;
}
