#ifndef LT_LUA_CANCEL_H
#define LT_LUA_CANCEL_H

/* Cancellation of long operations by the host, Ctrl-C or a count hook. */

#include <lua.h>

#include "base/cancel.h"

/* The check of an operation that L runs: cancel_watch(is_cancelled, L). */
bool is_cancelled(void *L);

/* Raises the error that ended the operation. */
int raise_cancelled(lua_State *L, const char *fn);

#endif
