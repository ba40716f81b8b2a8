/* How many threads, and what computes. */

#include "lua_args.h"
#include "lua_register.h"

enum { MOST_THREADS = 1024 };

/***
Sets how many threads an operation may use; small ones use fewer.
@function set_num_threads
@tparam integer n 1 or more; in a forked child only 1
*/
static int l_set_num_threads(lua_State *L) {
  int64_t n = check_integer(L, 1, "set_num_threads", "number of threads");
  if (n < 1 || n > MOST_THREADS)
    return luaL_error(L, "set_num_threads: %I is not from 1 to %d", (LUAI_UACINT)n, MOST_THREADS);
  int st = cpu_device.set_threads((int)n);
  if (st == ERR_MEMORY) return luaL_error(L, "set_num_threads: the system does not start %d threads", (int)n);
  if (st != OK)
    return luaL_error(L, "set_num_threads: a forked process has one thread; set it before, or start anew with io.popen");
  return 0;
}

/***
@function get_num_threads
@treturn integer how many threads an operation may use
*/
static int l_get_num_threads(lua_State *L) {
  lua_pushinteger(L, cpu_device.threads());
  return 1;
}

/***
What computes: kernels, threads, BLAS and its processor type and threading; of a GPU the driver and libraries. For people
and bug reports.
@function config
@treturn string
*/
static int l_config(lua_State *L) {
  char text[1024];
  int top = lua_gettop(L);
  for (int k = 0; device_kinds[k]; k++) {
    const device *d = device_kinds[k];
    if (d->count() == 0) continue;
    d->describe(text, sizeof text);
    if (k > 0) lua_pushfstring(L, "; %s: %s", d->name, text);
    else lua_pushstring(L, text);
  }
  lua_concat(L, lua_gettop(L) - top);
  return 1;
}

static const function_row functions[] = {
  {"set_num_threads", l_set_num_threads, 1}, {"get_num_threads", l_get_num_threads, 0}, {"config", l_config, 0},
  {NULL, NULL, 0}
};

void open_thread(lua_State *L) { add_functions(L, functions); }
