/* A server that loads everything once and then forks workers, which share the loaded memory until they write to it.
** Each worker sets a seed of its own, because a child of fork has a copy of its parent's generator.
**
**   cc prefork.c $(pkg-config --cflags --libs lua5.4) -o prefork */

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lualib.h>
#include <luatensor.h>

enum { WORKERS = 4 };

static const char script[] =
  "local lt = require 'luatensor'\n"
  "local nn = lt.nn\n"
  "lt.manual_seed(1)\n"
  "local model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)):eval()\n"
  "function start(worker) lt.manual_seed(1000 + worker) end\n"
  "function answer()                                        -- the answer to a request, and a random number\n"
  "  return lt.no_grad(function() return model(lt.ones(1, 64)):item() end), lt.rand(1):item()\n"
  "end\n";

typedef struct reply { double answer, drawn; } reply;

/* The Lua function serve(reply): calls the script's function `answer` and stores the results in *reply. The host calls
** serve through lua_pcall. */
static int serve(lua_State *L) {
  reply *r = lua_touserdata(L, 1);
  lua_getglobal(L, "answer");
  lua_call(L, 0, 2);
  r->answer = lua_tonumber(L, -2);
  r->drawn = lua_tonumber(L, -1);
  return 0;
}

static int ask(lua_State *L, reply *r) {
  lua_pushcfunction(L, serve);
  lua_pushlightuserdata(L, r);
  if (lua_pcall(L, 1, 0, 0) == LUA_OK) return 0;
  fprintf(stderr, "prefork: %s\n", lua_tostring(L, -1));
  return 1;
}

/* Runs in a worker process and answers one request. A real worker would accept connections in a loop. */
static int work(lua_State *L, int worker, int to_parent) {
  reply r;
  lua_getglobal(L, "start");
  lua_pushinteger(L, worker);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK || ask(L, &r)) return 1;
  return write(to_parent, &r, sizeof r) == sizeof r ? 0 : 1;
}

int main(void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  reply own, got[WORKERS];
  int pipes[2], failed = pipe(pipes);
  if (luaL_dostring(L, script) != LUA_OK) {
    fprintf(stderr, "prefork: %s\n", lua_tostring(L, -1));
    return 1;
  }
  failed |= ask(L, &own);                  /* the parent may compute before it forks */
  for (int w = 0; w < WORKERS; w++)
    if (fork() == 0) _exit(work(L, w, pipes[1]));
  for (int w = 0, status; w < WORKERS; w++) {
    failed |= wait(&status) < 0 || status != 0;
    failed |= read(pipes[0], &got[w], sizeof got[w]) != sizeof got[w];
  }
  for (int w = 0; w < WORKERS && !failed; w++) {
    failed |= got[w].answer != own.answer || got[w].drawn == own.drawn;
    for (int v = 0; v < w; v++) failed |= got[w].drawn == got[v].drawn;
  }
  if (!failed) printf("%d workers answer %.6f and draw different numbers\n", WORKERS, own.answer);
  lua_close(L);
  return failed;
}
