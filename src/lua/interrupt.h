#ifndef LT_LUA_INTERRUPT_H
#define LT_LUA_INTERRUPT_H

/* Finalizers and debug hooks run in the middle of other functions. They must not replace the memory of tensors while an
** operation of this library, in C or in Lua, is the function that they interrupted. */

#include <lua.h>
#include <stdbool.h>

/* True if a finalizer or a debug hook runs, and interrupted an operation. */
bool is_interrupting(lua_State *L);

/* True if a finalizer or a debug hook of this coroutine runs, whatever it interrupted. */
bool is_in_interrupt(lua_State *L);

/* Raises an error where a finalizer or a debug hook interrupted an operation; `fn` is what was called. */
void check_no_interrupt(lua_State *L, const char *fn);

#endif
