#include "op/nn/cell.h"

#include "base/dispatch.h"
#include "op/deferral.h"

const cell_info cell_rows[CELL_COUNT] = {
  [CELL_lstm]      = {"lstm_step", {[CELL_gates] = 4, [CELL_before] = 1, [CELL_c] = 1, [CELL_h] = 1}},
  [CELL_lstm_back] = {"lstm_back", {[CELL_gates] = 4, [CELL_before] = 1, [CELL_c] = 1, [CELL_dy] = 1, [CELL_dh] = 1,
                                    [CELL_dc] = 1, [CELL_dgates] = 4}},
  [CELL_gru]       = {"gru_step", {[CELL_gates] = 3, [CELL_before] = 1, [CELL_h] = 1, [CELL_other] = 3}},
  [CELL_gru_back]  = {"gru_back", {[CELL_gates] = 3, [CELL_before] = 1, [CELL_other] = 3, [CELL_dy] = 1, [CELL_dh] = 1,
                                   [CELL_dgates] = 3, [CELL_dother] = 3}},
};

bool cell_may_lack(enum cell_op op, enum cell_operand k) { return k == CELL_dy || (k == CELL_dh && op == CELL_lstm_back); }

/* True if the tensor may be operand k of the call. */
static bool fits(const cell_call *c, int k, const tensor *t, place where) {
  int gates = cell_rows[c->op].gates[k];
  return t->shape.ndim == 2 && t->dtype == c->dtype && place_equal(t->store->place, where) &&
              t->shape.dim[0] == c->rows && t->shape.dim[1] == gates * c->width && (t->stride[1] == 1 || t->shape.dim[1] <= 1);
}

/* Returns the call without its operands. */
static cell_call call_of(enum cell_op op, const tensor *gates) {
  bool flat = gates->shape.ndim == 2;
  return (cell_call){.op = op, .dtype = gates->dtype, .rows = flat ? gates->shape.dim[0] : 0,
                     .width = flat ? gates->shape.dim[1] / cell_rows[op].gates[CELL_gates] : 0};
}

/* The inputs are the operands that the step has, in the order of enum cell_operand. */
static int run_cell(const void *options, const tensor *const *at, tensor *const *out) {
  cell_call c = call_of((enum cell_op)*(const uint64_t *)options, at[CELL_gates]);
  (void)out;
  for (int k = 0, n = 0; k < CELL_OPERANDS; k++) {
    if (!cell_rows[c.op].gates[k] || !at[n++]) continue;
    c.at[k].data = tensor_data(at[n - 1]);
    c.at[k].row = at[n - 1]->stride[0];
  }
  return device_cell(at[CELL_gates]->store->place, &c);
}

static const opaque_op deferred_cell = {.run = run_cell, .options = sizeof(uint64_t), .key = sizeof(uint64_t)};

/* The operands that each step writes. */
static const bool is_written[CELL_COUNT][CELL_OPERANDS] = {
  [CELL_lstm]      = {[CELL_gates] = true, [CELL_c] = true, [CELL_h] = true},
  [CELL_lstm_back] = {[CELL_dc] = true, [CELL_dgates] = true},
  [CELL_gru]       = {[CELL_gates] = true, [CELL_h] = true},
  [CELL_gru_back]  = {[CELL_dh] = true, [CELL_dgates] = true, [CELL_dother] = true},
};

int cell_run_later(enum cell_op op, tensor *const *at, enum cell_operand *wrong) {
  uint64_t options = op;
  opaque_call later = {.op = &deferred_cell, .name = cell_rows[op].name, .options = &options};
  cell_call c = call_of(op, at[CELL_gates]);
  for (int k = 0; k < CELL_OPERANDS; k++) {
    *wrong = (enum cell_operand)k;
    if (at[k] && !fits(&c, k, at[k], at[CELL_gates]->store->place)) return ERR_INNER;
    if (cell_rows[op].gates[k]) later.in[later.nin++] = at[k];
    if (is_written[op][k]) later.out[later.nout++] = at[k];
  }
  return c.rows * c.width == 0 ? OK : opaque_run_later(&later);
}
