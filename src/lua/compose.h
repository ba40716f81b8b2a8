#ifndef LT_LUA_COMPOSE_H
#define LT_LUA_COMPOSE_H

#include <lua.h>
#include <stdbool.h>

/* True if this level of the stack is a function written in Lua that a script called. */
bool is_composition(lua_State *L, lua_Debug *ar);

#endif
