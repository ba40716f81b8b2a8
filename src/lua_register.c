#include "lua_register.h"

#include <lauxlib.h>

const char tensor_class = 0;

static void add(lua_State *L, int table, const luaL_Reg *functions) {
  lua_pushvalue(L, table);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}

void add_functions(lua_State *L, const luaL_Reg *functions) { add(L, MODULE, functions); }
void add_method_forms(lua_State *L, const luaL_Reg *methods) { add(L, METHODS, methods); }
void add_properties(lua_State *L, const luaL_Reg *properties) { add(L, PROPERTIES, properties); }
void add_metamethods(lua_State *L, const luaL_Reg *metamethods) { add(L, METATABLE, metamethods); }

void add_methods(lua_State *L, const luaL_Reg *methods) {
  add(L, MODULE, methods);
  add(L, METHODS, methods);
}
