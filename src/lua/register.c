#include "lua/register.h"

#include <lauxlib.h>
#include <stdint.h>
#include <string.h>

#include "lua/args.h"
#include "lua/state.h"

const char tensor_class = 0;

/* Checks the number of arguments and calls the function of a function_row, which is upvalue 1. */
static int l_bounded(lua_State *L) {
  const function_row *row = lua_touserdata(L, lua_upvalueindex(1));
  check_most(L, row->name, row->most);
  return row->call(L);                              /* called from this function, so that errors name the script's
                                                    ** line */
}

static void push_function(lua_State *L, const function_row *row) {
  if (row->most == OUTSIDE && state_of(L)->sandbox) {
    push_refusal(L, row->name);
  } else if (row->most < 0) {
    lua_pushcfunction(L, row->call);
  } else {
    lua_pushlightuserdata(L, (void *)(uintptr_t)row);
    lua_pushcclosure(L, l_bounded, 1);
  }
}

void set_functions(lua_State *L, const function_row *functions) {
  for (const function_row *row = functions; row->name; row++) {
    push_function(L, row);
    lua_setfield(L, -2, row->name);
  }
}

void push_library(lua_State *L, const function_row *functions) {
  lua_newtable(L);
  set_functions(L, functions);
}

void add_functions(lua_State *L, const function_row *functions) {
  for (const function_row *row = functions; row->name; row++) {
    push_function(L, row);
    if (row->most <= INTERNAL)
      add_internal(L, row->name);
    else
      lua_setfield(L, MODULE, row->name);
  }
}

void add_method_forms(lua_State *L, const function_row *methods) {
  lua_pushvalue(L, METHODS);
  set_functions(L, methods);
  lua_pop(L, 1);
}

/* The module and the methods get the same value, so that lt.f == x.f. */
void add_methods(lua_State *L, const function_row *methods) {
  for (const function_row *row = methods; row->name; row++) {
    push_function(L, row);
    lua_pushvalue(L, -1);
    lua_setfield(L, MODULE, row->name);
    lua_setfield(L, METHODS, row->name);
  }
}

static void add(lua_State *L, int table, const luaL_Reg *functions) {
  lua_pushvalue(L, table);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}

void add_properties(lua_State *L, const luaL_Reg *properties) { add(L, PROPERTIES, properties); }
void add_metamethods(lua_State *L, const luaL_Reg *metamethods) { add(L, METATABLE, metamethods); }

void add_library(lua_State *L, const char *library, const luaL_Reg *functions) {
  luaL_getsubtable(L, MODULE, library);
  luaL_setfuncs(L, functions, 0);
  add_internal(L, library);
}

void add_class(lua_State *L, const void *class, const char *name, const luaL_Reg *metamethods,
               const function_row *methods) {
  if (name) luaL_newmetatable(L, name);
  else lua_newtable(L);
  luaL_setfuncs(L, metamethods, 0);
  if (methods) {
    push_library(L, methods);
    lua_setfield(L, -2, "__index");
  }
  lua_pushboolean(L, 0);                            /* the value that getmetatable(x) returns */
  lua_setfield(L, -2, "__metatable");
  lua_rawsetp(L, LUA_REGISTRYINDEX, class);
}

void *push_object(lua_State *L, const void *class, size_t size, int values) {
  void *object = memset(lua_newuserdatauv(L, size, values), 0, size);
  lua_rawgetp(L, LUA_REGISTRYINDEX, class);
  lua_setmetatable(L, -2);
  return object;
}
