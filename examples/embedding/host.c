/* A host that runs untrusted scripts in a sandbox, with a memory limit, a time limit, and a function for messages.
**
**   cc host.c $(pkg-config --cflags --libs lua5.4) -pthread -o host */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lauxlib.h>
#include <lualib.h>
#include <luatensor.h>

enum { SECONDS = 1, LIMIT = 64 << 20 };

/* The warn function of the state: prints messages, which the module and scripts send as Lua warnings. Ignores control
** messages ("@on" and "@off"). */
static void message(void *prefix, const char *text, int continues) {
  if (*text != '@') printf("%s: %s%s", (const char *)prefix, text, continues ? "" : "\n");
}

/* The argument of `ring`, which a second thread runs: when the time is over, `ring` sets the cancel flag. */
typedef struct alarm { const luatensor_api *lt; luatensor_cancel *flag; } alarm_clock;

static void *ring(void *arg) {
  const alarm_clock *a = arg;
  struct timespec time = {.tv_sec = SECONDS};
  nanosleep(&time, NULL);
  a->lt->set_cancel(a->flag, 1);
  return NULL;
}

/* Opens Lua's libraries except io, os and debug. Then opens luatensor as a sandbox. Leaves the address of luatensor's
** functions on the stack. */
static int open_state(lua_State *L) {
  static const luaL_Reg libraries[] = {
    {"_G", luaopen_base}, {"package", luaopen_package}, {"string", luaopen_string}, {"table", luaopen_table},
    {"math", luaopen_math}, {"coroutine", luaopen_coroutine}, {NULL, NULL}
  };
  for (const luaL_Reg *l = libraries; l->name; l++) {
    luaL_requiref(L, l->name, l->func, 1);
    lua_pop(L, 1);
  }
  luatensor_sandbox(L);
  const luatensor_api *lt = luatensor_open(L, LUATENSOR_ABI);
  lt->set_memory_limit(L, LIMIT);
  lua_pushlightuserdata(L, (void *)(size_t)lt);
  return 1;
}

/* Runs a script with a time limit. Leaves its result, or its error, on the stack as a string. */
static void run(lua_State *L, const luatensor_api *lt, const char *script) {
  alarm_clock a = {lt, lt->cancel_flag(L)};
  pthread_t thread;
  pthread_create(&thread, NULL, ring, &a);
  if (luaL_loadstring(L, script) == LUA_OK) lua_pcall(L, 0, 1, 0);
  pthread_join(thread, NULL);                 /* a real host would end the thread of `ring` instead of waiting */
  lt->set_cancel(a.flag, 0);
  luaL_tolstring(L, -1, NULL);
}

int main(void) {
  static const struct { const char *script, *answer; } scripts[] = {
    {"return require('luatensor').ones(2, 3):sum()", "6.0"},
    {"local lt = require 'luatensor'  warn('half done')  return lt.zeros(10000, 10000)", "out of memory"},
    {"local lt = require 'luatensor'  return lt.save('/tmp/stolen.npy', lt.ones(1))", "not in a sandbox"},
    {"local lt = require 'luatensor'  return lt.ones(1):expand(1 << 40):sum()", "cancelled by the host"}
  };
  static char prefix[] = "script";
  lua_State *L = luaL_newstate();
  lua_setwarnf(L, message, prefix);
  lua_pushcfunction(L, open_state);
  if (lua_pcall(L, 0, 1, 0) != LUA_OK) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    return 1;
  }
  const luatensor_api *lt = lua_touserdata(L, -1);
  int failed = 0;
  for (size_t k = 0; k < sizeof scripts / sizeof *scripts; k++) {
    run(L, lt, scripts[k].script);
    const char *got = lua_tostring(L, -1);
    printf("%s\n", got);
    failed |= strstr(got, scripts[k].answer) == NULL;
    lua_settop(L, 0);
  }
  lua_close(L);
  return failed;
}
