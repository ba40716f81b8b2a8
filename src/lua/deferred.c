#include "lua/deferred.h"

#include <lauxlib.h>

void (*the_deferred_runner)(lua_State *L, const char *fn) = NULL;

void check_not_compiled(lua_State *L, const char *fn) {
  if (open_deferral) luaL_error(L, "%s: not inside of a compiled function", fn);
}
