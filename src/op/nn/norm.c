#include "op/nn/norm.h"

#include "base/dispatch.h"
#include "op/deferral.h"

/* ---- preparing ---- */

static void set_lengths(norm_job *j) {
  const shape *s = &j->x->shape;
  if (j->kind == NORM_rows && j->gradient) {
    int64_t rows = j->kept->count / (j->rms ? 1 : 2), each = rows ? j->x->count / rows : j->segments;
    j->run = j->segments ? each / j->segments : 0;
  }
  if (j->kind == NORM_rows) return;
  bool channels = j->kind == NORM_channels;
  j->groups = j->run = 1;
  j->segments = channels ? s->ndim > 1 ? s->dim[1] : 0 : s->dim[s->ndim - 1];
  for (int d = 2; channels && d < s->ndim; d++) j->run *= s->dim[d];
}

static bool has_count(const tensor *t, int64_t n) { return !t || t->count == n; }

static bool fits(norm_job *j) {
  int64_t length = j->segments * j->run, each = j->groups * j->segments;
  if (j->segments < 0 || j->run < 0 || j->groups < 1 || (length ? j->x->count % length : j->x->count)) return false;
  j->rows = length ? j->x->count / length : 0;
  int64_t stats = (j->kind == NORM_channels ? j->segments : j->rows) * (j->rms ? 1 : 2);
  j->stats = (shape){1, {stats}};
  j->parameters = (shape){1, {each}};
  const tensor *g = j->gradient;
  return j->rows % j->groups == 0 && has_count(j->weight, each) && has_count(j->bias, each) && has_count(j->kept, stats) &&
         has_count(j->running_mean, j->segments) && has_count(j->running_var, j->segments) &&
         (!j->given || g || (j->running_mean && j->running_var)) &&
         (!g || (shape_equal(&g->shape, &j->x->shape) && g->dtype == j->x->dtype));
}

enum { INPUTS = 7, IN_X = 0, IN_GRADIENT, IN_WEIGHT, IN_BIAS, IN_KEPT, IN_MEAN, IN_VAR };

static void list_inputs(const norm_job *j, const tensor *in[INPUTS]) {
  in[IN_X] = j->x;
  in[IN_GRADIENT] = j->gradient;
  in[IN_WEIGHT] = j->weight;
  in[IN_BIAS] = j->bias;
  in[IN_KEPT] = j->kept;
  in[IN_MEAN] = j->running_mean;
  in[IN_VAR] = j->running_var;
}

int norm_prepare(norm_job *j) {
  const tensor *in[INPUTS];
  list_inputs(j, in);
  for (int i = 0; i < INPUTS; i++)
    if (in[i] && !place_equal(in[i]->store->place, j->x->store->place)) return ERR_DEVICES;
  if (j->x->shape.ndim == 0 && j->kind >= NORM_softmax) return ERR_INNER;
  j->compute = dtype_compute(j->x->dtype);
  set_lengths(j);
  return fits(j) ? OK : ERR_INNER;
}

/* ---- running ---- */

/* Ends the update of the running statistics `running`. If the device wrote to a converted copy, `written` is this copy,
** which is copied to `running`; otherwise `written` has no storage. */
static int write_back(tensor *running, const tensor *written) { return written->store ? op_copy(running, written) : OK; }

/* True if the job updates the running statistics. */
static bool updates(const norm_job *j) { return j->kind == NORM_channels && !j->given && !j->gradient; }

static void set_inputs(norm_call *c, const norm_job *j, const tensor *const *in) {
  void *at[INPUTS];
  for (int i = 0; i < INPUTS; i++) at[i] = in[i] ? tensor_data(in[i]) : NULL;
  c->in = (operand){.data = at[IN_X], .dtype = j->x->dtype};
  c->gradient = (operand){.data = at[IN_GRADIENT], .dtype = j->x->dtype};
  c->weight = at[IN_WEIGHT];
  c->bias = at[IN_BIAS];
  if (j->kept) c->stats = at[IN_KEPT];
  c->running_mean = at[IN_MEAN];
  c->running_var = at[IN_VAR];
}

/* Completes the call c, in which the caller has set the results, and runs it. Inputs that are not contiguous are copied
** first. The same applies to weight, bias and statistics that do not have the dtype j->compute. */
static int run(const norm_job *j, norm_call *c) {
  const tensor *in[INPUTS];
  tensor fresh[INPUTS];
  double count = (double)j->rows * (double)j->run;
  int st = OK;
  list_inputs(j, in);
  for (int i = 0; i < INPUTS; i++) fresh[i].store = NULL;
  for (int i = 0; st == OK && i < INPUTS; i++)
    if (in[i]) st = op_plain(in[i], i < IN_WEIGHT ? j->x->dtype : j->compute, &fresh[i], &in[i]);
  if (st == OK) {
    c->kind = j->kind;
    c->rms = j->rms;
    c->given = j->given;
    c->compute = j->compute;
    c->rows = j->rows;
    c->segments = j->segments;
    c->run = j->run;
    c->groups = j->groups;
    c->eps = j->eps;
    c->momentum = j->momentum;
    c->correction = count / (count - 1);
    set_inputs(c, j, in);
    st = device_norm(j->x->store->place, c);
  }
  if (st == OK && updates(j) && j->running_mean) st = write_back(j->running_mean, &fresh[IN_MEAN]);
  if (st == OK && updates(j) && j->running_var) st = write_back(j->running_var, &fresh[IN_VAR]);
  for (int i = 0; i < INPUTS; i++) tensor_drop(&fresh[i]);
  return st;
}

