#include "op/nn/conv.h"

#include <string.h>

#include "base/dispatch.h"
#include "op/deferral.h"
#include "op/matmul.h"

void op_spatial(const tensor *t, int64_t length[2]) {
  bool flat = t->shape.ndim == 3;
  length[0] = flat ? 1 : t->shape.dim[2];
  length[1] = t->shape.dim[flat ? 2 : 3];
}

/* Returns the number of positions of a kernel along a dim. Returns 0 if the padded input is shorter than the kernel, or
** if a length overflows. */
static int64_t places(int64_t in, int64_t before, int64_t after, int64_t kernel, int64_t dilation, int64_t stride) {
  int64_t padded, reach;
  if (__builtin_add_overflow(in, before + after, &padded) || __builtin_mul_overflow(dilation, kernel - 1, &reach)) return 0;
  return padded <= reach ? 0 : (padded - reach - 1) / stride + 1;
}

static bool is_sound(const conv_geometry *g) {
  enum { MOST = 1 << 30 };     /* the product of two numbers below this bound does not overflow int64 */
  bool sound = g->groups >= 1 && g->groups < MOST;
  for (int d = 0; d < 2; d++)
    sound = sound && g->stride[d] >= 1 && g->dilation[d] >= 1 && g->before[d] >= 0 && g->after[d] >= 0 &&
            g->stride[d] < MOST && g->dilation[d] < MOST && g->before[d] < MOST && g->after[d] < MOST;
  return sound;
}

static void set_shape(conv_job *j, int ndim, int64_t first, int64_t second, const int64_t length[2]) {
  j->shape = (shape){.ndim = ndim, .dim = {first, second}};
  if (ndim == 4) j->shape.dim[2] = length[0];
  j->shape.dim[ndim - 1] = length[1];
}

/* Sets the sizes of the call, and the shape of the result, from the tensors that the caller set. */
static int set_sizes(conv_job *j, int ndim) {
  conv_call *c = &j->call;
  const conv_geometry *g = &j->geometry;
  if (j->x) {
    c->n = j->x->shape.dim[0];
    c->c_in = j->x->shape.dim[1];
    op_spatial(j->x, c->in);
  } else {
    if (__builtin_mul_overflow(j->w->shape.dim[1], g->groups, &c->c_in)) return ERR_OVERFLOW;
    memcpy(c->in, j->length, sizeof c->in);
  }
  if (j->y) c->n = j->y->shape.dim[0];
  c->c_out = j->y ? j->y->shape.dim[1] : j->w->shape.dim[0];
  if (j->w) op_spatial(j->w, c->kernel);
  else memcpy(c->kernel, j->length, sizeof c->kernel);
  for (int d = 0; d < 2; d++) {
    if (c->kernel[d] < 1 || c->in[d] < 0) return ERR_INNER;
    c->out[d] = places(c->in[d], g->before[d], g->after[d], c->kernel[d], g->dilation[d], g->stride[d]);
  }
  if (j->op == CONV_forward) set_shape(j, ndim, c->n, c->c_out, c->out);
  if (j->op == CONV_input) set_shape(j, ndim, c->n, c->c_in, c->in);
  if (j->op == CONV_weight) set_shape(j, ndim, c->c_out, c->c_in / g->groups, c->kernel);
  return OK;
}

/* True if a padded image has less than 2^62 bytes, so that no size overflows. The bytes of an element (8) are
** multiplied by 4, because y's image may need more zeros than the padding. */
static bool is_countable(const conv_job *j) {
  const conv_call *c = &j->call;
  double bytes = 8 * 4 * (1 + (double)(c->c_in > c->c_out ? c->c_in : c->c_out));
  for (int d = 0; d < 2; d++) bytes *= 1 + (double)c->in[d] + (double)(j->geometry.before[d] + j->geometry.after[d]);
  return bytes < 0x1p62;
}

/* True if the shapes of the given tensors are consistent with each other and with the geometry. */
static bool fits(const conv_job *j) {
  const conv_call *c = &j->call;
  int64_t groups = j->geometry.groups, out[2] = {c->out[0], c->out[1]};
  if (c->c_in % groups != 0 || c->c_out % groups != 0 || c->c_out < 1) return false;
  if (j->w && (j->w->shape.dim[1] != c->c_in / groups || j->w->shape.dim[0] != c->c_out)) return false;
  if (j->x && j->y && j->x->shape.dim[0] != j->y->shape.dim[0]) return false;
  if (j->bias && (j->bias->shape.ndim != 1 || j->bias->shape.dim[0] != c->c_out)) return false;
  if (j->y) op_spatial(j->y, out);
  return out[0] == c->out[0] && out[1] == c->out[1];
}

