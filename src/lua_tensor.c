/* The class of tensors: memory, properties, the way from x.name and x[i] to what answers. */

#include "lua_tensor.h"

#include <string.h>

#include "lua_args.h"

const char tensor_class = 0;

/* Scripts can reach this through debug.getmetatable: the argument may be anything. */
static int l_gc(lua_State *L) {
  tensor *t = test_tensor(L, 1);
  if (!t) return 0;
  tensor_drop(t);
  ((tensor_userdata *)lua_touserdata(L, 1))->class = NULL;
  return 0;
}

/***
Ends this tensor at once; its memory goes with the last tensor that shares it. Freeing twice is harmless.
In a finalizer it does nothing: the finalizer may run in the middle of an op on this very tensor, so the
collector ends it when nothing refers to it any more.
@function free
@tparam tensor x
*/
static int l_free(lua_State *L) {
  tensor *t = test_tensor(L, 1);
  if (!t) return luaL_error(L, "free: tensor expected, got %s", luaL_typename(L, 1));
  if (lua_gc(L, LUA_GCISRUNNING) != -1) tensor_drop(t);
  return 0;
}

/***
Is v a tensor?
@function is_tensor
@param v anything
@treturn boolean
*/
static int l_is_tensor(lua_State *L) {
  lua_pushboolean(L, test_tensor(L, 1) != NULL);
  return 1;
}

/* is_freed(x): for tostring, which works on every tensor. */
static int l_is_freed(lua_State *L) {
  const tensor *t = test_tensor(L, 1);
  lua_pushboolean(L, t && !t->store);
  return 1;
}

/* ---- properties: x.shape, x.dtype … ---- */

static int get_shape(lua_State *L) {
  push_shape_table(L, &check_tensor(L, 1, "shape")->shape);
  return 1;
}

static int get_strides(lua_State *L) {
  const tensor *t = check_tensor(L, 1, "strides");
  lua_createtable(L, t->shape.ndim, 0);
  for (int d = 0; d < t->shape.ndim; d++) {
    lua_pushinteger(L, t->stride[d]);
    lua_rawseti(L, -2, d + 1);
  }
  return 1;
}

static int get_ndim(lua_State *L) { lua_pushinteger(L, check_tensor(L, 1, "ndim")->shape.ndim); return 1; }
static int get_size(lua_State *L) { lua_pushinteger(L, check_tensor(L, 1, "size")->count); return 1; }
static int get_dtype(lua_State *L) { lua_pushstring(L, dtypes[check_tensor(L, 1, "dtype")->dtype].name); return 1; }
static int get_device(lua_State *L) { push_place(L, check_tensor(L, 1, "device")->store->place); return 1; }

static int get_grad(lua_State *L) { check_tensor(L, 1, "grad"); lua_pushnil(L); return 1; }

static const luaL_Reg properties[] = {
  {"shape", get_shape}, {"strides", get_strides}, {"ndim", get_ndim}, {"size", get_size},
  {"dtype", get_dtype}, {"device", get_device}, {"T", get_T}, {"mT", get_mT}, {"grad", get_grad}, {NULL, NULL}
};

/* ---- access ---- */

static void copy_names(lua_State *L, int from, int to) {
  for (lua_pushnil(L); lua_next(L, from);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, to);
  }
}

/* upvalues are methods, properties. */
static int raise_unknown(lua_State *L, const char *name) {
  lua_newtable(L);
  int names = lua_gettop(L);
  copy_names(L, lua_upvalueindex(1), names);
  copy_names(L, lua_upvalueindex(2), names);
  const char *nearest = nearest_name(L, names, name);
  if (nearest) return luaL_error(L, "tensor has no \"%s\"; did you mean \"%s\"?", name, nearest);
  return luaL_error(L, "tensor has no \"%s\"", name);
}

/* nearest(table, name): the key most like name, or nil. */
static int l_nearest(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_pushstring(L, nearest_name(L, 1, luaL_checkstring(L, 2)));
  return 1;
}

/* x[key]: upvalues are methods, properties. */
static int l_index(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return index_get(L);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) {
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    return 1;
  }
  return raise_unknown(L, lua_tostring(L, 2));
}

/* x[key] = value */
static int l_newindex(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return index_set(L);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TNIL) return raise_unknown(L, lua_tostring(L, 2));
  return luaL_error(L, "cannot set \"%s\": the properties of a tensor are read-only", lua_tostring(L, 2));
}

/* #x: the length of the first dim. */
static int l_len(lua_State *L) {
  const tensor *t = check_tensor(L, 1, "#");
  if (t->shape.ndim == 0) return luaL_error(L, "#: a 0-d tensor has no length");
  lua_pushinteger(L, t->shape.dim[0]);
  return 1;
}

static int l_no_order(lua_State *L) {
  return luaL_error(L, "tensors are not ordered; use x:less(y), x:less_equal(y), x:greater(y), x:greater_equal(y)");
}

/* ---- opening ---- */

void add_functions(lua_State *L, const luaL_Reg *functions) {
  lua_pushvalue(L, 1);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}

void add_methods(lua_State *L, const luaL_Reg *methods) {
  add_functions(L, methods);
  lua_pushvalue(L, 2);
  luaL_setfuncs(L, methods, 0);
  lua_pop(L, 1);
}

static const luaL_Reg meta[] = {
  {"__gc", l_gc}, {"__close", l_free}, {"__len", l_len},
  {"__lt", l_no_order}, {"__le", l_no_order}, {NULL, NULL}
};
static const luaL_Reg functions[] = {{"is_tensor", l_is_tensor}, {"is_freed", l_is_freed}, {"nearest", l_nearest}, {NULL, NULL}};
static const luaL_Reg methods[] = {{"free", l_free}, {NULL, NULL}};

LUAMOD_API __attribute__((visibility("default"))) int luaopen_luatensor_core(lua_State *L);

int luaopen_luatensor_core(lua_State *L) {
  lua_settop(L, 0);
  lua_newtable(L);                       /* 1: the module */
  lua_newtable(L);                       /* 2: the methods */
  luaL_newlib(L, properties);            /* 3 */
  luaL_newmetatable(L, "luatensor.Tensor");   /* 4 */
  lua_pushvalue(L, 4);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &tensor_class);
  luaL_setfuncs(L, meta, 0);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 3);
  lua_pushcclosure(L, l_index, 2);
  lua_setfield(L, 4, "__index");
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 3);
  lua_pushcclosure(L, l_newindex, 2);
  lua_setfield(L, 4, "__newindex");
  add_functions(L, functions);
  add_methods(L, methods);
#define CALL_OPEN(library) open_##library(L);
  LIBRARIES(CALL_OPEN)
  lua_pushvalue(L, 2);
  lua_setfield(L, 1, "methods");
  lua_pushvalue(L, 3);
  lua_setfield(L, 1, "properties");
  lua_pushvalue(L, 4);
  lua_setfield(L, 1, "metatable");
  lua_pushboolean(L, 0);                 /* what getmetatable(x) gives */
  lua_setfield(L, 4, "__metatable");
  lua_settop(L, 1);
  return 1;
}
