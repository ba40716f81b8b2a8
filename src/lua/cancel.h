#ifndef LT_LUA_CANCEL_H
#define LT_LUA_CANCEL_H

/* Cancellation of long operations by the host, Ctrl-C or a count hook. */

#include <lua.h>

#include "base/cancel.h"

/* True if the operation that L runs is cancelled. Runs L's count hook, if there is one. An error of the hook cancels
** the operation. Pass this function as cancel_watch(is_cancelled, L). */
bool is_cancelled(void *L);

/* Raises the error that ended the operation: the error of a hook, or one that says that the host or the user
** cancelled `fn`. */
int raise_cancelled(lua_State *L, const char *fn);

#endif
