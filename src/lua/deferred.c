#include "lua/deferred.h"

#include <lauxlib.h>

void (*the_deferred_runner)(lua_State *L, const char *fn) = NULL;

static const char kept_key = 0;              /* registry key of a table whose keys are the values that are kept, or nil */

void keep_for_list(lua_State *L, int i) {
  if (!open_deferral) return;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &kept_key) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &kept_key);
  }
  lua_pushvalue(L, i);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

void forget_kept(lua_State *L) {
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kept_key);
}

void check_not_compiled(lua_State *L, const char *fn) {
  if (open_deferral) luaL_error(L, "%s: not inside of a compiled function", fn);
}
