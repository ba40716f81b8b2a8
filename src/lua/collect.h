#ifndef LT_LUA_COLLECT_H
#define LT_LUA_COLLECT_H

/* When Lua's collector works for tensors. */

#include "lua/state.h"

/* Before `bytes` are allocated: collects garbage where that is due. */
void collect_if_due(lua_State *L, module_state *m, account *a, size_t bytes);

/* Collects garbage where much has been made since the last full collection. */
void collect_grown(lua_State *L, place where);

/* One step of Lua's collector: a young collection in generational mode. True: an incremental collector has ended a cycle. */
bool collect_step(lua_State *L);

/* Collects all garbage, whatever mode Lua's collector is in, also where the script stopped it: memory is out. a: or NULL. */
void collect_all(lua_State *L, module_state *m, account *a);

/* Asks the other states of the process to collect their garbage at their next allocation. */
void ask_others(module_state *m);

/* Prepares a new state. */
void collect_start(module_state *m);

#endif
