/* An event loop with coroutines. Tasks are coroutines of one state that yield while they wait. An operation of
** luatensor does not yield, so long work goes to a worker thread with its own state. The worker writes its result into
** memory of the host, and then a byte into a pipe, which the loop polls. The two states share nothing.
**
**   cc loop.c $(pkg-config --cflags --libs lua5.4) -pthread -o loop */

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lualib.h>
#include <luatensor.h>

enum { N = 300 };

/* ---- the worker ---- */

typedef struct work {
  pthread_t thread;
  int       done[2];                     /* the worker writes to done[1], the loop polls done[0] */
  float     product[N * N];
} work;

static int multiply(lua_State *L) {
  work *w = lua_touserdata(L, 1);
  int64_t shape[] = {N, N};
  luatensor_array result = luatensor_rows(w->product, LUATENSOR_float32, 2, shape);
  luaL_openlibs(L);
  const luatensor_api *lt = luatensor_open(L, LUATENSOR_ABI);
  luaL_loadstring(L, "local lt, y, n = require 'luatensor', ...  lt.matmul(lt.ones(n, n), lt.full({n, n}, 2.0), {out = y})");
  luatensor_loan loan = lt->lend(L, &result, NULL, NULL);
  lua_pushinteger(L, N);
  lua_call(L, 2, 0);
  lt->revoke(L, loan);
  return 0;
}

static void *run_worker(void *arg) {
  work *w = arg;
  lua_State *L = luaL_newstate();
  lua_pushcfunction(L, multiply);
  lua_pushlightuserdata(L, w);
  char status = lua_pcall(L, 1, 0, 0) == LUA_OK ? 'y' : 'n';
  if (status == 'n') fprintf(stderr, "loop: %s\n", lua_tostring(L, -1));
  lua_close(L);
  return write(w->done[1], &status, 1) == 1 ? arg : NULL;
}

/* ---- the loop ---- */

/* The Lua function start_product(): starts the worker thread and yields. The event loop later resumes the task with
** the product. */
static int start_product(lua_State *L) {
  work *w = lua_touserdata(L, lua_upvalueindex(1));
  if (pthread_create(&w->thread, NULL, run_worker, w) != 0) return luaL_error(L, "no thread for the product");
  return lua_yield(L, 0);
}

static void release(void *w) { free(w); }

/* Pushes the worker's product as a tensor. luatensor calls release(w) when the last tensor on this memory is freed. */
static void push_product(lua_State *L, work *w) {
  int64_t shape[] = {N, N};
  luatensor_array a = luatensor_rows(w->product, LUATENSOR_float32, 2, shape);
  luatensor_open(L, LUATENSOR_ABI)->lend(L, &a, release, w);
}

static const char script[] =
  "local lt = require 'luatensor'\n"
  "ticks = 0\n"
  "waiting = coroutine.create(function() result = start_product():sum():item() end)\n"
  "ticking = coroutine.wrap(function()\n"
  "  local x = lt.zeros(10)\n"
  "  while true do x:add_(1) ticks = x[1]:item() coroutine.yield() end\n"
  "end)\n";

/* Starts the task that waits for the product, and runs the script's function `ticking` until the worker has finished.
** The host calls this function through lua_pcall. */
static int serve(lua_State *L) {
  work *w = lua_touserdata(L, 1);
  int n;
  luaL_openlibs(L);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, start_product, 1);
  lua_setglobal(L, "start_product");
  if (luaL_dostring(L, script) != LUA_OK) return lua_error(L);
  lua_getglobal(L, "waiting");
  lua_State *task = lua_tothread(L, -1);
  if (lua_resume(task, L, 0, &n) != LUA_YIELD) return luaL_error(L, "%s", lua_tostring(task, -1));
  struct pollfd event = {.fd = w->done[0], .events = POLLIN};
  while (poll(&event, 1, 1) == 0) {              /* true if the worker wrote nothing for 1 ms */
    lua_getglobal(L, "ticking");
    lua_call(L, 0, 0);
  }
  char status = 'n';
  pthread_join(w->thread, NULL);
  if (read(w->done[0], &status, 1) != 1 || status != 'y') return luaL_error(L, "the worker failed");
  push_product(task, w);
  if (lua_resume(task, L, 1, &n) != LUA_OK) return luaL_error(L, "%s", lua_tostring(task, -1));
  lua_getglobal(L, "result");
  lua_getglobal(L, "ticks");
  return 2;
}

int main(void) {
  work *w = malloc(sizeof *w);
  if (!w || pipe(w->done) != 0) return 1;
  int pipes[2] = {w->done[0], w->done[1]};
  lua_State *L = luaL_newstate();
  lua_pushcfunction(L, serve);
  lua_pushlightuserdata(L, w);
  if (lua_pcall(L, 1, 2, 0) != LUA_OK) {
    fprintf(stderr, "loop: %s\n", lua_tostring(L, -1));
    return 1;
  }
  double result = lua_tonumber(L, -2);
  printf("the product's sum is %.0f; the other task ran %.0f times meanwhile\n", result, lua_tonumber(L, -1));
  lua_close(L);
  close(pipes[0]);
  close(pipes[1]);
  return result == 2.0 * N * N * N ? 0 : 1;
}
