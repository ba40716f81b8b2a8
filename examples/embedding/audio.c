/* An audio callback that processes 256 samples every 5.3 ms (48 kHz). Neither Lua nor luatensor allocates memory in
** the callback: operations use one thread and write their results into tensors that were made before, and Lua's
** collector is stopped.
**
**   cc audio.c $(pkg-config --cflags --libs lua5.4) -lm -o audio */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <lauxlib.h>
#include <lualib.h>
#include <luatensor.h>

enum { BLOCK = 256, BLOCKS = 20000 };

/* The script gets both buffers as tensors on this memory. The host never takes the memory back, so the memory must
** stay valid until lua_close. */
static float input[BLOCK], output[BLOCK];

/* An equaliser in the frequency domain, followed by soft limiting. The tables of options are made once: a table such as
** {out = y} that is made in the callback would allocate 160 bytes for each call. */
static const char script[] =
  "local lt, x, y = require 'luatensor', ...\n"
  "local spectrum, gain = lt.fft.rfft(x), lt.linspace(1, 0, 129)\n"
  "local to_spectrum, to_y = {out = spectrum}, {out = y}\n"
  "return function()\n"
  "  lt.fft.rfft(x, to_spectrum)\n"
  "  lt.multiply(spectrum, gain, to_spectrum)\n"
  "  lt.fft.irfft(spectrum, to_y)\n"
  "  lt.multiply(y, 2, to_y)\n"
  "  lt.tanh(y, to_y)\n"
  "end\n";

/* Runs the script, which gets both buffers as tensors. Leaves the script's function for the callback on the stack. */
static int prepare(lua_State *L) {
  int64_t length = BLOCK;
  luatensor_array in = luatensor_rows(input, LUATENSOR_float32, 1, &length);
  luatensor_array out = luatensor_rows(output, LUATENSOR_float32, 1, &length);
  luaL_openlibs(L);
  const luatensor_api *lt = luatensor_open(L, LUATENSOR_ABI);
  lt->set_threads(1);                 /* waking another thread takes longer than a block */
  if (luaL_loadstring(L, script) != LUA_OK) return lua_error(L);
  lt->lend(L, &in, NULL, NULL);
  lt->lend(L, &out, NULL, NULL);
  lua_call(L, 2, 1);
  return 1;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The audio system calls this function for each block. The script's function stays on the stack for the next call. */
static void callback(lua_State *L) {
  lua_pushvalue(L, -1);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    exit(1);
  }
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(void) {
  static double took[BLOCKS];
  lua_State *L = luaL_newstate();
  lua_pushcfunction(L, prepare);
  if (lua_pcall(L, 0, 1, 0) != LUA_OK) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    return 1;
  }
  for (int i = 0; i < BLOCK; i++) input[i] = sinf(0.05f * (float)i);
  for (int i = 0; i < 100; i++) callback(L);
  lua_gc(L, LUA_GCCOLLECT);
  lua_gc(L, LUA_GCSTOP);
  int before = lua_gc(L, LUA_GCCOUNT) * 1024 + lua_gc(L, LUA_GCCOUNTB);
  for (int i = 0; i < BLOCKS; i++) {
    double start = seconds();
    callback(L);
    took[i] = 1e6 * (seconds() - start);
  }
  int grown = lua_gc(L, LUA_GCCOUNT) * 1024 + lua_gc(L, LUA_GCCOUNTB) - before;
  qsort(took, BLOCKS, sizeof *took, by_size);
  printf("%d blocks of %d: p50 %.1f, p99 %.1f, p99.9 %.1f, at most %.1f us of processor time; %d bytes of Lua's heap\n", BLOCKS,
         BLOCK, took[BLOCKS / 2], took[BLOCKS / 100 * 99], took[BLOCKS / 1000 * 999], took[BLOCKS - 1], grown);
  int right = output[100] != 0 && fabsf(output[100]) < 1;
  lua_close(L);
  return grown == 0 && right ? 0 : 1;
}
