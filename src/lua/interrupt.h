#ifndef LT_LUA_INTERRUPT_H
#define LT_LUA_INTERRUPT_H

/* Finalizers and debug hooks run in the middle of other functions. A finalizer or hook that interrupted an operation
** of this library, in C or in Lua, must not replace the memory of tensors. */

#include <lua.h>
#include <stdbool.h>

/* True if a finalizer or a debug hook that interrupted an operation is running. */
bool is_interrupting(lua_State *L);

/* True if a finalizer or a debug hook of this coroutine is running, regardless of the function that it interrupted. */
bool is_in_interrupt(lua_State *L);

/* Raises an error if a finalizer or a debug hook interrupted an operation. `fn` is the called function. */
void check_no_interrupt(lua_State *L, const char *fn);

#endif
