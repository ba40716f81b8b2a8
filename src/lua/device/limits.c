/* Functions that measure the speed of a device: arithmetic, memory and caches. */

#include "lua/args.h"
#include "lua/register.h"

static void set_number(lua_State *L, const char *name, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

/*** Measures the limits of a device with loops that only compute or only access memory. On the CPU the loops run on all
threads in use. This takes about a second and needs an idle device. The arithmetic uses the ordinary units; a GPU's
tensor cores are faster.
@function limits
@string[opt] device by default the default device
@string[opt="float32"] dtype whose arithmetic is measured
@treturn table `flops`: additions and multiplications per second; `read` and `copy`: bytes per second; a copy counts the
  bytes read and the bytes written
*/
static int l_limits(lua_State *L) {
  place where = arg_place(L, 1, "limits");
  enum dtype dtype = lua_isnoneornil(L, 2) ? DT_float32 : check_dtype(L, 2, "limits");
  device_limits limits;
  if (!where.device->limits)
    return luaL_error(L, "limits: not measured on %s", push_place(L, where));
  int status = where.device->limits(where.index, dtype, &limits);
  if (status == ERR_NO_KERNEL) return luaL_error(L, "limits: not measured for %s", dtypes[dtype].name);
  if (status == ERR_DEVICE || status == ERR_CAPTURE) return raise_device(L, "limits", status, where);
  if (status != OK) return raise(L, "limits", status, NULL, 0);
  lua_createtable(L, 0, 3);
  set_number(L, "flops", limits.flops);
  set_number(L, "read", limits.read);
  set_number(L, "copy", limits.copy);
  return 1;
}

/* working_set(device, bytes), for the library's own Lua files: measures the repeated reading of this many bytes, by
** each CPU thread or by the whole GPU. Returns {read = bytes per second, latency = seconds of a dependent load, nil if
** not measured}. */
static int l_working_set(lua_State *L) {
  place where = check_place(L, 1, "working_set");
  lua_Integer bytes = luaL_checkinteger(L, 2);
  device_working_set w;
  luaL_argcheck(L, bytes > 0, 2, "a number of bytes expected");
  if (!where.device->working_set) return luaL_error(L, "working_set: not measured on %s", lua_tostring(L, 1));
  int status = where.device->working_set(where.index, (size_t)bytes, &w);
  if (status == ERR_DEVICE || status == ERR_CAPTURE) return raise_device(L, "working_set", status, where);
  if (status != OK) return raise(L, "working_set", status, NULL, 0);
  lua_createtable(L, 0, 2);
  set_number(L, "read", w.read);
  if (w.latency > 0) set_number(L, "latency", w.latency);
  return 1;
}

static const function_row functions[] = {{"limits", l_limits, 2}, {"working_set", l_working_set, INTERNAL}, {NULL, NULL, 0}};

void open_limits(lua_State *L) { add_functions(L, functions); }
