/* A host program with Lua states: each mode tests a promise of docs/embedding.md.
**
**     embed_host drop ROUNDS     a second thread deletes DLPack structs while Lua makes views of the tensor
**     embed_host memory          the memory of two states is counted and limited separately
**     embed_host cancel          operations of hours are ended by the flag of a second thread, or by a count hook
**     embed_host fork            a child process draws the same random numbers as its parent
**     embed_host run SCRIPT.lua LIBRARIES [sandbox]
**                                the script passes in a state with these libraries only, "base,string,table";
**                                sandbox: the state is opened for untrusted scripts
**
** The exit status is 0, or 1 after an error message. */

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lualib.h>

static int wrong(lua_State *L, const char *what) {
  fprintf(stderr, "embed_host: %s%s%s\n", what, L ? ": " : "", L ? lua_tostring(L, -1) : "");
  return 1;
}

static lua_State *open_state(void) {
  lua_State *L = luaL_newstate();
  if (L) luaL_openlibs(L);
  return L;
}

/* Runs a chunk; its results stay on the stack. */
static int run(lua_State *L, const char *text) { return luaL_dostring(L, text) == LUA_OK ? 0 : wrong(L, text); }

/* Runs a chunk that must return true. Returns 0 if it does, and 1 after an error message otherwise. */
static int expect(lua_State *L, const char *text) {
  lua_settop(L, 0);
  if (run(L, text)) return 1;
  return lua_toboolean(L, 1) ? 0 : wrong(NULL, text);
}

/* ---- drop ---- */

typedef struct managed {
  uint32_t major, minor;
  void    *context;
  void   (*deleter)(struct managed *self);
} managed;

enum { SLOTS = 64 };
static _Atomic(managed *) slots[SLOTS];
static atomic_bool finished;

static void *consume(void *unused) {
  for (bool last = false; !last;) {
    last = atomic_load(&finished);
    for (int k = 0; k < SLOTS; k++) {
      managed *m = atomic_exchange(&slots[k], NULL);
      if (m) m->deleter(m);
    }
    sched_yield();
  }
  return unused;
}

/* Takes over the DLPack struct of the userdata at the top of the stack, and passes the struct to the consumer thread.
   Waits while the slot is occupied. */
static void hand_over(lua_State *L, int slot) {
  void **capsule = lua_touserdata(L, -1);
  managed *m = *capsule, *none = NULL;
  *capsule = NULL;
  while (!atomic_compare_exchange_weak(&slots[slot], &none, m)) {
    none = NULL;
    sched_yield();
  }
}

static int drop(int argc, char **argv) {
  long rounds = argc > 2 ? atol(argv[2]) : 20000;
  pthread_t consumer;
  lua_State *L = open_state();
  if (run(L, "lt = require 'luatensor'; kept = lt.arange(1000, {dtype = 'float32'}); "
             "return function(i) local x = i % 3 == 0 and lt.full({300}, 7.0) or kept; local p = x:to_dlpack(); "
             "local v <close> = x[{{1, 9}}]; local w <close> = v[{{2, 3}}]; if x ~= kept then x:free() end; return p end"))
    return 1;
  pthread_create(&consumer, NULL, consume, NULL);
  for (long i = 0; i < rounds; i++) {
    lua_settop(L, 1);
    lua_pushvalue(L, 1);
    lua_pushinteger(L, i);
    if (lua_pcall(L, 1, 1, 0) != LUA_OK) return wrong(L, "a round");
    hand_over(L, (int)(i % SLOTS));
  }
  int failed = expect(L, "collectgarbage() return kept:sum():item() == 499500.0");
  atomic_store(&finished, true);
  pthread_join(consumer, NULL);
  failed |= expect(L, "collectgarbage() collectgarbage() local m = lt.memory() "
                      "return m.live == 4000 and m.state_live == 4000");
  lua_close(L);
  L = open_state();
  failed |= expect(L, "return require('luatensor').memory().live == 0");
  lua_close(L);
  return failed;
}

/* ---- memory ---- */

