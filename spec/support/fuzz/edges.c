/* Linked into builds with sanitizers: which edges of C and of Lua a run has passed, for the fuzzer in this folder. An edge
** is a pair of places that followed each other; its hash is a bit in one map. gcc calls __sanitizer_cov_trace_pc in each
** basic block; a line hook does the same for Lua. Nothing is recorded unless `start` was called. */

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { EDGES = 1 << 18 };                  /* a tenth of them in use: few pairs share one */

static unsigned char seen[EDGES];
static _Thread_local bool recording;       /* the thread of the fuzzer, not those of loops */
static _Thread_local uintptr_t last;
static long found;

void __sanitizer_cov_trace_pc(void);
int luaopen_edges(lua_State *L);

static void pass(uintptr_t place) {
  uintptr_t at = (place * 0x9E3779B97F4A7C15u) >> 40;
  unsigned char *edge = &seen[(at ^ last) % EDGES];
  last = at >> 1;
  if (*edge) return;
  *edge = 1;
  found++;
}

__attribute__((visibility("default"), no_sanitize("address", "undefined")))
void __sanitizer_cov_trace_pc(void) {
  if (recording) pass((uintptr_t)__builtin_return_address(0));
}

static void on_line(lua_State *L, lua_Debug *at) {
  lua_getinfo(L, "S", at);
  if (recording && strstr(at->short_src, "luatensor")) pass((uintptr_t)at->source * 31 + (uintptr_t)at->currentline);
}

/* start(): edges from here on count. */
static int l_start(lua_State *L) {
  lua_sethook(L, on_line, LUA_MASKLINE, 0);
  last = 0;
  recording = true;
  return 0;
}

/* stop() → how many edges have been passed since the process began */
static int l_stop(lua_State *L) {
  recording = false;
  lua_sethook(L, NULL, 0, 0);
  lua_pushinteger(L, found);
  return 1;
}

__attribute__((visibility("default")))
int luaopen_edges(lua_State *L) {
  static const luaL_Reg functions[] = {{"start", l_start}, {"stop", l_stop}, {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
