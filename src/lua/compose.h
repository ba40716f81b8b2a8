#ifndef LT_LUA_COMPOSE_H
#define LT_LUA_COMPOSE_H

#include <lua.h>
#include <stdbool.h>

/* True if a script called a function written in Lua at this level of the stack. */
bool is_composition(lua_State *L, lua_Debug *ar);

#endif
