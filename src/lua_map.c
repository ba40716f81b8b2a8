/* Element-wise functions, methods, in-place forms and operators: all made from the op table. */

#include <string.h>

#include "lua_args.h"
#include "lua_tensor.h"

static const char *const map_options[] = {"out", NULL};

/* Prepares the job of op `op` from arguments 1 … n. */
static void prepare(lua_State *L, const char *fn, enum map_op op, job *j) {
  j->op = op;
  j->nin = map_ops[op].nin;
  for (int i = 0; i < j->nin; i++) check_arg(L, i + 1, fn, &j->in[i]);
  int st = job_prepare(j);
  if (st != OK) raise_job(L, fn, st, j, NULL);
  if (!j->has_place) j->place = default_place();
}

static int run(lua_State *L, const char *fn, const job *j, tensor *out, bool in_place) {
  int st = job_run(j, out);
  return st == OK ? finish_op(L, in_place) : raise_job(L, fn, st, j, out);
}

/* lt.add(x, y, {out = t}); upvalue: the op. */
static int l_map(lua_State *L) {
  enum map_op op = (enum map_op)lua_tointeger(L, lua_upvalueindex(1));
  const char *fn = map_ops[op].name;
  int nargs, options = check_options(L, fn, map_options, &nargs);
  if (nargs != map_ops[op].nin)
    return luaL_error(L, "%s: %d arguments expected, got %d", fn, map_ops[op].nin, nargs);
  job j;
  prepare(L, fn, op, &j);
  tensor *out = opt_out(L, options, fn);
  if (out) lua_getfield(L, options, "out");
  else out = push_tensor(L, fn, j.result, &j.shape, j.place);
  return run(L, fn, &j, out, options != 0);
}

/* x:add_(y) */
static int l_map_in_place(lua_State *L) {
  enum map_op op = (enum map_op)lua_tointeger(L, lua_upvalueindex(1));
  char fn[40];
  strcat(strcpy(fn, map_ops[op].name), "_");
  tensor *out = check_tensor(L, 1, fn);
  if (lua_gettop(L) != map_ops[op].nin)
    return luaL_error(L, "%s: %d arguments expected, got %d", fn, map_ops[op].nin, lua_gettop(L));
  job j;
  prepare(L, fn, op, &j);
  lua_pushvalue(L, 1);
  return run(L, fn, &j, out, true);
}

/* Operators: a unary metamethod gets its operand twice. */
static int l_operator(lua_State *L) {
  enum map_op op = (enum map_op)lua_tointeger(L, lua_upvalueindex(1));
  const char *fn = map_ops[op].name;
  lua_settop(L, map_ops[op].nin);
  job j;
  prepare(L, fn, op, &j);
  return run(L, fn, &j, push_tensor(L, fn, j.result, &j.shape, j.place), false);
}

static const struct { const char *event; enum map_op op; } operators[] = {
  {"__add", OP_add}, {"__sub", OP_subtract}, {"__mul", OP_multiply}, {"__div", OP_divide},
  {"__idiv", OP_floor_divide}, {"__mod", OP_remainder}, {"__pow", OP_pow}, {"__unm", OP_negative},
  {"__band", OP_bitwise_and}, {"__bor", OP_bitwise_or}, {"__bnot", OP_bitwise_invert}, {"__bxor", OP_bitwise_xor},
  {"__shl", OP_bitwise_left_shift}, {"__shr", OP_bitwise_right_shift},
};

static void add_closure(lua_State *L, int table, lua_CFunction f, enum map_op op, const char *name) {
  lua_pushinteger(L, op);
  lua_pushcclosure(L, f, 1);
  lua_setfield(L, table, name);
}

/* Names that end in an underscore are wrapped by functions of their own (where, clip). */
void open_map(lua_State *L) {
  for (int op = 0; op < OP_COUNT; op++) {
    const char *name = map_ops[op].name;
    char in_place[40];
    strcat(strcpy(in_place, name), "_");
    add_closure(L, 1, l_map, (enum map_op)op, name);
    add_closure(L, 2, l_map, (enum map_op)op, name);
    if (!map_ops[op].to_bool) add_closure(L, 2, l_map_in_place, (enum map_op)op, in_place);
  }
  for (size_t k = 0; k < sizeof operators / sizeof *operators; k++)
    add_closure(L, 4, l_operator, operators[k].op, operators[k].event);
}
