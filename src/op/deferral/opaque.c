/* Runs steps of a list as the ops would run at once. */

#include "op/deferral/list.h"

/* Sets t to the elements of a view. Until restore_epochs, they are no elements of the list, so that the op may use them. */
static void open_view(const deferral *d, const operand_view *v, const shape *s, tensor *t) {
  const entry *e = &d->entries[v->entry];
  t->store = e->store;
  t->dtype = v->dtype;
  t->offset = v->offset;
  t->weak = t->apart = false;
  t->count = 1;
  t->shape.ndim = s->ndim;
  for (int k = 0; k < s->ndim; k++) {
    t->count *= t->shape.dim[k] = s->dim[k];
    t->stride[k] = v->stride[k];
  }
  e->store->epoch = e->epoch;
}

static void close_views(const deferral *d, const step *s) {
  const operand_view *out;
  for (int k = 0; (out = result_of(s, k)); k++)
    if (out->entry != NONE) d->entries[out->entry].store->epoch = EPOCH_PENDING;
  for (int k = 0; k < s->nin; k++)
    if (s->in[k].entry != NONE) d->entries[s->in[k].entry].store->epoch = EPOCH_PENDING;
}

/* Sets the operands of a step in *a. `operands` has room for the tensors. Returns the room behind them. */
static tensor *open_step(const deferral *d, const step *s, opaque_args *a, tensor *operands) {
  int n = s->nin + s->nmore;
  open_view(d, &s->out, &s->shape, &operands[n]);
  a->options = s->op.opaque.options;
  a->out[0] = &operands[n];
  a->done = false;
  for (int k = 0; k < n; k++) {
    tensor *t = s->in[k].entry == NONE ? NULL : &operands[k];
    if (t) open_view(d, &s->in[k], &s->shapes[k], t);
    if (k < s->nin) a->in[k] = t;
    else a->out[1 + k - s->nin] = t;
  }
  return &operands[n + 1];
}

/* True if all operands of the step have memory. */
static bool has_operands(const deferral *d, const step *s) {
  bool has = d->entries[s->out.entry].store->ptr != NULL;
  for (int k = 0; k < s->nin + s->nmore; k++) has &= s->in[k].entry == NONE || d->entries[s->in[k].entry].store->ptr;
  return has;
}

/* Returns the end of the steps from number i on that run_all makes together. They follow each other, so no other step computes
** their operands meanwhile. */
static int end_of_calls(const deferral *d, int i) {
  const opaque_op *op = d->steps[i].op.opaque.op;
  for (int end = i + 1; end < d->nstep; end++) {
    const step *s = &d->steps[end];
    if (s->kind != STEP_OPAQUE || s->op.opaque.op != op || s->op.opaque.ran || !has_operands(d, s)) return end;
  }
  return d->nstep;
}

static int run_calls(deferral *d, int i) {
  int end = end_of_calls(d, i), n = end - i;
  tensor *room = d->operands;
  for (int k = 0; k < n; k++) room = open_step(d, &d->steps[i + k], &d->calls[k], room);
  int st = d->steps[i].op.opaque.op->run_all(d->calls, n);
  for (int k = 0; k < n; k++) {
    close_views(d, &d->steps[i + k]);
    d->steps[i + k].op.opaque.ran = d->calls[k].done;
  }
  return st;
}

int run_opaque(deferral *d, int i) {
  const step *s = &d->steps[i];
  const opaque_op *op = s->op.opaque.op;
  opaque_args *a = d->calls;
  if (op->run_all) return s->op.opaque.ran ? OK : run_calls(d, i);
  open_step(d, s, a, d->operands);
  int st = op->run(a->options, (const tensor *const *)a->in, a->out);
  close_views(d, s);
  return st;
}
