/* Runs steps of a list as the ops would run at once. */

#include "op/deferral/list.h"

#include <string.h>

/* Sets t to the elements of a view. Until restore_epochs, they are no elements of the list, so that the op may use them. */
static void open_view(const deferral *d, const operand_view *v, const shape *s, tensor *t) {
  const entry *e = &d->entries[v->entry];
  *t = (tensor){.store = e->store, .dtype = v->dtype, .shape = *s, .offset = v->offset, .count = 1};
  for (int k = 0; k < s->ndim; k++) t->count *= s->dim[k];
  memcpy(t->stride, v->stride, sizeof t->stride);
  e->store->epoch = e->epoch;
}

static void close_views(const deferral *d, const step *s) {
  const operand_view *out;
  for (int k = 0; (out = result_of(s, k)); k++)
    if (out->entry != NONE) d->entries[out->entry].store->epoch = EPOCH_PENDING;
  for (int k = 0; k < s->nin; k++)
    if (s->in[k].entry != NONE) d->entries[s->in[k].entry].store->epoch = EPOCH_PENDING;
}

int run_opaque(deferral *d, const step *s) {
  tensor operands[MAX_OPERANDS], *results[MAX_OPERANDS];
  const tensor *inputs[MAX_OPERANDS];
  int n = s->nin + s->nmore;
  open_view(d, &s->out, &s->shape, &operands[n]);
  results[0] = &operands[n];
  for (int k = 0; k < n; k++) {
    tensor *t = s->in[k].entry == NONE ? NULL : &operands[k];
    if (t) open_view(d, &s->in[k], &s->shapes[k], t);
    if (k < s->nin) inputs[k] = t;
    else results[1 + k - s->nin] = t;
  }
  int st = s->op.opaque.op->run(s->op.opaque.options, inputs, results);
  close_views(d, s);
  return st;
}
