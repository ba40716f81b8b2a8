/* Functions about the threads of an operation (set_num_threads, get_num_threads) and the description `config`. */

#include <stdlib.h>

#include "base/system.h"
#include "lua/args.h"
#include "lua/register.h"
#include "lua/state.h"

/***
Sets how many threads an operation may use, in all states of the process. Small operations use fewer threads. All
operations use fewer threads if the system refuses to start that many. The default is `OMP_NUM_THREADS` (at most
`OMP_THREAD_LIMIT`), else the number of processors that the process may use: the processors on which it may run, or its
container's share of them. The default is at most the greatest `n` that this function accepts.
@function set_num_threads
@tparam integer n at least 1, at most the greater of 64 and 4 × the number of processors
*/
static int l_set_num_threads(lua_State *L) {
  check_no_sandbox(L, "set_num_threads");
  int64_t n = check_integer(L, 1, "set_num_threads", "number of threads");
  if (n < 1 || n > system_most_threads())
    return luaL_error(L, "set_num_threads: %I is not from 1 to %d", (LUAI_UACINT)n, system_most_threads());
  host_place().device->set_threads((int)n);
  return 0;
}

/*** Returns the number of threads.
@function get_num_threads
@treturn integer the number of threads that an operation may use: the number that was set, or fewer if the system
  refused to start that many
*/
static int l_get_num_threads(lua_State *L) {
  lua_pushinteger(L, host_place().device->threads());
  return 1;
}

/***
Describes the software that computes: kernels, threads, BLAS with its processor type and threading, and the driver and
libraries of a GPU. The text is for people and bug reports.
@function config
@treturn string
*/
static int l_config(lua_State *L) {
  char text[1024];
  int top = lua_gettop(L);
  const device *d;
  for (int k = 0; (d = device_kind(k)); k++) {
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

/* Raises an error if LUATENSOR_CPU has no valid value, because the variable would otherwise be ignored. */
static void check_environment(lua_State *L) {
  isa_level most;
  if (!system_isa_limit(&most))
    luaL_error(L, "luatensor: LUATENSOR_CPU is \"%s\"; " ISA_TEXT_base ", " ISA_TEXT_avx2 " or " ISA_TEXT_avx512 " expected",
               getenv("LUATENSOR_CPU"));
}

void open_thread(lua_State *L) {
  check_environment(L);
  add_functions(L, functions);
}
