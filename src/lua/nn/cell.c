/* Steps of recurrent cells, as lua/luatensor/nn/recurrent.lua asks for them. */

#include "base/dispatch.h"
#include "lua/args.h"
#include "lua/register.h"

/* Gates side by side in an operand's row. */
static const struct cell_shape { const char *name; int gates[CELL_OPERANDS]; } shapes[CELL_COUNT] = {
  [CELL_lstm]      = {"lstm_step", {[CELL_gates] = 4, [CELL_before] = 1, [CELL_c] = 1, [CELL_h] = 1}},
  [CELL_lstm_back] = {"lstm_back", {[CELL_gates] = 4, [CELL_before] = 1, [CELL_c] = 1, [CELL_dy] = 1, [CELL_dh] = 1,
                                    [CELL_dc] = 1, [CELL_dgates] = 4}},
  [CELL_gru]       = {"gru_step", {[CELL_gates] = 3, [CELL_before] = 1, [CELL_h] = 1, [CELL_other] = 3}},
  [CELL_gru_back]  = {"gru_back", {[CELL_gates] = 3, [CELL_before] = 1, [CELL_other] = 3, [CELL_dy] = 1, [CELL_dh] = 1,
                                   [CELL_dgates] = 3, [CELL_dother] = 3}},
};

static bool may_lack(const cell_call *c, int k) {
  return k == CELL_dy || (k == CELL_dh && c->op == CELL_lstm_back);
}

/* Operand k from stack index i: [rows, gates * width], rows contiguous. The first one says what all are. */
static void set_operand(lua_State *L, int i, cell_call *c, int k, place *where) {
  const struct cell_shape *s = &shapes[c->op];
  const tensor *t = check_tensor(L, i, s->name);
  if (k == CELL_gates) {
    *where = t->store->place;
    c->dtype = t->dtype;
    c->rows = t->shape.ndim == 2 ? t->shape.dim[0] : 0;
    c->width = t->shape.ndim == 2 ? t->shape.dim[1] / s->gates[k] : 0;
  }
  bool fits = t->shape.ndim == 2 && t->dtype == c->dtype && place_equal(t->store->place, *where) &&
              t->shape.dim[0] == c->rows && t->shape.dim[1] == s->gates[k] * c->width &&
              (t->stride[1] == 1 || t->shape.dim[1] <= 1);
  luaL_argcheck(L, fits, i, "no operand of this cell");
  c->at[k].data = t->count ? tensor_data(t) : NULL;
  c->at[k].row = t->stride[0];
}

/* cell_step(…), one an op: its operands in the order of enum cell_operand; nil where one may lack. */
static int l_step(lua_State *L) {
  cell_call c = {.op = (enum cell_op)lua_tointeger(L, lua_upvalueindex(1))};
  place where = default_place(L);
  for (int k = 0, i = 1; k < CELL_OPERANDS; k++)
    if (shapes[c.op].gates[k]) {
      if (!lua_isnoneornil(L, i) || !may_lack(&c, k)) set_operand(L, i, &c, k, &where);
      i++;
    }
  if (c.rows * c.width == 0) return 0;
  int st = device_cell(where, &c);
  return st == OK ? 0 : raise_device(L, shapes[c.op].name, st, where);
}

/* core.cells.lstm_step … : they write to operands that nobody else sees, so that nothing is recorded. */
void open_cell(lua_State *L) {
  lua_newtable(L);
  for (int op = 0; op < CELL_COUNT; op++) {
    lua_pushinteger(L, op);
    lua_pushcclosure(L, l_step, 1);
    lua_setfield(L, -2, shapes[op].name);
  }
  lua_setfield(L, MODULE, "cells");
}
