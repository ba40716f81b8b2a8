/* Functions that update parameters in place, for the optimisers of lua/luatensor/optim. There is one function for each
** update rule, such as core.updates.adam(parameter, state, number …). */

#include "lua/args.h"
#include "lua/register.h"
#include "op/nn/update.h"

/* ---- problems ----
** These functions push a text that says why a parameter cannot be updated. The optimiser adds the parameter's name. */

static int push_problem(lua_State *L, const char *words) {
  lua_pushstring(L, words);
  return 1;
}

static int push_status(lua_State *L, int status, place where) {
  char text[1024];
  switch (status) {
    case ERR_READONLY:  return push_problem(L, "it is a broadcast view, several elements share one place; use :clone()");
    case ERR_OVERLAP:   return push_problem(L, "its gradient lies in its own memory; use :clone()");
    case ERR_MEMORY:    return push_problem(L, "out of memory");
    case ERR_NO_KERNEL: return push_problem(L, "its device has no kernel for this");
    default:
      where.device->explain(where.index, text, sizeof text);
      return push_problem(L, text);
  }
}

/* True if x has the shape, dtype and device of p. */
static bool is_like(const tensor *x, const tensor *p) {
  return shape_equal(&x->shape, &p->shape) && x->dtype == p->dtype && place_equal(x->store->place, p->store->place);
}

static int push_gone_as(lua_State *L, const tensor *t, const char *what) {
  push_gone(L, t);
  lua_pushfstring(L, "%s%s", what, lua_tostring(L, -1));
  return 1;
}

/* ---- operands ---- */

/* Stores the states of update rule `row`, such as Adam's moments, in `at`. The states are fields of the table at index
** 2. Returns false if a state is missing, or differs from the parameter in shape, dtype or device. */
static bool get_states(lua_State *L, const update_info *row, tensor **at) {
  for (int k = 0; k < row->states; k++) {
    lua_pushvalue(L, lua_upvalueindex(2 + k));
    lua_rawget(L, 2);
    tensor *t = test_tensor(L, -1);
    if (!t || tensor_is_gone(t) || !is_like(t, at[0])) return false;
    make_ready(L, t, "step");
    at[2 + k] = t;
  }
  return true;
}

/* Stores the parameter at index i and its gradient in `at`, and pushes the gradient. If this is impossible, returns
** false after pushing the reason, or after pushing false if there is no gradient. */
static bool get_parameter(lua_State *L, int i, tensor **at) {
  at[0] = test_tensor(L, i);
  if (!at[0]) return push_problem(L, "tensor expected"), false;
  if (tensor_is_gone(at[0])) return push_gone_as(L, at[0], ""), false;
  make_ready(L, at[0], "step");
  if (!((const tensor_userdata *)at[0])->is_leaf) return push_problem(L, "it is no leaf any more"), false;
  lua_getiuservalue(L, i, 1);
  tensor_userdata *gradient = lua_touserdata(L, -1);       /* a leaf's gradient is a tensor or nil */
  if (!gradient || gradient->class != &tensor_class) return lua_pushboolean(L, 0), false;
  at[1] = &gradient->tensor;
  if (tensor_is_gone(at[1])) return push_gone_as(L, at[1], "its gradient: "), false;
  make_ready(L, at[1], "step");
  if (!is_like(at[1], at[0])) return push_problem(L, "its gradient has another shape, dtype or device"), false;
  return true;
}

/* While a graph collects the numbers of a replay: gives the numbers of the next captured update. */
static int give_numbers(lua_State *L, enum update_op op, const double *number) {
  tensor *at[UPDATE_OPERANDS];
  at[0] = test_tensor(L, 1);
  bool same = at[0] && !tensor_is_gone(at[0]) && get_states(L, &update_rows[op], at) && update_give(op, at, number);
  return same ? 0 : push_problem(L, "its update rule, its memory or that of its state has changed");
}

/* update(parameter, state, number …): updates the parameter and returns nothing. If the parameter has no gradient,
** returns false. If a state is missing, or differs from the parameter in shape, dtype or device, returns "state". On
** other errors returns a message. Upvalues: the update rule (enum update_op), and the names of the rule's states. */
static int l_update(lua_State *L) {
  enum update_op op = (enum update_op)lua_tointeger(L, lua_upvalueindex(1));
  const update_info *row = &update_rows[op];
  double number[UPDATE_NUMBERS] = {0};
  tensor *at[UPDATE_OPERANDS];
  luaL_checktype(L, 2, LUA_TTABLE);
  for (int k = 0; k < row->numbers; k++) number[k] = luaL_checknumber(L, 3 + k);
  if (update_is_collecting()) return give_numbers(L, op, number);
  if (!get_parameter(L, 1, at)) return 1;
  if (!get_states(L, row, at)) return push_problem(L, "state");
  place where = at[0]->store->place;
  int st;
  TRY(L, where, st, op_update(op, at, number));
  return st == OK ? 0 : push_status(L, st, where);
}

/* update_misfit(parameters): returns the number of the first parameter that its gradient cannot update, and the
** reason. Returns nothing if all parameters can be updated. Writes nothing. */
static int l_misfit(lua_State *L) {
  tensor *at[2];
  bool flat;
  luaL_checktype(L, 1, LUA_TTABLE);
  for (lua_Integer i = 1; lua_rawgeti(L, 1, i) != LUA_TNIL; i++) {
    bool fits = get_parameter(L, 2, at);
    if (fits) {
      int st = op_update_check(at, 2, &flat);
      fits = st == OK || (push_status(L, st, at[0]->store->place), false);
    }
    if (!fits && lua_type(L, -1) == LUA_TSTRING) {
      lua_pushinteger(L, i);
      lua_insert(L, -2);
      return 2;
    }
    lua_settop(L, 1);
  }
  return 0;
}

/* updates_captured(): returns the number of updates in the graph that is being captured. */
static int l_captured(lua_State *L) {
  lua_pushinteger(L, update_captured());
  return 1;
}

void open_update(lua_State *L) {
  lua_createtable(L, 0, UPDATE_COUNT);
  for (int op = 0; op < UPDATE_COUNT; op++) {
    const update_info *row = &update_rows[op];
    lua_pushinteger(L, op);
    for (int k = 0; k < row->states; k++) lua_pushstring(L, row->state[k]);
    lua_pushcclosure(L, l_update, 1 + row->states);
    lua_setfield(L, -2, row->name);
  }
  add_internal(L, "updates");
  lua_pushcfunction(L, l_misfit);
  add_internal(L, "update_misfit");
  lua_pushcfunction(L, l_captured);
  add_internal(L, "updates_captured");
}
