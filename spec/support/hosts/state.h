#ifndef LT_HOSTS_STATE_H
#define LT_HOSTS_STATE_H

/* Opens a Lua state with all libraries, and runs a script in it. */

#include <stdio.h>

#include <lauxlib.h>
#include <lualib.h>

static const char *script;

static lua_State *open_state(void) {
  lua_State *L = luaL_newstate();
  if (L) luaL_openlibs(L);
  return L;
}

/* Runs the script. Returns 0 if the script passed. */
static int run(lua_State *L) {
  if (luaL_dofile(L, script) == LUA_OK) return 0;
  fprintf(stderr, "%s: %s\n", script, lua_tostring(L, -1));
  return 1;
}

#endif
