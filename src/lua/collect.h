#ifndef LT_LUA_COLLECT_H
#define LT_LUA_COLLECT_H

/* Decides when Lua's collector works for tensors. */

#include "lua/state.h"

/* Called before `bytes` are allocated: collects garbage if a collection is due. */
void collect_if_due(lua_State *L, module_state *m, account *a, size_t bytes);

/* Collects garbage if many bytes have been allocated since the last full collection. */
void collect_grown(lua_State *L, place where);

/* Does one step of Lua's collector. In generational mode the step is a young collection. Returns true if an incremental
** collector has ended a cycle. */
bool collect_step(lua_State *L);

/* Collects all garbage in any mode of Lua's collector, even if the script stopped it, because memory is exhausted. a
** may be NULL. */
void collect_all(lua_State *L, module_state *m, account *a);

/* Asks the other states of the process to collect their garbage at their next allocation. */
void ask_others(module_state *m);

/* Prepares a new state. */
void collect_start(module_state *m);

#endif
