/* Reductions: functions and methods made from the op table. */

#include <string.h>

#include "lua_args.h"
#include "lua_tensor.h"
#include "op_reduce.h"

/* Options of every reduction first; a kind of reduction reads a part of them. */
static const char *const options_any[] = {"dim", "keepdim", "out", NULL};
static const char *const options_sum[] = {"dim", "keepdim", "out", "dtype", NULL};
static const char *const options_var[] = {"dim", "keepdim", "out", "correction", NULL};

static const char *const *known_options(enum reduce_op op) {
  switch (op) {
    case REDUCE_sum: case REDUCE_prod: case REDUCE_mean: return options_sum;
    case REDUCE_var: case REDUCE_std: return options_var;
    default: return options_any;
  }
}

/* Leaves the dim argument on the stack: positional, option or nil. Returns its index. */
static int push_dim(lua_State *L, const char *fn, int nargs, int options) {
  if (nargs > 2) luaL_error(L, "%s: at most 2 arguments and options expected, got %d", fn, nargs);
  if (options) lua_getfield(L, options, "dim");
  else lua_pushnil(L);
  if (nargs == 2 && !lua_isnil(L, 2)) {
    if (!lua_isnil(L, -1)) luaL_error(L, "%s: dim is given twice", fn);
    lua_pushvalue(L, 2);
    lua_replace(L, -2);
  }
  return lua_gettop(L);
}

static double opt_correction(lua_State *L, const char *fn, int options) {
  if (!options) return 0;
  int type = lua_getfield(L, options, "correction");
  if (type != LUA_TNIL && type != LUA_TNUMBER)
    luaL_error(L, "%s: option correction: number expected, got %s", fn, lua_typename(L, type));
  double value = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return value;
}

static int raise_reduction(lua_State *L, int st, const char *fn, const reduction *r, const tensor *out) {
  const tensor *t[] = {out ? out : r->in, r->in};
  if (st == ERR_DTYPE && r->in->dtype == DT_bool && r->dtype == DT_none)
    return luaL_error(L, "%s: not for bool; use x:to(\"int64\")", fn);
  if (st == ERR_DTYPE && r->dtype != DT_none)
    return luaL_error(L, "%s: not for %s", fn, dtypes[r->dtype].name);
  if (st == ERR_CAST)
    return luaL_error(L, "%s: result %s does not fit %s", fn, dtypes[r->result].name, dtypes[out->dtype].name);
  if (st == ERR_OUT_SHAPE) {
    push_shape(L, &out->shape);
    push_shape(L, &r->shape);
    return luaL_error(L, "%s: the target has shape %s, the result %s", fn, lua_tostring(L, -2), lua_tostring(L, -1));
  }
  return raise(L, fn, st, t, 2);
}

/* x:sum(dim, {keepdim, dtype, out}); upvalue: the op. */
static int l_reduce(lua_State *L) {
  reduction r = {.op = (enum reduce_op)lua_tointeger(L, lua_upvalueindex(1)), .dtype = DT_none};
  const char *fn = reductions[r.op].name;
  int nargs, options = check_options(L, fn, known_options(r.op), &nargs);
  r.in = check_tensor(L, 1, fn);
  int dim = push_dim(L, fn, nargs, options);
  bool one = r.op == REDUCE_argmax || r.op == REDUCE_argmin;
  if (one && lua_istable(L, dim)) return luaL_error(L, "%s: dim: one number expected, got a table", fn);
  r.dims = check_dims(L, dim, fn, &r.in->shape);
  if (options) {
    r.keepdim = opt_bool(L, options, fn, "keepdim", false);
    r.dtype = opt_dtype(L, options, fn, DT_none);
    r.correction = opt_correction(L, fn, options);
  }
  tensor *out = opt_out(L, options, fn);
  bool given = out != NULL;
  int st = reduce_prepare(&r);
  if (st != OK) return raise_reduction(L, st, fn, &r, NULL);
  if (given) lua_getfield(L, options, "out");
  else out = push_tensor(L, fn, r.result, &r.shape, r.in->store->place);
  st = reduce_run(&r, out);
  return st == OK ? finish_op(L, given) : raise_reduction(L, st, fn, &r, out);
}

/* Every reduction is a function and a method. */
void open_reduce(lua_State *L) {
  for (int op = 0; op < REDUCE_COUNT; op++)
    for (int table = 1; table <= 2; table++) {
      lua_pushinteger(L, op);
      lua_pushcclosure(L, l_reduce, 1);
      lua_setfield(L, table, reductions[op].name);
    }
}
