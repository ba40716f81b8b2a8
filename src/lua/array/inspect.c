/* Returns information about running functions and about values. Lua's debug library could provide this information,
** too, but hosts leave the debug library out of sandboxes. */

#include <stdbool.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

#include "lua/register.h"

enum { LEVELS = 60 };       /* levels 1 … LEVELS - 1 of the call stack are searched */

/* chunk(): returns the name of the calling chunk, like debug.getinfo(1, "S").source. */
static int l_chunk(lua_State *L) {
  lua_Debug ar;
  if (!lua_getstack(L, 1, &ar)) return 0;
  lua_getinfo(L, "S", &ar);
  lua_pushlstring(L, ar.source, ar.srclen);
  return 1;
}

/* True if the function belongs to the library, because the name of its chunk begins with the library's folder. `folder`
** is NULL if Lua files are bundled under other names or without names. In this case the result is true if the chunk's
** name contains "luatensor". */
static bool is_library(const lua_Debug *ar, const char *folder) {
  if (folder) return strncmp(ar->source, folder, strlen(folder)) == 0;
  return strstr(ar->source, "luatensor") != NULL;
}

/* script_line(folder): returns the running line of the script, such as "train.lua:12", or "?" if no chunk has line
** numbers. folder: the beginning of the names of the library's chunks; nil: unknown. */
static int l_script_line(lua_State *L) {
  const char *folder = lua_tostring(L, 1);
  lua_Debug ar;
  for (int level = 1; level < LEVELS && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    if (ar.currentline <= 0 || is_library(&ar, folder)) continue;
    lua_pushfstring(L, "%s:%d", ar.short_src, ar.currentline);
    return 1;
  }
  lua_pushliteral(L, "?");
  return 1;
}

/* running_self(folder, functions): searches the call stack from the innermost function outwards, up to the script's
** innermost function. Returns the first parameter of the first function found that is a key of `functions`, or nil if
** there is none. folder: as for script_line. */
static int l_running_self(lua_State *L) {
  const char *folder = lua_tostring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_Debug ar;
  for (int level = 1; level < LEVELS && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Slf", &ar);
    if (ar.currentline > 0 && !is_library(&ar, folder)) return 0;
    if (lua_rawget(L, 2) != LUA_TNIL && lua_getlocal(L, &ar, 1)) return 1;
    lua_pop(L, 1);
  }
  return 0;
}

/* is_callable(v): true for a function, or a value whose metatable has __call. */
static int l_is_callable(lua_State *L) {
  luaL_checkany(L, 1);
  /* Numbers are excluded, because open_number of lua/array/tensor.c gives them a metatable with __call. */
  bool has_call = lua_type(L, 1) != LUA_TNUMBER && luaL_getmetafield(L, 1, "__call") != LUA_TNIL;
  lua_pushboolean(L, lua_isfunction(L, 1) || has_call);
  return 1;
}

static const function_row functions[] = {
  {"chunk", l_chunk, INTERNAL}, {"script_line", l_script_line, INTERNAL}, {"running_self", l_running_self, INTERNAL},
  {"is_callable", l_is_callable, INTERNAL}, {NULL, NULL, 0}
};

void open_inspect(lua_State *L) { add_functions(L, functions); }