static int memory(int argc, char **argv) {
  (void)argc, (void)argv;
  lua_State *a = open_state(), *b = open_state();
  int failed = run(a, "lt = require 'luatensor' x = lt.zeros(2500000)") | run(b, "lt = require 'luatensor' y = lt.zeros(1000)");
  failed |= expect(a, "local m = lt.memory() return m.state_live == 10000000 and m.live == 10004000 and m.state_peak == 10000000");
  failed |= expect(b, "local m = lt.memory() return m.state_live == 4000 and m.live == 10004000 and m.state_limit == nil");
  /* A limit applies to its own state only. */
  failed |= expect(b, "lt.set_memory_limit(10000) local ok, why = pcall(lt.zeros, 2000) return not ok and "
                      "why:find('asked for 7.8 KiB; 3.9 KiB live in this Lua state, whose limit is 9.8 KiB', 1, true) and "
                      "lt.memory().state_limit == 10000 and lt.zeros(1000).size == 1000");
  failed |= expect(b, "lt.set_memory_limit(nil) return lt.zeros(2000).size == 2000");
  failed |= expect(b, "for i = 1, 50 do lt.set_memory_limit(20000); lt.zeros(2000) end lt.set_memory_limit(nil) return true");
  /* State a fails to allocate because state b has garbage. State b collects in its next allocation, after which a can
  ** allocate. */
  failed |= expect(b, "lt.set_default_device 'cpu' collectgarbage() collectgarbage 'generational' "
                      "y = lt.zeros(14000000) collectgarbage() collectgarbage() y = nil return true");
  failed |= expect(a, "local ok, why = pcall(lt.zeros, 14000000) return not ok and "
                      "why:find('(53.4 MiB of it in other Lua states)', 1, true) ~= nil or why");
  failed |= expect(b, "lt.zeros(1) return lt.memory().state_live <= 4");
  failed |= expect(a, "return lt.zeros(14000000).size == 14000000");
  lua_close(a);
  failed |= expect(b, "collectgarbage() collectgarbage() local m = lt.memory() return m.live == m.state_live");
  lua_close(b);
  return failed;
}

/* ---- cancel ---- */

static int hook_calls;

static void third_time(lua_State *L, lua_Debug *ar) {
  (void)ar;
  if (++hook_calls == 3) luaL_error(L, "time is up");
}

static void *set_flag(void *flag) {
  struct timespec moment = {.tv_nsec = 50000000};
  nanosleep(&moment, NULL);
  atomic_store((atomic_int *)flag, 1);
  return NULL;
}

/* Operations that would run for hours or forever, on little memory: reductions, a matrix product, and loops in Lua.
** The first five are single operations. cancel() ends these five by a hook, too. */
static const char *const endless[] = {
  "x:sum()", "x:argmax()", "x:expand(2, 1 << 40):mean(2)", "x:expand(1 << 40, 3):max(1)",
  "x:to('int64')[{{1, 1}}]:expand(2, 1 << 40):matmul(x:to('int64')[{{1, 1}}]:expand(1 << 40, 2))",
  "(function() local y = lt.ones(100) while true do y = y + 1 end end)()",
  "(function() local y = lt.ones(600, 600) while true do lt.fft.fft(y:matmul(y)) end end)()"
};

static int end_by_flag(lua_State *L, atomic_int *flag, const char *call) {
  char text[500];
  pthread_t second;
  snprintf(text, sizeof text, "local ok, why = pcall(function() return %s end) "
                              "return not ok and why:find(': cancelled by the host$') ~= nil or why", call);
  pthread_create(&second, NULL, set_flag, flag);
  int failed = expect(L, text);
  pthread_join(second, NULL);
  /* While the flag is set, every operation fails, even if it makes a small tensor. */
  failed |= expect(L, "local ok, why = pcall(lt.ones, 3) return not ok and why == 'ones: cancelled by the host'");
  atomic_store(flag, 0);
  return failed | expect(L, "return lt.ones(3):sum():item() == 3");
}

static int end_by_hook(lua_State *L, const char *call) {
  char text[500];
  snprintf(text, sizeof text, "local ok, why = pcall(function() return %s end) "
                              "return not ok and why:find('time is up') ~= nil or why", call);
  hook_calls = 0;
  lua_sethook(L, third_time, LUA_MASKCOUNT, 1 << 30);       /* so large that only operations call the hook */
  int failed = expect(L, text);
  lua_sethook(L, NULL, 0, 0);
  return failed | expect(L, "return lt.ones(3):sum():item() == 3");
}

