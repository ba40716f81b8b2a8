/* Linked into builds with sanitizers: counts the edges of C and Lua code that a run passes, for the fuzzer in this
** folder. An edge is a pair of consecutive places, as in AFL; a place is a basic block of C or a line of Lua. Edges
** and places are hashed to bytes in two maps. gcc calls __sanitizer_cov_trace_pc in each basic block; a line hook
** does the same for Lua. Nothing is recorded before `start` is called. Hashes depend on the build only, not on
** addresses in the process. */

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MAP = 1 << 20, SOURCES = 256 };     /* MAP: bytes of a map, 50 times more than a run uses, so few edges share one */

static unsigned char edge_seen[MAP], place_seen[MAP];
static long edges, places;

/* State of the thread that runs the fuzzer; threads of parallel loops do not record. Each basic block reads this
** state. Without this TLS model, a third of a run's time would be spent in __tls_get_addr, which ASan intercepts. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct { bool on; uint32_t last; } recorder;

void __sanitizer_cov_trace_pc(void);
int luaopen_edges(lua_State *L);

static void see(unsigned char *map, uint32_t at, long *count) {
  unsigned char *byte = &map[at % MAP];
  *count += !*byte;
  *byte = 1;
}

static void pass(uint64_t place) {
  uint32_t at = (uint32_t)((place * 0x9E3779B97F4A7C15u) >> 40);
  see(place_seen, at, &places);
  see(edge_seen, at ^ recorder.last, &edges);
  recorder.last = at >> 1;
}

__attribute__((visibility("default")))
void __sanitizer_cov_trace_pc(void) {
  if (recorder.on) pass((uintptr_t)__builtin_return_address(0) - (uintptr_t)edge_seen);
}

/* Returns a hash of the name of the file that contains a line, if this file belongs to the library. Returns 0 for other
** files and for chunks that were not loaded from files. Files stay loaded, so the address of a name identifies the
** name. */
static uint64_t hash_file(const lua_Debug *at) {
  static struct { const char *name; uint64_t hash; } known[SOURCES];
  if (*at->source != '@') return 0;
  size_t slot = ((uintptr_t)at->source >> 4) % SOURCES;
  if (known[slot].name != at->source) {
    uint64_t hash = 0;
    const char *name = strstr(at->source, "luatensor/");
    for (; name && *name; name++) hash = hash * 31 + (unsigned char)*name;
    known[slot].name = at->source;
    known[slot].hash = hash;
  }
  return known[slot].hash;
}

static void on_line(lua_State *L, lua_Debug *at) {
  if (!recorder.on) return;
  lua_getinfo(L, "S", at);
  uint64_t file = hash_file(at);
  if (file) pass(file * 31 + (uint64_t)at->currentline);
}

/* start(): begins to record edges. */
static int l_start(lua_State *L) {
  lua_sethook(L, on_line, LUA_MASKLINE, 0);
  recorder.last = 0;
  recorder.on = true;
  return 0;
}

/* stop() → the numbers of edges and of places since the process began */
static int l_stop(lua_State *L) {
  recorder.on = false;
  lua_sethook(L, NULL, 0, 0);
  lua_pushinteger(L, edges);
  lua_pushinteger(L, places);
  return 2;
}

__attribute__((visibility("default")))
int luaopen_edges(lua_State *L) {
  static const luaL_Reg functions[] = {{"start", l_start}, {"stop", l_stop}, {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
