/* Steps of recurrent cells (LSTM, GRU), for lua/luatensor/nn/recurrent.lua. */

#include "lua/args.h"
#include "lua/register.h"
#include "op/nn/cell.h"

/* Runs a step of the op whose number is the upvalue. The arguments are the operands of the op, in the order of enum
** cell_operand. Optional operands may be nil. */
static int l_step(lua_State *L) {
  enum cell_op op = (enum cell_op)lua_tointeger(L, lua_upvalueindex(1));
  const cell_info *info = &cell_rows[op];
  tensor *at[CELL_OPERANDS] = {NULL};
  int argument[CELL_OPERANDS] = {0}, n = 0;
  enum cell_operand wrong;
  for (int k = 0; k < CELL_OPERANDS; k++) {
    if (!info->gates[k]) continue;
    argument[k] = ++n;
    if (!lua_isnoneornil(L, n) || !cell_may_lack(op, (enum cell_operand)k)) at[k] = check_tensor_later(L, n, info->name);
  }
  int st;
  TRY(L, at[CELL_gates]->store->place, st, cell_run_later(op, at, &wrong));
  if (st == ERR_INNER) return luaL_argerror(L, argument[wrong], "no operand of this cell");
  return st == OK ? 0 : raise(L, info->name, st, (const tensor *[]){at[CELL_gates]}, 1);
}

/* Makes core.cells, a table with a function for each op, such as lstm_step. These functions write only to operands
** that no script sees, so nothing is recorded for gradients. */
void open_cell(lua_State *L) {
  lua_newtable(L);
  for (int op = 0; op < CELL_COUNT; op++) {
    lua_pushinteger(L, op);
    lua_pushcclosure(L, l_step, 1);
    lua_setfield(L, -2, cell_rows[op].name);
  }
  add_internal(L, "cells");
}
