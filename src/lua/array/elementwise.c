/* Functions for lt.elementwise. lua/luatensor/array/elementwise.lua uses them to build an expression and to make the
** function that evaluates it. */

#include <stdint.h>
#include <string.h>

#include "lua/args.h"
#include "lua/register.h"
#include "op/expression.h"

static const char elementwise_class = 0;
static const char *const call_options[] = {"out", NULL};

/* ---- building ---- */

/* In Lua, a value of an expression is a light userdata that contains 1 + the value's number. */

static elementwise *check_elementwise(lua_State *L, int i) {
  elementwise *e = test_class(L, i, &elementwise_class, sizeof(elementwise));
  luaL_argcheck(L, e && lua_rawlen(L, i) == sizeof *e && e->program.hash == 0, i, "expression expected");
  return e;
}

static elementwise_arg check_value_arg(lua_State *L, int i, const elementwise *e) {
  elementwise_arg a = {.value = -1};
  if (lua_islightuserdata(L, i)) {
    a.value = (int)(intptr_t)lua_touserdata(L, i) - 1;
    luaL_argcheck(L, a.value >= 0 && a.value < e->nvalue, i, "no value of this expression");
    return a;
  }
  arg number;
  luaL_argcheck(L, lua_type(L, i) == LUA_TNUMBER || lua_isboolean(L, i), i, "value or number expected");
  check_arg(L, i, "elementwise", &number);
  a.s = number.s;
  return a;
}

static int push_value(lua_State *L, int value) {
  lua_pushlightuserdata(L, (void *)(intptr_t)(value + 1));
  return 1;
}

/* elementwise_new(dtypes, names): makes an expression with one parameter for each element of the list dtypes. `names`
** lists the parameters' names for the error messages of the finished function. Returns the expression and the value of
** each parameter. */
static int l_new(lua_State *L) {
  enum dtype in[MAX_IN];
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_Unsigned n = lua_rawlen(L, 1);
  if (n > MAX_IN) return luaL_error(L, "elementwise: at most %d parameters, got %I", MAX_IN, (LUAI_UACINT)n);
  for (lua_Unsigned i = 0; i < n; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    in[i] = check_dtype(L, -1, "elementwise");
    lua_pop(L, 1);
  }
  elementwise *e = push_object(L, &elementwise_class, sizeof *e, 1);
  elementwise_init(e, in, (int)n);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, 1);
  for (lua_Unsigned i = 0; i < n; i++) push_value(L, (int)i);
  return 1 + (int)n;
}

static int find_op(const char *name) {
  for (int op = 0; op < OP_COUNT; op++)
    if (!op_is_hidden((enum map_op)op) && strcmp(map_ops[op].name, name) == 0) return op;
  return -1;
}

/* Raises an error that lists the dtypes of the op's arguments, such as "not for float32 and bool". */
static int raise_dtypes(lua_State *L, const char *name, const elementwise *e, const elementwise_arg *in, int n) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  lua_pushfstring(L, "%s: not for ", name);
  luaL_addvalue(&b);
  for (int i = map_ops[find_op(name)].selects, k = 0; i < n; i++) {
    if (in[i].value < 0) continue;
    if (k++) luaL_addstring(&b, " and ");
    luaL_addstring(&b, dtypes[e->value[in[i].value].dtype].name);
  }
  luaL_pushresult(&b);
  return lua_error(L);
}

static int raise_step(lua_State *L, const char *name, int status, const elementwise *e, const elementwise_arg *in,
                      int n) {
  switch (status) {
    case ERR_DTYPE:  return raise_dtypes(L, name, e, in, n);
    case ERR_SCALAR: lua_pushfstring(L, "%s: a number does not fit the integers it meets", name); return lua_error(L);
    default:         lua_pushliteral(L, "the expression is too long"); return lua_error(L);
  }
}

/* elementwise_apply(e, name, …): adds an op on the given values to expression e. Returns the op's value, nil if there
** is no such op, or (false, n) if the op takes n values. */
static int l_apply(lua_State *L) {
  elementwise *e = check_elementwise(L, 1);
  const char *name = luaL_checkstring(L, 2);
  int op = find_op(name), n = lua_gettop(L) - 2, value;
  if (op < 0) return 0;
  if (map_ops[op].nin != n) {
    lua_pushboolean(L, 0);
    lua_pushinteger(L, map_ops[op].nin);
    return 2;
  }
  elementwise_arg in[MAX_ARITY];
  for (int i = 0; i < n; i++) in[i] = check_value_arg(L, 3 + i, e);
  int st = elementwise_apply(e, (enum map_op)op, in, &value);
  return st == OK ? push_value(L, value) : raise_step(L, name, st, e, in, n);
}

