#ifndef LT_LUA_CANCEL_H
#define LT_LUA_CANCEL_H

/* Cancellation of long operations by the host, Ctrl-C or a count hook. */

#include <lua.h>

#include "base/cancel.h"
#include "base/loan.h"

/* True if the operation that L (the context) runs is cancelled. */
bool is_cancelled(void *context);

/* Sets the state's field `running`, which other threads read. */
void announce_operation(lua_State *L, bool running);

/* Call begin_operation before an operation and end_operation after it. In between, the host and L's count hook, if
** there is one, may cancel the operation, and no other thread can claim a loan of the state. An operation in a hook is
** refused, so it changes nothing here. */
static inline void begin_operation(lua_State *L) {
  if (this_operation.inside) return;
  cancel_watch(is_cancelled, L);
  if (atomic_load_explicit(&loan_count, memory_order_relaxed) > 0) announce_operation(L, true);
}
static inline void end_operation(lua_State *L) {
  if (this_operation.inside) return;
  if (this_operation.announced) announce_operation(L, false);
  cancel_unwatch();
}

/* Begins an operation that the caller repeats after garbage is collected, if it fails with ERR_MEMORY. */
static inline void begin_first_try(lua_State *L) {
  begin_operation(L);
  if (!this_operation.inside) this_operation.repeats = true;
}

/* Raises the error that ended the operation: the error of a hook, or one that says that the host or the user
** cancelled `fn`. */
int raise_cancelled(lua_State *L, const char *fn);

#endif
