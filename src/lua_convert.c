/* Between tensors and Lua values: lt.tensor, item, totable. */

#include <string.h>

#include "lua_args.h"
#include "lua_tensor.h"

static const char *const tensor_options[] = {"dtype", "device", NULL};

/* What a nested table holds: its shape and the kinds of its leaves. */
typedef struct survey {
  shape shape;
  bool  floats, integers, booleans;
} survey;

/* Visits the table at the top of the stack at depth `depth`. */
static void survey_table(lua_State *L, survey *s, int depth) {
  int64_t n = (int64_t)lua_rawlen(L, -1);
  if (depth >= MAX_DIMS) luaL_error(L, "tensor: more than %d dims", MAX_DIMS);
  luaL_checkstack(L, 3, "tensor: nested too deep");
  if (depth == s->shape.ndim) s->shape.dim[s->shape.ndim++] = n;
  else if (s->shape.dim[depth] != n)
    luaL_error(L, "tensor: ragged table: %I elements in dim %d, where others have %I", (LUAI_UACINT)n, depth + 1,
               (LUAI_UACINT)s->shape.dim[depth]);
  for (int64_t i = 1; i <= n; i++) {
    int type = lua_rawgeti(L, -1, i);
    if (type == LUA_TTABLE) survey_table(L, s, depth + 1);
    else if (depth + 1 != s->shape.ndim)
      luaL_error(L, "tensor: ragged table: a %s among tables in dim %d", luaL_typename(L, -1), depth + 1);
    else if (type == LUA_TBOOLEAN) s->booleans = true;
    else if (type != LUA_TNUMBER) luaL_error(L, "tensor: number or boolean expected, got %s", luaL_typename(L, -1));
    else if (lua_isinteger(L, -1)) s->integers = true;
    else s->floats = true;
    lua_pop(L, 1);
  }
}

/* One Lua value as an element of dtype d, at `to`, through int64 or float64. */
static void store_value(lua_State *L, int i, tensor *t, int64_t position) {
  tensor one = *t;
  one.shape.ndim = 0;
  one.count = 1;
  one.offset = t->offset + position;
  scalar s = {.is_float = lua_type(L, i) == LUA_TNUMBER && !lua_isinteger(L, i)};
  if (lua_isboolean(L, i)) s.i = lua_toboolean(L, i), s.f = (double)s.i;
  else s.i = lua_tointeger(L, i), s.f = lua_tonumber(L, i);
  op_fill(&one, s);
}

static int64_t fill_table(lua_State *L, tensor *t, int64_t position) {
  int64_t n = (int64_t)lua_rawlen(L, -1);
  for (int64_t i = 1; i <= n; i++) {
    if (lua_rawgeti(L, -1, i) == LUA_TTABLE) position = fill_table(L, t, position);
    else store_value(L, -1, t, position++);
    lua_pop(L, 1);
  }
  return position;
}

static int l_tensor(lua_State *L) {
  survey s = {.shape = {.ndim = 0}};
  int options = lua_gettop(L) >= 2 ? 2 : 0, nargs;
  lua_settop(L, options ? 2 : 1);
  if (options) check_options(L, "tensor", tensor_options, &nargs);
  lua_pushvalue(L, 1);
  if (lua_istable(L, 1)) survey_table(L, &s, 0);
  else if (lua_isboolean(L, 1)) s.booleans = true;
  else if (lua_isinteger(L, 1)) s.integers = true;
  else { luaL_checktype(L, 1, LUA_TNUMBER); s.floats = true; }
  if (s.booleans && (s.floats || s.integers)) luaL_error(L, "tensor: numbers and booleans are mixed");
  enum dtype d = s.booleans ? DT_bool : s.integers && !s.floats ? DT_int64 : dtype_default_float();
  d = opt_dtype(L, options, "tensor", d);
  tensor *t = push_tensor(L, "tensor", d, &s.shape, opt_place(L, options, "tensor", default_place()));
  lua_insert(L, 1);
  if (lua_istable(L, -1)) fill_table(L, t, 0);
  else store_value(L, -1, t, 0);
  lua_settop(L, 1);
  return finish_op(L, false);
}

/* Pushes element `offset` of t (in elements from its first). */
static void push_element(lua_State *L, const tensor *t, int64_t offset) {
  union { int64_t i; double f; } v;
  tensor one = *t, host = {.store = NULL};
  storage fake = {.place = default_place(), .ptr = &v, .refs = 1};
  one.shape.ndim = 0;
  one.count = 1;
  one.offset += offset;
  bool is_float = dtype_kind(t->dtype) == KIND_FLOAT;
  host = one;
  host.store = &fake;
  host.offset = 0;
  host.dtype = is_float ? DT_float64 : DT_int64;
  op_copy(&host, &one);
  if (is_float) lua_pushnumber(L, v.f);
  else if (t->dtype == DT_bool) lua_pushboolean(L, v.i != 0);
  else lua_pushinteger(L, v.i);
}

static int l_item(lua_State *L) {
  const tensor *t = check_tensor(L, 1, "item");
  if (t->count != 1) return luaL_error(L, "item: one element expected, the tensor has %I", (LUAI_UACINT)t->count);
  push_element(L, t, 0);
  return 1;
}

static void push_nested(lua_State *L, const tensor *t, int dim, int64_t offset) {
  if (dim == t->shape.ndim) { push_element(L, t, offset); return; }
  luaL_checkstack(L, 3, "totable");
  lua_createtable(L, (int)t->shape.dim[dim], 0);
  for (int64_t i = 0; i < t->shape.dim[dim]; i++) {
    push_nested(L, t, dim + 1, offset + i * t->stride[dim]);
    lua_rawseti(L, -2, i + 1);
  }
}

static int l_totable(lua_State *L) {
  push_nested(L, check_tensor(L, 1, "totable"), 0, 0);
  return 1;
}

static const luaL_Reg functions[] = {{"tensor", l_tensor}, {NULL, NULL}};
static const luaL_Reg methods[] = {{"item", l_item}, {"totable", l_totable}, {NULL, NULL}};

void open_convert(lua_State *L) {
  add_functions(L, functions);
  add_methods(L, methods);
}
