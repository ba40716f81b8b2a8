#ifndef LT_LUA_DEFERRED_H
#define LT_LUA_DEFERRED_H

/* Deferred operations (op/deferral.h), for functions that use the elements of tensors. lua/compile.c opens the
** deferral. */

#include <lua.h>

#include "op/deferral.h"

/* Runs the list of the open deferral before `fn` uses elements, and raises its errors. fn is NULL if the list runs
** because it is full. Set by lua/compile.c. */
extern void (*the_deferred_runner)(lua_State *L, const char *fn);

/* Runs the deferred operations, if there are any. */
static inline void run_deferred(lua_State *L, const char *fn) {
  if (open_deferral) the_deferred_runner(L, fn);
}

/* Runs the deferred operations if the list is full, so that the state's limit of memory counts for them. */
static inline void end_full_list(lua_State *L) {
  if (open_deferral && deferral_is_mine(L) && deferral_is_full(open_deferral)) the_deferred_runner(L, NULL);
}

/* Keeps the value at stack index i alive until the open deferral, if there is one, is closed. */
void keep_for_list(lua_State *L, int i);
void forget_kept(lua_State *L);              /* called when the deferral is closed */

/* Raises an error if `fn` is called inside of a compiled function. */
void check_not_compiled(lua_State *L, const char *fn);

#endif
