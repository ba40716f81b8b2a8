/* The Lua modules "emulator" and "emulator_hip", by which specs configure the emulated driver and read its counters. The
** first module is linked with the emulated libcuda.so.1, the second with the emulated libamdhip64.so. */

#include <lauxlib.h>
#include <lua.h>
#include <stdint.h>

int     emulator_configure(const char *settings);
int64_t emulator_count(int kind);

/* configure("fail_alloc=3,order=lazy"): changes settings, which have the form of LUATENSOR_EMULATOR. */
static int l_configure(lua_State *L) {
  if (emulator_configure(luaL_checkstring(L, 1)))
    return luaL_error(L, "unknown setting in '%s'", lua_tostring(L, 1));
  return 0;
}

/* counts(): returns a table with the number of calls of each kind so far. */
static int l_counts(lua_State *L) {
  static const char *const kinds[] = {"allocations", "launches", "copies", "compiles", "graphs", "products",
                                      "pinned", "waits", "transforms", "factorizations", "convolutions", "handles",
                                      "objects", "direct", "split", NULL};
  lua_newtable(L);
  for (int i = 0; kinds[i]; i++) {
    lua_pushinteger(L, emulator_count(i));
    lua_setfield(L, -2, kinds[i]);
  }
  return 1;
}

static const luaL_Reg functions[] = {{"configure", l_configure}, {"counts", l_counts}, {NULL, NULL}};

int luaopen_emulator(lua_State *L) {
  luaL_newlib(L, functions);
  return 1;
}

int luaopen_emulator_hip(lua_State *L) { return luaopen_emulator(L); }
