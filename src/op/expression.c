#include "op/expression.h"

#include <string.h>

#include "op/deferral.h"

/* The options of a deferred expression: a hash of its program, the numbers among its inputs, and the expression. */
typedef struct expression_options {
  uint64_t hash;
  scalar   number[MAX_IN];
  const elementwise *e;
} expression_options;

_Static_assert(sizeof(expression_options) <= OPAQUE_OPTIONS, "a list has no room for the options");

static uint64_t hash_expression(const elementwise_program *p) {
  uint64_t h = p->hash;
  for (int k = 0; k < p->nconstant; k++) {
    const scalar *s = &p->constant[k];
    uint64_t word = (uint64_t)s->i;
    if (s->is_float) memcpy(&word, &s->f, sizeof word);
    h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  }
  return h;
}

static int run_deferred(const void *options, const tensor *const *in, tensor *const *out) {
  const expression_options *o = options;
  job j;
  int wrong;
  for (int i = 0; i < o->e->program.nin; i++) j.in[i] = (arg){in[i], o->number[i]};
  int st = elementwise_prepare(o->e, &j, &wrong);
  return st == OK ? elementwise_run(o->e, &j, out[0]) : st;
}

static const opaque_op deferred_expression = {.run = run_deferred, .options = sizeof(expression_options),
                                              .key = offsetof(expression_options, number), .numbers = MAX_IN * sizeof(scalar)};

int elementwise_run_later(const elementwise *e, const job *j, tensor *out) {
  expression_options o = {.hash = 0};
  opaque_call c = {.op = &deferred_expression, .name = "elementwise", .options = &o, .nin = j->nin, .out = {out}, .nout = 1};
  if (!open_deferral) return elementwise_run(e, j, out);
  int st = job_check(j, out);
  if (st != OK) return st;
  o.hash = hash_expression(&e->program);
  o.e = e;
  for (int i = 0; i < j->nin; i++) {
    c.in[i] = j->in[i].t;
    if (!c.in[i]) o.number[i] = j->in[i].s;
  }
  return opaque_run_later(&c);
}
