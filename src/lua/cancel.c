/* Cancels operations. Ctrl-C under lua5.4 sets a debug hook, and hosts implement time-outs by count hooks, but Lua does
** not run hooks during a C function. So this file runs hooks between pieces of work. An error of a hook ends the
** operation. A host may also cancel an operation, from any thread, by the state's field `cancelled` (lua/state.h). */

#include "lua/cancel.h"

#include <lauxlib.h>

#include "lua/args.h"
#include "lua/state.h"

static const int EVERY_EVENT = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;

/* Calls the debug hook as Lua would. Level 0 of the call stack is this function, so level 1 is the operation. */
static int l_run_hook(lua_State *L) {
  lua_Debug ar;
  lua_Hook hook = lua_gethook(L);
  if (!hook || !lua_getstack(L, 1, &ar)) return 0;
  ar.event = LUA_HOOKCOUNT;
  ar.currentline = -1;
  hook(L, &ar);
  return 0;
}

/* Pops the value at the top and keeps it as the error that ends the operation. Returns true. */
static bool keep_reason(lua_State *L) {
  push_state_userdata(L);
  lua_insert(L, -2);
  lua_setiuservalue(L, -2, 1);
  lua_pop(L, 1);
  return true;
}

/* True if L is not the main thread and the main thread has a hook for the next event of any kind. The program lua
** sets such a hook when Ctrl-C is pressed. */
static bool is_main_interrupted(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  lua_State *main = lua_tothread(L, -1);
  lua_pop(L, 1);
  return main != L && lua_gethook(main) && lua_gethookmask(main) == EVERY_EVENT && lua_gethookcount(main) == 1;
}

/* An error of L's count hook cancels the operation. */
bool is_cancelled(void *context) {
  lua_State *L = context;
  if (atomic_load_explicit(&state_of(L)->cancelled, memory_order_relaxed)) return true;
  if (!lua_checkstack(L, LUA_MINSTACK)) return false;
  if (lua_gethook(L) && (lua_gethookmask(L) & LUA_MASKCOUNT)) {
    lua_pushcfunction(L, l_run_hook);
    return lua_pcall(L, 0, 0, 0) != LUA_OK && keep_reason(L);
  }
  return is_main_interrupted(L);
}

void announce_operation(lua_State *L, bool running) {
  atomic_store_explicit(&state_of(L)->running, running, memory_order_release);
  this_operation.announced = running;
}

int raise_cancelled(lua_State *L, const char *fn) {
  push_state_userdata(L);
  lua_getiuservalue(L, -1, 1);
  lua_pushnil(L);
  lua_setiuservalue(L, -3, 1);
  if (!lua_isnil(L, -1)) return lua_error(L);
  /* The host may have cleared its flag meanwhile. The hook of the main thread stays until the main thread runs. */
  bool host = atomic_load_explicit(&state_of(L)->cancelled, memory_order_relaxed) || !is_main_interrupted(L);
  return luaL_error(L, "%s: %s", fn, host ? "cancelled by the host" : "interrupted");
}
