#ifndef LT_LUA_AUTOGRAD_H
#define LT_LUA_AUTOGRAD_H

#include <lua.h>

/* x.grad = g, x.requires_grad = flag: the value is at 3. */
int set_grad(lua_State *L);
int set_requires_grad(lua_State *L);

#endif