int conv_prepare(conv_job *j) {
  const tensor *all[] = {j->x, j->w, j->y, j->bias}, *first = j->x ? j->x : j->y;
  int ndim = first->shape.ndim;
  if (ndim != 3 && ndim != 4) return ERR_RANK;
  if (dtype_kind(first->dtype) != KIND_FLOAT) return ERR_DTYPE;
  for (int i = 0; i < 4; i++) {
    if (!all[i]) continue;
    if (i < 3 && all[i]->shape.ndim != ndim) return ERR_RANK;
    if (all[i]->dtype != first->dtype) return ERR_DTYPE;
    if (!place_equal(all[i]->store->place, first->store->place)) return ERR_DEVICES;
  }
  if (!is_sound(&j->geometry)) return ERR_INNER;
  int st = set_sizes(j, ndim);
  if (st == OK && !fits(j)) st = ERR_INNER;
  if (st == OK && !is_countable(j)) st = ERR_OVERFLOW;
  if (st != OK) return st;
  conv_call *c = &j->call;
  c->op = j->op;
  c->dtype = first->dtype;
  c->groups = j->geometry.groups;
  c->precision = matmul_precision();
  for (int d = 0; d < 2; d++) {      /* a stride that exceeds the padded length leaves one position, so a smaller
                                     ** stride gives the same result */
    int64_t padded = c->in[d] + j->geometry.before[d] + j->geometry.after[d], most = padded > 1 ? padded : 1;
    c->stride[d] = j->geometry.stride[d] < most ? j->geometry.stride[d] : most;
  }
  memcpy(c->dilation, j->geometry.dilation, sizeof c->dilation);
  memcpy(c->pad, j->geometry.before, sizeof c->pad);
  return OK;
}

/* True if the result has no elements or each of its sums is empty. */
static bool is_empty(const conv_call *c) {
  return c->n == 0 || c->c_in == 0 || c->out[0] == 0 || c->out[1] == 0 || c->in[0] == 0 || c->in[1] == 0;
}

/* Fills a result whose sums are all empty with the bias, or with zeros if there is no bias. */
static int fill_empty(const conv_job *j, tensor *out) {
  if (!j->bias) return op_fill(out, (scalar){.f = 0});
  tensor wide = {.store = NULL};
  tensor_view(&wide, j->bias);
  wide.shape = out->shape;
  wide.count = out->count;
  for (int d = 0; d < MAX_DIMS; d++) wide.stride[d] = d == 1 ? j->bias->stride[0] : 0;
  int st = op_copy(out, &wide);
  tensor_drop(&wide);
  return st;
}

static int run_contiguous(const conv_job *j, tensor *out) {
  conv_call c = j->call;
  c.x = tensor_data(j->x ? j->x : out);
  c.w = tensor_data(j->w ? j->w : out);
  c.y = tensor_data(j->y ? j->y : out);
  if (j->bias) c.bias = tensor_data(j->bias);
  return device_conv(out->store->place, &c);
}

/* Like conv_run, but `out` must be contiguous and have the result's dtype. */
static int run_plain(const conv_job *job, tensor *out) {
  conv_job j = *job;
  const tensor **operand[] = {&j.x, &j.w, &j.y, &j.bias};
  tensor fresh[4] = {{.store = NULL}, {.store = NULL}, {.store = NULL}, {.store = NULL}};
  int st = OK;
  for (int i = 0; i < 4; i++)
    if (st == OK && *operand[i]) st = op_plain(*operand[i], (*operand[i])->dtype, &fresh[i], operand[i]);
  if (st == OK) st = run_contiguous(&j, out);
  for (int i = 0; i < 4; i++) tensor_drop(&fresh[i]);
  return st;
}

static int check_result(const conv_job *j, const tensor *out) {
  return check_apart(out, &j->shape, j->call.dtype, (const tensor *[]){j->x, j->w, j->y, j->bias}, 4);
}

int conv_run(const conv_job *j, tensor *out) {
  int st = check_result(j, out);
  if (st != OK || out->count == 0) return st;
  if (is_empty(&j->call)) return fill_empty(j, out);
  tensor fresh, *to;
  st = op_target(out, j->call.dtype, &fresh, &to);
  if (st == OK) st = run_plain(j, to);
  return op_settle(st, out, &fresh);
}

/* ---- deferred convolutions ---- */

/* The options of a deferred convolution. Its inputs are x, w, y and the bias; its result is one of x, w and y. */
typedef struct conv_options {
  uint64_t op, precision;
  conv_geometry geometry;
  int64_t length[2];
} conv_options;

_Static_assert(sizeof(conv_options) <= OPAQUE_OPTIONS, "a list has no room for the options");

static int run_deferred_conv(const void *options, const tensor *const *in, tensor *const *out) {
  const conv_options *o = options;
  conv_job j = {.op = (enum conv_op)o->op, .geometry = o->geometry, .x = in[0], .w = in[1], .y = in[2], .bias = in[3],
                .length = {o->length[0], o->length[1]}};
  int st = conv_prepare(&j);
  j.call.precision = (enum precision)o->precision;
  return st == OK ? conv_run(&j, out[0]) : st;
}

static const opaque_op deferred_conv = {.run = run_deferred_conv, .options = sizeof(conv_options), .key = sizeof(conv_options)};

int conv_run_later(const char *fn, const conv_job *j, tensor *out) {
  if (!open_deferral) return conv_run(j, out);
  conv_options o = {(uint64_t)j->op, (uint64_t)j->call.precision, j->geometry, {j->length[0], j->length[1]}};
  int st = check_result(j, out);
  if (st != OK) return st;
  return opaque_run_later(&(opaque_call){.op = &deferred_conv, .name = fn, .options = &o, .in = {j->x, j->w, j->y, j->bias},
                                         .nin = 4, .out = {out}, .nout = 1});
}
