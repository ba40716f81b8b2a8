/* Updates of parameters in place: the functions check the operands, plan the loops, and call the device. */

#include "op/nn/update.h"

#include <string.h>

#include "base/dispatch.h"

const update_info update_rows[UPDATE_COUNT] = {
#define UPDATE0(name, n, ...)          [UPDATE_##name] = {#name, n, 0, {NULL}},
#define UPDATE1(name, n, s, ...)       [UPDATE_##name] = {#name, n, 1, {#s}},
#define UPDATE2(name, n, s, t, ...)    [UPDATE_##name] = {#name, n, 2, {#s, #t}},
#define UPDATE3(name, n, s, t, u, ...) [UPDATE_##name] = {#name, n, 3, {#s, #t, #u}},
#include "update.def"
};

int op_update_check(tensor *const *at, int operands, bool *flat) {
  *flat = true;
  for (int k = 0; k < operands; k++) {
    bool contiguous = tensor_is_contiguous(at[k]);
    if (!contiguous) *flat = false;
    if (k == 1) continue;
    if (!contiguous && tensor_is_overlapping(at[k])) return ERR_READONLY;
    if (at[k]->store == at[1]->store && tensor_conflicts(at[k], at[1])) return ERR_OVERLAP;
  }
  return OK;
}

static void make_plan(plan *p, tensor *const *at, int operands, bool flat) {
  if (!flat) {
    plan_init(p, &at[0]->shape);
    for (int k = 0; k < operands; k++) plan_operand(p, k, at[k]->stride);
    plan_collapse(p, operands);
    return;
  }
  p->ndim = 1;
  p->count = p->shape[0] = at[0]->count;
  for (int k = 0; k < operands; k++) p->stride[k][0] = 1;
}

int op_update(enum update_op op, tensor *const *at, const double *number) {
  int states = update_rows[op].states, operands = 2 + states;
  bool flat;
  int st = op_update_check(at, operands, &flat);
  if (st != OK || at[0]->count == 0) return st;
  plan p;
  make_plan(&p, at, operands, flat);
  update_call c = {.op = op, .dtype = at[0]->dtype, .states = states, .plan = &p};
  for (int k = 0; k < operands; k++) c.at[k] = tensor_data(at[k]);
  memcpy(c.number, number, sizeof c.number);
  st = device_update(at[0]->store->place, &c);
  for (int k = 0; st == OK && k < operands; k++)
    if (k != 1) at[k]->store->version++;
  return st;
}
