#include "op/nn/pool.h"

#include "base/dispatch.h"
#include "op/deferral.h"
#include "op/nn/conv.h"

static bool is_back(const pool_job *j) { return j->call.op == POOL_max_back || j->call.op == POOL_average_back; }

static bool is_sound(const pool_call *c) {
  enum { MOST = 1 << 30 };
  bool sound = c->divisor >= 0;
  for (int d = 0; d < 2 && !c->adaptive; d++)
    sound = sound && c->kernel[d] >= 1 && c->stride[d] >= 1 && c->dilation[d] >= 1 && c->pad[d] >= 0 && c->kernel[d] < MOST &&
            c->stride[d] < MOST && c->dilation[d] < MOST && c->pad[d] < MOST;
  return sound;
}

/* Returns the number of windows along dim d. */
static int64_t window_count(const pool_job *j, int d) {
  const pool_call *c = &j->call;
  int64_t last = c->in[d] + 2 * c->pad[d] - c->dilation[d] * (c->kernel[d] - 1) - 1;
  if (j->ceil) last += c->stride[d] - 1;
  if (last < 0) return 0;
  int64_t n = last / c->stride[d] + 1;
  return j->ceil && (n - 1) * c->stride[d] >= c->in[d] + c->pad[d] ? n - 1 : n;
}

/* True if each window along dim d contains an element of x. Only windows at the two ends can lie entirely in the
** padding. */
static bool has_elements(const pool_call *c, int d) {
  for (int64_t p = 0; p < c->out[d] && p * c->stride[d] < c->pad[d]; p++) {
    int64_t from = p * c->stride[d] - c->pad[d], steps = (-from + c->dilation[d] - 1) / c->dilation[d];
    if (steps >= c->kernel[d] || from + steps * c->dilation[d] >= c->in[d]) return false;
  }
  return (c->out[d] - 1) * c->stride[d] - c->pad[d] < c->in[d];
}

static int set_lengths(pool_job *j) {
  pool_call *c = &j->call;
  if (!is_back(j)) op_spatial(j->in, c->in);
  for (int d = 0; d < 2; d++) {
    if (!c->adaptive) c->out[d] = window_count(j, d);
    if (c->in[d] < 1 || c->out[d] < 1) return ERR_INNER;
    if (!c->adaptive && !has_elements(c, d)) return ERR_EMPTY;
  }
  if (c->in[0] > INT32_MAX / c->in[1]) return ERR_OVERFLOW;
  int64_t given[2];
  op_spatial(j->in, given);
  if (is_back(j) && (given[0] != c->out[0] || given[1] != c->out[1])) return ERR_INNER;
  return OK;
}

int pool_prepare(pool_job *j) {
  const tensor *in = j->in;
  pool_call *c = &j->call;
  if (in->shape.ndim != 3 && in->shape.ndim != 4) return ERR_RANK;
  if (dtype_kind(in->dtype) != KIND_FLOAT) return ERR_DTYPE;
  if (!is_sound(c)) return ERR_INNER;
  int st = set_lengths(j);
  if (st != OK) return st;
  if (j->position) {
    if (!place_equal(j->position->store->place, in->store->place)) return ERR_DEVICES;
    if (j->position->dtype != DT_int32 || !shape_equal(&j->position->shape, &in->shape)) return ERR_INNER;
  }
  c->dtype = in->dtype;
  c->planes = in->shape.dim[0] * in->shape.dim[1];
  const int64_t *length = is_back(j) ? c->in : c->out;
  j->shape = in->shape;
  if (in->shape.ndim == 4) j->shape.dim[2] = length[0];
  j->shape.dim[in->shape.ndim - 1] = length[1];
  return OK;
}

int pool_run(const pool_job *j, tensor *out, tensor *position) {
  if (out->count == 0) return OK;
  tensor fresh[2] = {{.store = NULL}, {.store = NULL}};
  const tensor *in, *given = position;
  int st = op_plain(j->in, j->in->dtype, &fresh[0], &in);
  if (st == OK && j->position) st = op_plain(j->position, DT_int32, &fresh[1], &given);
  if (st == OK) {
    pool_call c = j->call;
    c.x = tensor_data(is_back(j) ? out : in);
    c.y = tensor_data(is_back(j) ? in : out);
    if (given) c.position = tensor_data(given);
    st = device_pool(out->store->place, &c);
  }
  for (int i = 0; i < 2; i++) tensor_drop(&fresh[i]);
  return st;
}

/* ---- deferred pooling ---- */

/* The options of a deferred pooling. Its inputs are `in` and the positions of the maxima; it writes the result and, for
** POOL_max, these positions. */
typedef struct pool_options {
  uint64_t op, adaptive, ceil, count_pad;
  int64_t  in[2], out[2], kernel[2], stride[2], pad[2], dilation[2], divisor;
} pool_options;

_Static_assert(sizeof(pool_options) <= OPAQUE_OPTIONS, "a list has no room for the options");

static void copy_pair(int64_t to[2], const int64_t from[2]) {
  for (int d = 0; d < 2; d++) to[d] = from[d];
}

/* Returns the windows of a call as options. */
static pool_options options_of(const pool_job *j) {
  const pool_call *c = &j->call;
  pool_options o = {.op = (uint64_t)c->op, .adaptive = c->adaptive, .ceil = j->ceil, .count_pad = c->count_pad, .divisor = c->divisor};
  copy_pair(o.in, c->in);
  copy_pair(o.out, c->out);
  copy_pair(o.kernel, c->kernel);
  copy_pair(o.stride, c->stride);
  copy_pair(o.pad, c->pad);
  copy_pair(o.dilation, c->dilation);
  return o;
}

static int run_deferred_pool(const void *options, const tensor *const *in, tensor *const *out) {
  const pool_options *o = options;
  pool_job j = {.in = in[0], .position = in[1], .ceil = o->ceil != 0,
                .call = {.op = (enum pool_op)o->op, .adaptive = o->adaptive != 0, .count_pad = o->count_pad != 0, .divisor = o->divisor}};
  copy_pair(j.call.in, o->in);
  copy_pair(j.call.out, o->out);
  copy_pair(j.call.kernel, o->kernel);
  copy_pair(j.call.stride, o->stride);
  copy_pair(j.call.pad, o->pad);
  copy_pair(j.call.dilation, o->dilation);
  int st = pool_prepare(&j);
  return st == OK ? pool_run(&j, out[0], out[1]) : st;
}

static const opaque_op deferred_pool = {.run = run_deferred_pool, .options = sizeof(pool_options), .key = sizeof(pool_options)};

int pool_run_later(const char *fn, const pool_job *j, tensor *out, tensor *position) {
  if (!open_deferral) return pool_run(j, out, position);
  pool_options o = options_of(j);
  return opaque_run_later(&(opaque_call){.op = &deferred_pool, .name = fn, .options = &o, .in = {j->in, j->position}, .nin = 2,
                                         .out = {out, position}, .nout = 2});
}
