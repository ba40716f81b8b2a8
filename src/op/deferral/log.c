/* Logs the operations of a call, so that a later call can be compared with it (lt.compile's option `check`). */

#include "op/deferral/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/grow.h"

void deferral_log(deferral *d, bool logs) {
  d->logs = logs;
  d->nlogged = 0;
}

const logged_op *deferral_logged(const deferral *d, size_t *n) {
  *n = d->nlogged;
  return d->logged;
}

/* Appends an operation to the log. If memory is exhausted, the log ends here. */
static void add(deferral *d, void *context, const char *name, uint64_t hash) {
  logged_op *list = list_with_room(d->logged, d->nlogged, &d->log_room, sizeof *list);
  if (!list) {
    d->logs = false;
    return;
  }
  d->logged = list;
  logged_op *to = &list[d->nlogged++];
  to->hash = hash;
  snprintf(to->name, sizeof to->name, "%s", name);
  to->line[0] = '\0';
  if (context) d->locate(context, to->line, sizeof to->line);
}

static uint64_t mix_shape(uint64_t h, const shape *s) {
  h = mix_hash(h, (uint64_t)s->ndim);
  for (int k = 0; k < s->ndim; k++) h = mix_hash(h, (uint64_t)s->dim[k]);
  return h;
}

static uint64_t mix_double(uint64_t h, double x) {
  uint64_t word;
  memcpy(&word, &x, sizeof word);
  return mix_hash(h, word);
}

static uint64_t mix_number(uint64_t h, const scalar *s) {
  h = mix_hash(h, (uint64_t)s->is_float << 1 | s->is_bool);
  if (!s->is_float) return mix_hash(h, (uint64_t)s->i);
  return mix_double(s->is_complex ? mix_double(h, s->im) : h, s->f);
}

/* Continues the hash by an operand, and by the earlier inputs of the step that have the same memory. */
static uint64_t mix_operand(uint64_t h, const step *s, const operand_view *v, const shape *dims) {
  if (v->entry == NONE) return mix_number(h, &v->number);
  h = mix_hash(mix_hash(h, (uint64_t)v->dtype), (uint64_t)v->offset);
  for (int k = 0; k < dims->ndim; k++) h = mix_hash(h, (uint64_t)v->stride[k]);
  for (int k = 0; k < s->nin; k++) h = mix_hash(h, s->in[k].entry == v->entry);
  return h;
}

static uint64_t mix_options(uint64_t h, const opaque_step *o) {
  h = mix_hash(h, (uintptr_t)o->op);
  for (size_t k = 0; k < o->op->key / sizeof *o->options; k++) h = mix_hash(h, o->options[k]);
  for (size_t at = o->op->key; at < o->op->key + o->op->numbers; at += sizeof(scalar)) {
    scalar number;
    memcpy(&number, (const char *)o->options + at, sizeof number);
    h = mix_number(h, &number);
  }
  return h;
}

void log_step(deferral *d, const step *s) {
  uint64_t h = mix_hash((uint64_t)s->kind, (uint64_t)s->compute);
  if (s->kind == STEP_MAP) h = mix_hash(h, (uint64_t)s->op.map);
  if (s->kind == STEP_REDUCE)
    h = mix_double(mix_hash(mix_hash(h, (uint64_t)s->op.reduce.op), (uint64_t)s->op.reduce.dims), s->op.reduce.correction);
  if (s->kind == STEP_LINE) h = mix_hash(mix_hash(h, (uint64_t)(s->op.line.info - scan_softmax_rows)), (uint64_t)s->op.line.dim);
  if (s->kind == STEP_OPAQUE) h = mix_options(h, &s->op.opaque);
  h = mix_shape(h, &s->shape);
  for (int k = 0; k < s->nin; k++) h = mix_operand(h, s, &s->in[k], input_shape(s, k));
  add(d, this_operation.context, s->name, mix_operand(h, s, &s->out, &s->shape));
}

void log_tensor(deferral *d, void *context, const char *name, enum dtype dtype, const shape *s) {
  add(d, context, name, mix_shape((uint64_t)dtype, s));
}
