/* Functions of the operating system: sleep, terminals, folders, memory and processors. Only the library's own Lua files
** call them, not scripts. */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/system.h"
#include "lua/args.h"
#include "lua/register.h"

/* sleep(seconds): waits, and returns true. If a signal ends the sleep, such as Ctrl-C, returns false at once. */
static int l_sleep(lua_State *L) {
  lua_Number seconds = luaL_checknumber(L, 1);
  luaL_argcheck(L, seconds >= 0 && seconds <= 1e6, 1, "seconds from 0 to a million expected");
  lua_pushboolean(L, system_sleep(seconds));
  return 1;
}

/* terminal(fd): returns the columns of the terminal on file descriptor 1 or 2, or nil if the descriptor is no
** terminal. */
static int l_terminal(lua_State *L) {
  int columns = system_columns((int)luaL_checkinteger(L, 1));
  if (columns) lua_pushinteger(L, columns);
  else lua_pushnil(L);
  return 1;
}

/* cache_folder(): returns the user's cache folder, which is created if it is missing. On failure returns nil and the
** reason. */
static int l_cache_folder(lua_State *L) {
  char folder[SYSTEM_PATH];
  lua_pushnil(L);
  if (!system_cache_folder(folder)) {
    lua_pushliteral(L, "no folder for a cache: none of LUATENSOR_CACHE, XDG_CACHE_HOME and HOME names one");
    return 2;
  }
  bool there = system_make_folder(folder);
  int why = errno;
  lua_pushstring(L, folder);
  if (there) return 1;
  lua_pushfstring(L, "%s: %s", lua_tostring(L, -1), strerror(why));
  lua_remove(L, -2);
  return 2;
}

static int push_failure(lua_State *L) {
  int why = errno;
  lua_pushnil(L);
  lua_pushstring(L, strerror(why));
  return 2;
}

/* output_file(path): returns `path` with its symbolic links resolved. If the file cannot be written, returns nil and
** the reason. */
static int l_output_file(lua_State *L) {
  char target[SYSTEM_PATH];
  bool in_place;
  if (!system_output(luaL_checkstring(L, 1), target, &in_place)) return push_failure(L);
  lua_pushstring(L, target);
  return 1;
}

/* Pushes a number of bytes, or nil if the number is SIZE_MAX, which means unknown. */
static int push_size(lua_State *L, size_t bytes) {
  if (bytes != SIZE_MAX) lua_pushinteger(L, (lua_Integer)bytes);
  else lua_pushnil(L);
  return 1;
}

/* available_memory(device): returns the bytes that tensors can still take on the device, including cached memory, or
** nil if unknown. */
static int l_available_memory(lua_State *L) {
  place p = check_place(L, 1, "available_memory");
  size_t bytes = SIZE_MAX;
  int status = p.device->available ? p.device->available(p.index, &bytes) : OK;
  return status == OK ? push_size(L, bytes) : raise_device(L, "available_memory", status, p);
}

/* system_memory([root]): returns the memory limit of the process and the memory that is still available, in bytes.
** Unknown numbers are nil. Specs pass a folder `root` whose files replace /proc and /sys. */
static int l_system_memory(lua_State *L) {
  size_t available, most = system_memory(luaL_optstring(L, 1, ""), &available);
  push_size(L, most);
  push_size(L, available);
  return 2;
}

/* processors([root]): returns the number of processors that the process may use. The second result is the processor
** time that a control group allows, in processors, or nil if there is no limit. `root` is as in system_memory. */
static int l_processors(lua_State *L) {
  double quota;
  lua_pushinteger(L, system_processors(luaL_optstring(L, 1, ""), &quota));
  if (quota > 0) lua_pushnumber(L, quota);
  else lua_pushnil(L);
  return 2;
}

static const function_row functions[] = {
  {"sleep", l_sleep, OUTSIDE}, {"terminal", l_terminal, INTERNAL}, {"cache_folder", l_cache_folder, OUTSIDE},
  {"output_file", l_output_file, OUTSIDE},
  {"available_memory", l_available_memory, INTERNAL}, {"system_memory", l_system_memory, INTERNAL},
  {"processors", l_processors, INTERNAL}, {NULL, NULL, 0}
};

void open_system(lua_State *L) { add_functions(L, functions); }
