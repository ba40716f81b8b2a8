#include "op/nn/cell.h"

#include "base/dispatch.h"

const cell_info cell_rows[CELL_COUNT] = {
  [CELL_lstm]      = {"lstm_step", {[CELL_gates] = 4, [CELL_before] = 1, [CELL_c] = 1, [CELL_h] = 1}},
  [CELL_lstm_back] = {"lstm_back", {[CELL_gates] = 4, [CELL_before] = 1, [CELL_c] = 1, [CELL_dy] = 1, [CELL_dh] = 1,
                                    [CELL_dc] = 1, [CELL_dgates] = 4}},
  [CELL_gru]       = {"gru_step", {[CELL_gates] = 3, [CELL_before] = 1, [CELL_h] = 1, [CELL_other] = 3}},
  [CELL_gru_back]  = {"gru_back", {[CELL_gates] = 3, [CELL_before] = 1, [CELL_other] = 3, [CELL_dy] = 1, [CELL_dh] = 1,
                                   [CELL_dgates] = 3, [CELL_dother] = 3}},
};

bool cell_may_lack(enum cell_op op, enum cell_operand k) { return k == CELL_dy || (k == CELL_dh && op == CELL_lstm_back); }

static bool set_operand(cell_call *c, int k, const tensor *t, place where) {
  int gates = cell_rows[c->op].gates[k];
  bool fits = t->shape.ndim == 2 && t->dtype == c->dtype && place_equal(t->store->place, where) &&
              t->shape.dim[0] == c->rows && t->shape.dim[1] == gates * c->width && (t->stride[1] == 1 || t->shape.dim[1] <= 1);
  if (!fits) return false;
  c->at[k].data = t->count ? tensor_data(t) : NULL;
  c->at[k].row = t->stride[0];
  return true;
}

int cell_run(enum cell_op op, const tensor *const *at, enum cell_operand *wrong) {
  const tensor *gates = at[CELL_gates];
  bool flat = gates->shape.ndim == 2;
  place where = gates->store->place;
  cell_call c = {.op = op, .dtype = gates->dtype, .rows = flat ? gates->shape.dim[0] : 0,
                 .width = flat ? gates->shape.dim[1] / cell_rows[op].gates[CELL_gates] : 0};
  for (int k = 0; k < CELL_OPERANDS; k++) {
    *wrong = (enum cell_operand)k;
    if (at[k] && !set_operand(&c, k, at[k], where)) return ERR_INNER;
  }
  return c.rows * c.width == 0 ? OK : device_cell(where, &c);
}