static int norm_run(const norm_job *j, tensor *out, tensor *stats) {
  if (j->x->count == 0) return OK;
  norm_call c = {.out = {.data = tensor_data(out), .dtype = out->dtype}, .stats = tensor_data(stats)};
  return run(j, &c);
}

static void *data_of(const tensor *t) { return t ? tensor_data(t) : NULL; }

static int norm_back(const norm_job *j, tensor *dx, tensor *dweight, tensor *dbias) {
  if (j->x->count > 0) {
    norm_call c = {.backward = true, .out = {.data = data_of(dx), .dtype = j->x->dtype}, .dweight = data_of(dweight),
                   .dbias = data_of(dbias)};
    return run(j, &c);
  }
  int st = dweight ? op_fill(dweight, (scalar){.is_float = true}) : OK;
  return st == OK && dbias ? op_fill(dbias, (scalar){.is_float = true}) : st;
}

/* ---- deferring ---- */

/* The options of a deferred job. */
typedef struct norm_options {
  uint64_t kind, rms, given, wants;      /* wants: the gradients that a backward call computes: 1 of x, 2 of weight, 4 of
                                         ** bias */
  int64_t  segments, groups, run;
  scalar   eps, momentum;
} norm_options;

_Static_assert(sizeof(norm_options) <= OPAQUE_OPTIONS, "a list has no room for the options");

static norm_options options_of(const norm_job *j, uint64_t wants) {
  return (norm_options){(uint64_t)j->kind, j->rms, j->given, wants, j->segments, j->groups, j->run,
                        {.f = j->eps, .is_float = true}, {.f = j->momentum, .is_float = true}};
}

static norm_job job_of(const norm_options *o) {
  return (norm_job){.kind = (enum norm_kind)o->kind, .rms = o->rms != 0, .given = o->given != 0, .segments = o->segments,
                    .groups = o->groups, .run = o->run, .eps = o->eps.f, .momentum = o->momentum.f};
}

/* A forward job reads x, weight, bias and the running statistics. It writes the result, its statistics and, if it updates
** them, the running statistics. */
static int run_deferred(const void *options, const tensor *const *in, tensor *const *out) {
  norm_job j = job_of(options);
  tensor running[2];
  j.x = in[0];
  j.weight = in[1];
  j.bias = in[2];
  for (int k = 0; k < 2; k++)
    if (in[3 + k]) running[k] = *in[3 + k];
  j.running_mean = in[3] ? &running[0] : NULL;
  j.running_var = in[4] ? &running[1] : NULL;
  int st = norm_prepare(&j);
  return st == OK ? norm_run(&j, out[0], out[1]) : st;
}

/* A backward job reads the gradient, x, weight and the statistics. It writes the wanted gradients. */
static int run_deferred_back(const void *options, const tensor *const *in, tensor *const *out) {
  const norm_options *o = options;
  norm_job j = job_of(o);
  tensor *wanted[3] = {NULL};
  for (int k = 0, n = 0; k < 3; k++)
    if (o->wants >> k & 1) wanted[k] = out[n++];
  j.gradient = in[0];
  j.x = in[1];
  j.weight = in[2];
  j.kept = in[3];
  int st = norm_prepare(&j);
  return st == OK ? norm_back(&j, wanted[0], wanted[1], wanted[2]) : st;
}

static const opaque_op
  deferred_norm = {.run = run_deferred, .options = sizeof(norm_options), .key = offsetof(norm_options, eps),
                   .numbers = 2 * sizeof(scalar)},
  deferred_back = {.run = run_deferred_back, .options = sizeof(norm_options), .key = offsetof(norm_options, eps),
                   .numbers = 2 * sizeof(scalar)};

int norm_run_later(const char *fn, const norm_job *j, tensor *out, tensor *stats) {
  tensor *mean = updates(j) ? j->running_mean : NULL, *var = updates(j) ? j->running_var : NULL;
  int st;
  if (open_deferral) {
    norm_options o = options_of(j, 0);
    st = opaque_run_later(&(opaque_call){.op = &deferred_norm, .name = fn, .options = &o, .nin = 5, .out = {out, stats, mean, var},
                                         .nout = 4, .in = {j->x, j->weight, j->bias, j->running_mean, j->running_var}});
  } else {
    st = norm_run(j, out, stats);
  }
  if (st == OK && mean) storage_written(mean->store);
  if (st == OK && var) storage_written(var->store);
  return st;
}

int norm_back_later(const char *fn, const norm_job *j, tensor *dx, tensor *dweight, tensor *dbias) {
  tensor *all[] = {dx, dweight, dbias};
  opaque_call c = {.op = &deferred_back, .name = fn, .nin = 4, .in = {j->gradient, j->x, j->weight, j->kept}};
  uint64_t wants = 0;
  if (!open_deferral) return norm_back(j, dx, dweight, dbias);
  for (int k = 0; k < 3; k++) {
    if (!all[k]) continue;
    wants |= UINT64_C(1) << k;
    c.out[c.nout++] = all[k];
  }
  norm_options o = options_of(j, wants);
  c.options = &o;
  return c.nout > 0 ? opaque_run_later(&c) : OK;
}