/* elementwise_cast(e, dtype, v): returns value v converted to dtype. */
static int l_cast(lua_State *L) {
  elementwise *e = check_elementwise(L, 1);
  enum dtype d = check_dtype(L, 2, "elementwise");
  elementwise_arg in = check_value_arg(L, 3, e);
  int value, st = elementwise_cast(e, d, &in, &value);
  if (st == ERR_SCALAR) {
    lua_pushfstring(L, "%s does not fit %s", push_plain(L, 3), dtypes[d].name);
    return lua_error(L);
  }
  return st == OK ? push_value(L, value) : raise_step(L, dtypes[d].name, st, e, &in, 1);
}

/* ---- calling ---- */

static const char *parameter_name(lua_State *L, int expression_at, int i) {
  lua_getiuservalue(L, expression_at, 1);
  lua_rawgeti(L, -1, i + 1);
  const char *name = lua_tostring(L, -1);
  return name ? name : "?";
}

static int raise_call(lua_State *L, int status, const elementwise *e, const job *j, int wrong) {
  const char *name = parameter_name(L, lua_upvalueindex(1), wrong), *dtype = dtypes[e->in[wrong]].name;
  if (status == ERR_DTYPE)
    return luaL_error(L, "elementwise: argument %d (%s): %s does not go into %s; use :to(\"%s\")", wrong + 1, name,
                      dtypes[j->in[wrong].t->dtype].name, dtype, dtype);
  if (status == ERR_SCALAR)
    return luaL_error(L, "elementwise: argument %d (%s): %s does not fit %s", wrong + 1, name,
                      push_plain(L, wrong + 1), dtype);
  return raise_job(L, "elementwise", status, j, NULL);
}

static int finish_call(lua_State *L, const job *j, bool in_place) {
  op_record r = {.name = "elementwise", .nin = j->nin, .in_place = in_place};
  for (int i = 0; i < j->nin; i++) r.in[i] = i + 1;
  return finish_record(L, &r);
}

/* f(x, y, …, {out = t}): evaluates the expression, which is upvalue 1. */
static int l_call(lua_State *L) {
  const elementwise *e = lua_touserdata(L, lua_upvalueindex(1));
  job j;
  int nargs, wrong, options = check_options(L, "elementwise", call_options, &nargs);
  if (nargs != e->program.nin)
    return luaL_error(L, "elementwise: %d argument%s expected, got %d", e->program.nin,
                      e->program.nin == 1 ? "" : "s", nargs);
  for (int i = 0; i < nargs; i++) check_arg_later(L, i + 1, "elementwise", &j.in[i]);
  int st = elementwise_prepare(e, &j, &wrong);
  if (st != OK) return raise_call(L, st, e, &j, wrong);
  if (!j.has_place) j.place = default_place(L);
  keep_for_list(L, lua_upvalueindex(1));
  tensor *out = opt_out_later(L, options, "elementwise");
  bool given = out != NULL;
  if (given) push_out(L, options, "elementwise", out);
  else job_layout(&j, out = push_tensor_later(L, "elementwise", e->result, &j.shape, j.place));
  if (!place_equal(out->store->place, j.place)) {
    const tensor *both[MAX_IN + 1] = {out};
    int n = 1;
    for (int i = 0; i < nargs; i++) if (j.in[i].t) both[n++] = j.in[i].t;
    if (n > 1) return raise(L, "elementwise", ERR_DEVICES, both, n);
  }
  TRY(L, j.place, st, elementwise_run_later(e, &j, out));
  return st == OK ? finish_call(L, &j, given) : raise_job(L, "elementwise", st, &j, out);
}

/* elementwise_finish(e, v, dtype): makes the function that returns v, converted to dtype unless dtype is nil. */
static int l_finish(lua_State *L) {
  elementwise *e = check_elementwise(L, 1);
  elementwise_arg in = check_value_arg(L, 2, e);
  enum dtype d = lua_isnoneornil(L, 3) ? DT_none : check_dtype(L, 3, "elementwise");
  if (elementwise_finish(e, &in, d) != OK) {
    lua_pushliteral(L, "the expression is too long");
    return lua_error(L);
  }
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, l_call, 1);
  return 1;
}

static const function_row functions[] = {
  {"elementwise_new", l_new, INTERNAL}, {"elementwise_apply", l_apply, INTERNAL}, {"elementwise_cast", l_cast, INTERNAL},
  {"elementwise_finish", l_finish, INTERNAL}, {NULL, NULL, 0}
};

void open_elementwise(lua_State *L) {
  add_functions(L, functions);
  add_class(L, &elementwise_class, NULL, (luaL_Reg[]){{NULL, NULL}}, NULL);
}
