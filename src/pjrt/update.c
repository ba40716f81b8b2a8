/* The rows of update.def, which change parameters and the states of an optimiser, as lines of the open program. */

#include <stdlib.h>

#include "pjrt/queue.h"
#include "pjrt/translate.h"

/* The names of an update: the operands in the order of an update_item, a temporary value, and the numbers. */
enum { P, G, A, B, C, D, N, NAMES = N + UPDATE_NUMBERS };
static const char *const names[NAMES] = {"p",    "g",    "a",    "b",    "c",    "d",    "n[0]", "n[1]",
                                         "n[2]", "n[3]", "n[4]", "n[5]", "n[6]", "n[7]", "n[8]", "n[9]"};

/* The arguments of TEXT are expanded before they become text, because rows use macros of update.def. */
#define TEXT(...) #__VA_ARGS__
static const struct { const char *text; int numbers; } rows[UPDATE_COUNT] = {
#define UPDATE0(name, numbers, ...)          [UPDATE_##name] = {TEXT(__VA_ARGS__), numbers},
#define UPDATE1(name, numbers, s, ...)       [UPDATE_##name] = {TEXT(__VA_ARGS__), numbers},
#define UPDATE2(name, numbers, s, t, ...)    [UPDATE_##name] = {TEXT(__VA_ARGS__), numbers},
#define UPDATE3(name, numbers, s, t, u, ...) [UPDATE_##name] = {TEXT(__VA_ARGS__), numbers},
#include "update.def"
};

/* An item whose new values have been computed, but not yet written. */
typedef struct updated {
  shape   s;
  int64_t stride[UPDATE_OPERANDS][MAX_DIMS];
  term    terms[NAMES];
} updated;

static operand operand_of(const update_call *c, const update_item *i, int k) {
  return (operand){.data = i->at[k], .dtype = c->dtype};
}

static void set_layout(const update_item *i, updated *u) {
  u->s = (shape){1, {i->count}};
  if (i->plan) u->s.ndim = i->plan->ndim;
  for (int k = 0; k < UPDATE_OPERANDS; k++)
    for (int d = 0; d < u->s.ndim; d++) {
      u->stride[k][d] = i->plan ? i->plan->stride[k][d] : 1;
      if (i->plan) u->s.dim[d] = i->plan->shape[d];
    }
}

/* Computes the new values of an item. */
static int compute(pjrt_queue *q, const update_call *c, const update_item *i, updated *u) {
  static const shape one = {0};
  const enum dtype C = dtype_compute(c->dtype);
  const surroundings around = {C, DT_none, NAMES, names, u->terms};
  int st = OK;
  set_layout(i, u);
  for (int k = 0; k < 2 + i->states && st == OK; k++) {
    operand o = operand_of(c, i, k);
    u->terms[k] = term_of(queue_get_as(q, &o, C, &u->s, u->stride[k], &st), C);
  }
  for (int k = 0; k < rows[i->op].numbers && st == OK; k++) {
    int value = queue_number(q, C, (scalar){.f = i->number[k], .is_float = true}, &st);
    if (st != OK) return st;
    u->terms[N + k] = term_of(emit_broadcast(&q->lines, value, C, &one, NULL, &u->s), C);
  }
  if (st != OK) return st;
  translate_assignments(&q->lines, &u->s, rows[i->op].text, &around, u->terms);
  bool refused = q->lines.refused;
  q->lines.refused = false;
  return refused ? ERR_NO_KERNEL : OK;
}

static int write_item(pjrt_queue *q, const update_call *c, const update_item *i, const updated *u) {
  int st = OK;
  for (int k = 0; k < 2 + i->states && st == OK; k++) {
    operand o = operand_of(c, i, k);
    if (k != G) st = queue_put_as(q, &o, u->terms[k].dtype, &u->s, u->stride[k], u->terms[k].value);
  }
  return st;
}

/* True if all items can be computed here. Captured graphs have numbers in the device's memory. */
static bool is_plain(const update_call *c) {
  bool plain = dtype_kind(c->dtype) == KIND_FLOAT;
  for (int k = 0; k < c->count; k++) plain &= !c->item[k].cell;
  return plain;
}

static bool accepts_all(const pjrt_queue *q, const update_call *c) {
  for (int k = 0; k < c->count; k++)
    for (int j = 0; j < 2 + c->item[k].states; j++) {
      operand o = operand_of(c, &c->item[k], j);
      if (j != G && !queue_accepts(q, &o)) return false;
    }
  return true;
}

/* All new values are computed before the first is written, so that a refused call has changed nothing. */
int queue_update(pjrt_queue *q, const update_call *c) {
  if (c->count < 1 || !is_plain(c)) return ERR_NO_KERNEL;
  if (!accepts_all(q, c)) return QUEUE_AGAIN;
  updated *u = calloc((size_t)c->count, sizeof *u);
  int st = u ? OK : ERR_MEMORY;
  for (int k = 0; k < c->count && st == OK; k++)
    if (c->item[k].count) st = compute(q, c, &c->item[k], &u[k]);
  for (int k = 0; k < c->count && st == OK; k++)
    if (c->item[k].count) st = write_item(q, c, &c->item[k], &u[k]);
  free(u);
  return st;
}
