#include "op/nn/cross_entropy.h"

#include "base/dispatch.h"
#include "op/deferral.h"

int cross_entropy_prepare(cross_entropy_job *j) {
  const tensor *x = j->x, *classes = j->classes;
  if (x->shape.ndim != 2 || dtype_kind(x->dtype) != KIND_FLOAT) return ERR_RANK;
  int64_t rows = x->shape.dim[0];
  if (classes->shape.ndim != 1 || classes->count != rows || dtype_kind(classes->dtype) == KIND_FLOAT) return ERR_INNER;
  if (!place_equal(x->store->place, classes->store->place)) return ERR_DEVICES;
  j->compute = dtype_compute(x->dtype);
  j->losses = j->reduction == CROSS_ENTROPY_none ? (shape){1, {rows}} : (shape){0, {0}};
  j->sums = (shape){1, {2 * rows + 1}};
  return OK;
}

/* Completes the call c and runs it. x is copied first if it is not contiguous. The classes are copied if they are not
** contiguous or not int64. */
static int run(const cross_entropy_job *j, cross_entropy_call *c) {
  tensor fresh[2] = {{.store = NULL}, {.store = NULL}};
  const tensor *x, *classes;
  int st = op_plain(j->x, j->x->dtype, &fresh[0], &x);
  if (st == OK) st = op_plain(j->classes, DT_int64, &fresh[1], &classes);
  if (st == OK) {
    c->reduction = j->reduction;
    c->compute = j->compute;
    c->rows = x->shape.dim[0];
    c->n = x->shape.dim[1];
    c->in = (operand){.data = tensor_data(x), .dtype = x->dtype};
    c->classes = tensor_data(classes);
    c->ignores = j->ignores;
    c->ignored = j->ignored;
    st = device_cross_entropy(x->store->place, c);
  }
  for (int i = 0; i < 2; i++) tensor_drop(&fresh[i]);
  return st;
}

static int cross_entropy_run(const cross_entropy_job *j, tensor *losses, tensor *sums, int64_t *bad) {
  cross_entropy_call c = {.losses = tensor_data(losses), .sums = tensor_data(sums), .bad = bad};
  return run(j, &c);
}

static int cross_entropy_back(const cross_entropy_job *j, const tensor *g, const tensor *sums, tensor *out) {
  int64_t bad;
  tensor fresh[2] = {{.store = NULL}, {.store = NULL}};
  int st = op_plain(g, j->compute, &fresh[0], &g);
  if (st == OK) st = op_plain(sums, j->compute, &fresh[1], &sums);
  if (st == OK) {
    cross_entropy_call c = {.backward = true, .losses = tensor_data(g), .sums = tensor_data(sums), .bad = &bad,
                            .out = {.data = tensor_data(out), .dtype = out->dtype}};
    st = run(j, &c);
  }
  for (int i = 0; i < 2; i++) tensor_drop(&fresh[i]);
  return st;
}

/* ---- deferring ---- */

typedef struct entropy_options {
  uint64_t reduction, ignores;
  int64_t  ignored;
} entropy_options;

static entropy_options options_of(const cross_entropy_job *j) {
  return (entropy_options){(uint64_t)j->reduction, j->ignores, j->ignored};
}

static int prepare(const entropy_options *o, const tensor *x, const tensor *classes, cross_entropy_job *j) {
  *j = (cross_entropy_job){.x = x, .classes = classes, .reduction = (enum cross_entropy_reduction)o->reduction,
                           .ignores = o->ignores != 0, .ignored = o->ignored};
  return cross_entropy_prepare(j);
}

static int run_deferred(const void *options, const tensor *const *in, tensor *const *out) {
  cross_entropy_job j;
  int64_t bad;
  int st = prepare(options, in[0], in[1], &j);
  if (st == OK) st = cross_entropy_run(&j, out[0], out[1], &bad);
  if (st == ERR_INDEX) index_words(deferral_words(), OPAQUE_WORDS, "cross_entropy", bad, NO_DIM, j.x->shape.dim[1]);
  return st;
}

/* The inputs are x, the classes, the gradient of the losses, and the sums. */
static int run_deferred_back(const void *options, const tensor *const *in, tensor *const *out) {
  cross_entropy_job j;
  int st = prepare(options, in[0], in[1], &j);
  return st == OK ? cross_entropy_back(&j, in[2], in[3], out[0]) : st;
}

static const opaque_op
  deferred_entropy = {.run = run_deferred, .options = sizeof(entropy_options), .key = sizeof(entropy_options), .checks = true},
  deferred_back = {.run = run_deferred_back, .options = sizeof(entropy_options), .key = sizeof(entropy_options)};

int cross_entropy_run_later(const cross_entropy_job *j, tensor *losses, tensor *sums, int64_t *bad) {
  entropy_options o = options_of(j);
  int st;
  if (open_deferral && opaque_defer(&(opaque_call){.op = &deferred_entropy, .name = "cross_entropy", .options = &o, .nin = 2,
                                                   .in = {j->x, j->classes}, .out = {losses, sums}, .nout = 2}, &st))
    return st;
  return cross_entropy_run(j, losses, sums, bad);
}

int cross_entropy_back_later(const cross_entropy_job *j, const tensor *g, const tensor *sums, tensor *out) {
  int64_t rows = j->x->shape.dim[0];
  entropy_options o = options_of(j);
  if (sums->count != 2 * rows + 1 || sums->dtype != j->compute) return ERR_INNER;
  if (g->count != (j->reduction == CROSS_ENTROPY_none ? rows : 1)) return ERR_INNER;
  if (!open_deferral) return cross_entropy_back(j, g, sums, out);
  return opaque_run_later(&(opaque_call){.op = &deferred_back, .name = "cross_entropy", .options = &o, .nin = 4,
                                         .in = {j->x, j->classes, g, sums}, .out = {out}, .nout = 1});
}
