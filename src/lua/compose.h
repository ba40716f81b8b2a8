#ifndef LT_LUA_COMPOSE_H
#define LT_LUA_COMPOSE_H

#include <lua.h>
#include <stdbool.h>

/* True if the function at the level of `ar` is the wrapper that scripts call instead of one of the library's functions
** in Lua (see composition in compose.c). */
bool is_composition(lua_State *L, lua_Debug *ar);

#endif
