/* Opens the C module (luaopen_luatensor_core), which lua/luatensor loads. Also implements x.name and x[i] of tensors,
** and assignments to both. */

#include <string.h>

#include "autograd/autograd.h"
#include "lua/array/index.h"
#include "lua/collect.h"
#include "lua/register.h"
#include "lua/state.h"
#include "pjrt/device.h"

static void copy_names(lua_State *L, int from, int to) {
  for (lua_pushnil(L); lua_next(L, from);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, to);
  }
}

/* Raises the error for a method or property that does not exist. Upvalue 1 is the table of methods, upvalue 2 the
** table of properties. */
static int raise_unknown(lua_State *L, const char *name) {
  lua_newtable(L);
  int names = lua_gettop(L);
  copy_names(L, lua_upvalueindex(1), names);
  copy_names(L, lua_upvalueindex(2), names);
  return luaL_error(L, "tensor has no \"%s\"%s", name, push_help(L, "tensor", name, names));
}

/* The metamethod __index: returns x[key]. Upvalue 1 is the table of methods, upvalue 2 the table of properties. */
static int l_index(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return index_get(L);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) {
    lua_CFunction get = lua_tocfunction(L, -1);     /* the getter is called without a Lua frame of its own, so that
                                                    ** errors name the script's line */
    lua_settop(L, 1);
    return get(L);
  }
  return raise_unknown(L, lua_tostring(L, 2));
}

/* The metamethod __newindex: runs x[key] = value. */
static int l_newindex(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return index_set(L);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TNIL) return raise_unknown(L, lua_tostring(L, 2));
  if (strcmp(lua_tostring(L, 2), "grad") == 0) return set_grad(L);
  if (strcmp(lua_tostring(L, 2), "requires_grad") == 0) return set_requires_grad(L);
  return luaL_error(L, "cannot set \"%s\": the properties of a tensor are read-only, but for grad and requires_grad",
                    lua_tostring(L, 2));
}

/* Sets metamethod `event` to f, with the tables of methods and of properties as upvalues 1 and 2. */
static void set_access(lua_State *L, const char *event, lua_CFunction f) {
  lua_pushvalue(L, METHODS);
  lua_pushvalue(L, PROPERTIES);
  lua_pushcclosure(L, f, 2);
  lua_setfield(L, METATABLE, event);
}

static void export_table(lua_State *L, int table, const char *name) {
  lua_pushvalue(L, table);
  add_internal(L, name);
}

#define EXPORTED __attribute__((visibility("default")))
LUAMOD_API EXPORTED int luaopen_luatensor_core(lua_State *L);

/* Called by shared libraries that add a kind of device (docs/adding-a-device.md). */
EXPORTED const device *luatensor_host_device(void);
EXPORTED int luatensor_add_device(const device *d);

const device *luatensor_host_device(void) { return host_place().device; }
int luatensor_add_device(const device *d) { return device_add(d); }

int luaopen_luatensor_core(lua_State *L) {
  luaL_checkversion(L);                             /* lua/luatensor/base/loading.lua explains the error that a module
                                                    ** for another Lua version raises */
  lua_settop(L, 0);
  lua_newtable(L);                                  /* at stack index MODULE */
  lua_newtable(L);                                  /* at stack index METHODS */
  lua_newtable(L);                                  /* at stack index PROPERTIES */
  luaL_newmetatable(L, "luatensor.Tensor");         /* at stack index METATABLE */
  lua_newtable(L);                                  /* at stack index INTERNALS; a set of names, which are the keys */
  lua_pushvalue(L, METATABLE);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &tensor_class);
  set_access(L, "__index", l_index);
  set_access(L, "__newindex", l_newindex);
  if (open_state(L)) collect_start(state_of(L));
  pjrt_add_kinds();
#define LIBRARY(name) open_##name(L);
#include "families.def"
  lua_pushboolean(L, state_of(L)->sandbox);
  add_internal(L, "sandbox");
  lua_pushliteral(L, LT_VERSION);
  add_internal(L, "version");
  export_table(L, METHODS, "methods");
  export_table(L, PROPERTIES, "properties");
  export_table(L, METATABLE, "metatable");
  export_table(L, INTERNALS, "internals");
  lua_pushboolean(L, 0);                            /* the value that getmetatable(x) returns */
  lua_setfield(L, METATABLE, "__metatable");
  lua_settop(L, MODULE);
  return 1;
}
