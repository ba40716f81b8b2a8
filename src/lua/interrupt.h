#ifndef LT_LUA_INTERRUPT_H
#define LT_LUA_INTERRUPT_H

/* Detects finalizers and debug hooks that interrupted an operation. Lua runs finalizers and hooks in the middle of
** other functions. If this function is an operation of the library, in C or in Lua, the finalizer or hook must not
** replace the memory of tensors, because the operation may use it. */

#include <lua.h>
#include <stdbool.h>

/* True if a finalizer or a debug hook that interrupted an operation is running. */
bool is_interrupting(lua_State *L);

/* True if a finalizer or a debug hook of this coroutine is running, regardless of the function that it interrupted. */
bool is_in_interrupt(lua_State *L);

/* True if the source name of a function (lua_Debug) is that of a Lua file of the library. Allocates no memory. */
bool is_own_source(lua_State *L, const char *source);

/* Raises an error if a finalizer or a debug hook interrupted an operation. `fn` is the called function. */
void check_no_interrupt(lua_State *L, const char *fn);

#endif
