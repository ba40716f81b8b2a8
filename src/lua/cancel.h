#ifndef LT_LUA_CANCEL_H
#define LT_LUA_CANCEL_H

/* Cancellation of long operations by the host, Ctrl-C or a count hook. */

#include <lua.h>

#include "base/cancel.h"

/* Call begin_operation before an operation and end_operation after it. In between, the host and L's count hook, if
** there is one, may cancel the operation, and no other thread can claim a loan of the state. */
void begin_operation(lua_State *L);
void end_operation(lua_State *L);

/* Raises the error that ended the operation: the error of a hook, or one that says that the host or the user
** cancelled `fn`. */
int raise_cancelled(lua_State *L, const char *fn);

#endif
