#ifndef LT_LUA_COMPOSE_H
#define LT_LUA_COMPOSE_H

#include <lua.h>
#include <stdbool.h>

/* Is this level of the stack where a script called a function written in Lua? */
bool is_composition(lua_State *L, lua_Debug *ar);

#endif