static int cancel(int argc, char **argv) {
  (void)argc, (void)argv;
  setenv("LUATENSOR_FAULTS", "1", 1);                       /* enables lt._ask_always */
  lua_State *L = open_state();
  int failed = run(L, "lt = require 'luatensor' x = lt.ones(1):expand(1 << 40)");
  lua_getfield(L, LUA_REGISTRYINDEX, "luatensor.cancel");
  atomic_int *flag = lua_touserdata(L, -1);
  for (int threads = 1; threads <= 2; threads++) {
    failed |= run(L, threads == 1 ? "lt.set_num_threads(1)" : "lt.set_num_threads(3)");
    for (size_t k = 0; k < sizeof endless / sizeof *endless; k++)
      failed |= end_by_flag(L, flag, endless[k]) | (k < 5 ? end_by_hook(L, endless[k]) : 0);
  }
  /* A hook in the middle of an operation cannot start another operation, or free tensors that the operation needs. */
  failed |= expect(L, "debug.sethook(function() x:free() _, seen = pcall(lt.ones, 2) error('enough', 0) end, '', 1 << 30) "
                      "local _, why = pcall(x.sum, x) debug.sethook() "
                      "return why == 'enough' and seen == 'ones: not in a debug hook that runs in the middle of an operation' "
                      "and x[5]:item() == 1");
  /* If a hook ends an in-place operation, the partly written tensor counts as changed. */
  failed |= expect(L, "local w = lt.ones(1 << 18, {requires_grad = true}) "
                      "local z = (w * 1):exp() "
                      "lt._ask_always(true) debug.sethook(function() error('enough', 0) end, '', 1 << 30) "
                      "local ok, why = lt.no_grad(function() return pcall(z.tan_, z) end) "
                      "debug.sethook() lt._ask_always(false) "
                      "return not ok and why == 'enough' and not pcall(function() z:sum():backward() end)");
  lua_close(L);
  return failed;
}

/* ---- fork ---- */

/* A child process draws the same numbers as its parent unless it sets a new seed. */
static int forked(int argc, char **argv) {
  (void)argc, (void)argv;
  lua_State *L = open_state();
  int failed = run(L, "lt = require 'luatensor' lt.manual_seed(3) first = lt.rand(1):item() lt.manual_seed(3)");
  pid_t child = fork();
  failed |= expect(L, "return lt.rand(1):item() == first");
  if (child == 0) exit(failed | expect(L, "lt.manual_seed(4) return lt.rand(1):item() ~= first"));
  int status = 1;
  waitpid(child, &status, 0);
  lua_close(L);
  return failed | (status != 0);
}

/* ---- run ---- */

static const luaL_Reg libraries[] = {
  {"base", luaopen_base}, {"package", luaopen_package}, {"string", luaopen_string}, {"table", luaopen_table},
  {"math", luaopen_math}, {"coroutine", luaopen_coroutine}, {"utf8", luaopen_utf8}, {"io", luaopen_io},
  {"os", luaopen_os}, {"debug", luaopen_debug}, {NULL, NULL}
};

static int run_with(int argc, char **argv) {
  if (argc < 4) return wrong(NULL, "usage: embed_host run SCRIPT.lua LIBRARIES [sandbox]");
  lua_State *L = luaL_newstate();
  for (const luaL_Reg *l = libraries; l->name; l++) {
    if (!strstr(argv[3], l->name)) continue;
    luaL_requiref(L, strcmp(l->name, "base") == 0 ? "_G" : l->name, l->func, 1);
    lua_pop(L, 1);
  }
  if (argc > 4 && strcmp(argv[4], "sandbox") == 0) {
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "luatensor.sandbox");
    lua_pushlightuserdata(L, &slots);
    lua_setglobal(L, "address");
  }
  int failed = luaL_dofile(L, argv[2]) != LUA_OK ? wrong(L, argv[2]) : 0;
  lua_close(L);
  return failed;
}

static const struct { const char *name; int (*run)(int, char **); } modes[] = {
  {"drop", drop}, {"memory", memory}, {"cancel", cancel}, {"fork", forked}, {"run", run_with}
};

int main(int argc, char **argv) {
  for (size_t k = 0; argc > 1 && k < sizeof modes / sizeof *modes; k++)
    if (strcmp(modes[k].name, argv[1]) == 0) return modes[k].run(argc, argv);
  return wrong(NULL, "usage: embed_host drop|memory|cancel|fork|run …");
}
