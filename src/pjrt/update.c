/* The rows of update.def, which change parameters and the states of an optimiser, as lines of the open program. */

#include "pjrt/queue.h"

/* The names of an update: the operands in the order of an update_item, a temporary value, and the numbers. */
enum { P, G, A, B, C, D, N, NAMES = N + UPDATE_NUMBERS };
static const char names[] = "p g a b c d n[0] n[1] n[2] n[3] n[4] n[5] n[6] n[7] n[8] n[9]";

/* The arguments of TEXT are expanded before they become text, because rows use macros of update.def. */
#define TEXT(...) #__VA_ARGS__
static const struct { const char *text; int numbers; } rows[UPDATE_COUNT] = {
#define UPDATE0(name, numbers, ...)          [UPDATE_##name] = {TEXT(__VA_ARGS__), numbers},
#define UPDATE1(name, numbers, s, ...)       [UPDATE_##name] = {TEXT(__VA_ARGS__), numbers},
#define UPDATE2(name, numbers, s, t, ...)    [UPDATE_##name] = {TEXT(__VA_ARGS__), numbers},
#define UPDATE3(name, numbers, s, t, u, ...) [UPDATE_##name] = {TEXT(__VA_ARGS__), numbers},
#include "update.def"
};

/* Appends an item. Captured graphs have numbers in the device's memory. */
static void append(pjrt_queue *q, enum dtype d, const update_item *i) {
  const enum dtype compute = dtype_compute(d);
  strided v[UPDATE_OPERANDS];
  term t[NAMES];
  if (i->count == 0) return;
  if (i->cell) emit_fail(&q->lines, ERR_NO_KERNEL);
  for (int k = 0; k < 2 + i->states; k++) {
    v[k] = i->plan ? strided_planned(i->plan, k) : strided_line(i->count);
    t[k] = queue_get_as(q, &(operand){.data = i->at[k], .dtype = d}, compute, &v[k]);
  }
  for (int k = 0; k < rows[i->op].numbers; k++)
    t[N + k] = queue_number(q, compute, (scalar){.f = i->number[k], .is_float = true});
  emit_assignments(&q->lines, &(formula){&v->s, 0, compute, DT_none, rows[i->op].text, names}, t);
  for (int k = 0; k < 2 + i->states; k++)
    if (k != G) queue_put(q, &(operand){.data = i->at[k], .dtype = d}, &v[k], t[k]);
}

int queue_update(pjrt_queue *q, const update_call *c) {
  if (dtype_kind(c->dtype) != KIND_FLOAT) return ERR_NO_KERNEL;
  for (int k = 0; k < c->count; k++) append(q, c->dtype, &c->item[k]);
  return OK;
}
