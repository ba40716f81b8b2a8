#ifndef LT_LUA_COLLECT_H
#define LT_LUA_COLLECT_H

/* Decides when Lua's garbage collector runs, so that unused tensors are freed. */

#include "lua/state.h"

/* Called before `bytes` bytes are allocated for account a: collects garbage if a collection is due. */
void collect_if_due(lua_State *L, module_state *m, account *a, size_t bytes);

/* Called before a backward pass: runs a full collection if live bytes on `where` have grown at least half-way to the
** threshold at which collect_if_due runs one. Does nothing in incremental mode. */
void collect_grown(lua_State *L, place where);

/* Does one step of Lua's collector. In generational mode the step is a young collection. Returns true if an incremental
** collector has ended a cycle. */
bool collect_step(lua_State *L);

/* Does one step of the collector before the caller allocates memory on `where`. The allocation then does no further step,
** because in generational mode a tensor that survives two steps is freed only by a full collection. */
void collect_before(lua_State *L, place where);

/* Collects all garbage in any mode of Lua's collector, even if the script stopped the collector. Called if memory is
** exhausted. `a` may be NULL. */
void collect_all(lua_State *L, module_state *m, account *a);

/* Called before a large tensor is made while a graph is captured: collects all garbage, unless Lua's heap is large. A graph
** keeps its memory, also the memory that garbage took during the capture. */
void collect_for_graph(lua_State *L, module_state *m, account *a);

/* Requests that the other states of the process collect their garbage at their next allocation. */
void ask_others(module_state *m);

/* Initialises the collector's fields of a new state: the first estimate of the steps of an incremental cycle, and the
** number of earlier requests of other states, which the new state ignores. */
void collect_start(module_state *m);

#endif
