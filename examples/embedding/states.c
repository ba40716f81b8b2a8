/* Runs several Lua states in several threads, and checks that each state computes the same bits as a state that runs
** alone.
**
**   cc states.c $(pkg-config --cflags --libs lua5.4) -pthread -o states */

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>
#include <luatensor.h>

enum { THREADS = 4, NUMBERS = 50 };

static const char script[] =
  "local lt, n = require 'luatensor', ...\n"
  "local x = lt.randn(n, n, {generator = lt.generator{seed = 7}})\n"
  "for _ = 1, 20 do x = lt.fft.irfft(lt.fft.rfft(x:matmul(x):sin()):conj()) end\n"
  "return x[1]:contiguous()";

typedef struct job { float result[NUMBERS]; char problem[200]; } job;

/* Runs the script and copies its result. `work` calls this function in protected mode. */
static int compute(lua_State *L) {
  job *j = lua_touserdata(L, 1);
  luaL_openlibs(L);
  const luatensor_api *lt = luatensor_open(L, LUATENSOR_ABI);
  lt->set_threads(1);                              /* the host itself runs several threads */
  if (luaL_loadstring(L, script) != LUA_OK) return lua_error(L);
  lua_pushinteger(L, NUMBERS);
  lua_call(L, 1, 1);
  luatensor_array a;
  if (!lt->read(L, -1, LUATENSOR_contiguous, &a)) return lua_error(L);
  memcpy(j->result, a.data, sizeof j->result);
  return 0;
}

static void *work(void *arg) {
  job *j = arg;
  lua_State *L = luaL_newstate();
  lua_pushcfunction(L, compute);
  lua_pushlightuserdata(L, j);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) snprintf(j->problem, sizeof j->problem, "%s", lua_tostring(L, -1));
  lua_close(L);
  return NULL;
}

int main(void) {
  static job jobs[THREADS + 1];
  pthread_t threads[THREADS];
  work(&jobs[THREADS]);
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, &jobs[i]);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++)
    if (*jobs[i].problem || memcmp(jobs[i].result, jobs[THREADS].result, sizeof jobs[i].result) != 0) {
      fprintf(stderr, "thread %d: %s\n", i, *jobs[i].problem ? jobs[i].problem : "another result than alone");
      return 1;
    }
  printf("%d states agree: %.6f\n", THREADS + 1, (double)jobs[0].result[0]);
  return 0;
}
