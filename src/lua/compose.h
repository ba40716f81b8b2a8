#ifndef LT_LUA_COMPOSE_H
#define LT_LUA_COMPOSE_H

#include <lua.h>
#include <stdbool.h>

/* True if the function at the level of `ar` is one written in Lua that a script called (see composition in
** compose.c). */
bool is_composition(lua_State *L, lua_Debug *ar);

#endif
