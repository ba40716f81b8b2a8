#ifndef LT_LUA_CANCEL_H
#define LT_LUA_CANCEL_H

/* Long operations end at what the host, Ctrl-C or a count hook says. */

#include <lua.h>

#include "base/cancel.h"

/* The question of an operation that L runs: cancel_watch(is_cancelled, L). */
bool is_cancelled(void *L);

/* Raises what ended the operation. */
int raise_cancelled(lua_State *L, const char *fn);

#endif
