/* Tests the promises of include/luatensor.h as a host program and as a C module. The first argument chooses a mode; the
** table at the end lists the modes. Ends with status 0, or with status 1 after an error message. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lualib.h>
#include <luatensor.h>

static int failures;
static const luatensor_api *lt;

static void fail(int line, const char *what) {
  fprintf(stderr, "api_host.c:%d: %s\n", line, what);
  failures++;
}
#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

/* True if the text at the top of the stack contains `part`; otherwise prints the text. Pops the text. */
static bool says(lua_State *L, const char *part) {
  const char *text = lua_tostring(L, -1);
  bool found = text && strstr(text, part);
  if (!found) fprintf(stderr, "got: %s\n", text ? text : "no text");
  lua_pop(L, 1);
  return found;
}

/* Runs a chunk, which must return true. */
static void run(lua_State *L, int line, const char *text) {
  int top = lua_gettop(L);
  if (luaL_dostring(L, text) != LUA_OK) fail(line, lua_tostring(L, -1));
  else if (!lua_toboolean(L, -1)) fail(line, text);
  lua_settop(L, top);
}
#define RUN(text) run(L, __LINE__, text)

static lua_State *open_bare(void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  return L;
}

static lua_State *open_state(void) {
  lua_State *L = open_bare();
  lt = luatensor_find(L, LUATENSOR_ABI);
  if (!lt) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    exit(1);
  }
  RUN("lt = require 'luatensor' return true");
  return L;
}

/* ---- abi ---- */

static int l_open_newer(lua_State *L) {
  luatensor_open(L, LUATENSOR_ABI + 1);
  return 0;
}

static void abi(void) {
  lua_State *L = luaL_newstate();
  CHECK(!luatensor_find(L, LUATENSOR_ABI) && says(L, "open Lua's libraries first"));
  luaL_openlibs(L);
  CHECK(!luatensor_loaded(L));
  CHECK(luatensor_sandbox(L) == 1);
  CHECK(luatensor_find(L, LUATENSOR_ABI) == luatensor_loaded(L) && luatensor_loaded(L));
  RUN("local ok, why = pcall(require('luatensor').save, '/tmp/never.npy', require('luatensor').ones(1)) "
      "return not ok and why:find('not in a sandbox')");
  CHECK(luatensor_sandbox(L) == 0);
  CHECK(!luatensor_find(L, LUATENSOR_ABI + 1) && says(L, "compiled with interface 2, and the installed luatensor has 1 to 1; "
                                                          "install a newer luatensor"));
  CHECK(!luatensor_find(L, 0) && says(L, "compile the program with the header of that luatensor"));
  lua_pushcfunction(L, l_open_newer);
  CHECK(lua_pcall(L, 0, 0, 0) != LUA_OK && says(L, "install a newer luatensor"));
  CHECK(lua_gettop(L) == 0);
  lua_close(L);
  L = open_bare();
  RUN("package.path, package.cpath = '', '' return true");
  CHECK(!luatensor_find(L, LUATENSOR_ABI) && says(L, "module 'luatensor' not found"));
  lua_close(L);
}

/* ---- tensors ---- */

/* scale(x, factor) multiplies a float32 matrix by a factor in place. */
static int l_scale(lua_State *L) {
  luatensor_array a;
  lt->check(L, 1, LUATENSOR_float32, 2, LUATENSOR_write, &a);
  float factor = (float)luaL_checknumber(L, 2), *x = a.data;
  for (int64_t i = 0; i < a.shape[0]; i++)
    for (int64_t j = 0; j < a.shape[1]; j++) x[i * a.stride[0] + j * a.stride[1]] *= factor;
  lua_settop(L, 1);
  return 1;
}

/* total(x) returns the sum of contiguous float64 elements of any shape. */
static int l_total(lua_State *L) {
  luatensor_array a;
  double sum = 0;
  lt->check(L, 1, LUATENSOR_float64, LUATENSOR_any_ndim, LUATENSOR_contiguous, &a);
  for (int64_t i = 0; i < a.count; i++) sum += ((double *)a.data)[i];
  lua_pushnumber(L, sum);
  return 1;
}

/* make(dtype, …) returns a new tensor whose dims have these lengths. */
static int l_make(lua_State *L) {
  int64_t shape[40];
  int ndim = lua_gettop(L) - 1;
  for (int d = 0; d < ndim; d++) shape[d] = luaL_checkinteger(L, d + 2);
  lt->new_tensor(L, (int)luaL_checkinteger(L, 1), ndim, shape);
  return 1;
}

/* first() returns the first element of the memory that the host knows. */
static float *known;
static int l_first(lua_State *L) {
  lua_pushnumber(L, known[0]);
  return 1;
}

/* In a compiled function, operations on memory that C may use do not wait. */
static void check_compiled(lua_State *L) {
  lua_register(L, "first", l_first);
  RUN("return lt.compile(function() x:add_(1) return first() == 1 end)()");
  RUN("return lt.compile(function() local y = x * 10 scale(x, 3) return y[1][1]:item() == 10 and first() == 3 end)()");
  RUN("x:divide_(3):subtract_(1) return first() == 0");
}

static void check_arguments(lua_State *L) {
  lua_register(L, "scale", l_scale);
  lua_register(L, "total", l_total);
  lua_register(L, "make", l_make);
  RUN("function refused(what, f, ...) local ok, why = pcall(f, ...) "
      "return not ok and why:find(what, 1, true) ~= nil or error(ok and 'no error' or why) end return true");
  RUN("local x = lt.tensor{{1, 2, 3}, {4, 5, 6}}:to 'float32'  scale(x.T, 10) return x[2][3]:item() == 60 and x[1][2]:item() == 20");
  RUN("return total(lt.arange(1, 101, {dtype = 'float64'}):reshape(4, 25)) == 5050");
  RUN("return refused(\"bad argument #1 to 'scale' (float32 tensor of 2 dims expected, got number\", scale, 5, 1)");
  RUN("return refused('float32 tensor of 2 dims expected, got no value', scale)");
  RUN("return refused('float32 tensor of 2 dims expected, got float32 of shape [3])', scale, lt.ones(3), 1)");
  RUN("return refused('got float64 of shape [2, 2]; use x:to(\"float32\")', scale, lt.ones(2, 2, {dtype = 'float64'}), 1)");
  RUN("return refused('share one place, so it cannot be written; use x:clone()', scale, lt.ones(2, 1):expand(2, 3), 1)");
  RUN("return refused('use x:detach()', scale, lt.ones(2, 2, {requires_grad = true}), 1)");
  RUN("return refused('use x:contiguous()', total, lt.ones(2, 3, {dtype = 'float64'}).T)");
  RUN("local x = lt.ones(2, 2) x:free() return refused('this tensor was freed', scale, x, 1)");
  /* The backward pass raises an error if a tensor that it needs was overwritten. */
  RUN("local x, w = lt.ones(2, 2), lt.ones(2, 2, {requires_grad = true}) local y = (x * w):sum() scale(x, 2) "
      "return refused('changed in place', y.backward, y)");
}

/* While a graph is captured, C gets no memory: the elements have no values, or the graph's replays overwrite them. */
static void check_captured(lua_State *L) {
  RUN("function captured(f, ...) local n, rest = 0, {...} return lt.graph(function() n = n + 1 "
      "if n == 2 then f(table.unpack(rest)) end end, {device = 'cpu'}) end return true");
  RUN("return refused('while a graph is captured, its elements have no values', captured, scale, lt.ones(2, 2), 1)");
  RUN("return refused('new_tensor: not while a graph is captured', captured, make, 0x220, 2)");
}

static void tensors(void) {
  lua_State *L = open_state();
  int64_t shape[] = {2, 3};
  luatensor_array a;
  float *made = lt->new_tensor(L, LUATENSOR_float32, 2, shape);
  for (int i = 0; i < 6; i++) made[i] = (float)i;
  lua_setglobal(L, "x");
  RUN("return lt.equal_all(x, lt.arange(0, 6, {dtype = 'float32'}):reshape(2, 3))");
  RUN("view = x.T[{{2, 3}}] return true");
  lua_getglobal(L, "view");
  CHECK(lt->is_tensor(L, -1) && lt->read(L, -1, 0, &a) == 1);
  CHECK(a.dtype == LUATENSOR_float32 && a.ndim == 2 && a.shape[0] == 2 && a.shape[1] == 2 && a.count == 4);
  CHECK(a.data == made + 1 && a.stride[0] == 1 && a.stride[1] == 3 && !a.contiguous);
  CHECK(lt->read(L, -1, LUATENSOR_contiguous, &a) == 0 && says(L, "use x:contiguous()"));
  CHECK(lua_gettop(L) == 1);
  lua_pushinteger(L, 5);
  CHECK(!lt->is_tensor(L, -1) && lt->read(L, -1, 0, &a) == 0 && says(L, "tensor expected, got number"));
  lua_settop(L, 0);
  check_arguments(L);
  known = made;
  check_compiled(L);
  check_captured(L);
  for (int d = 0; d < 15; d++) {
    static const int dtypes[] = {LUATENSOR_bool, LUATENSOR_uint8, LUATENSOR_uint16, LUATENSOR_uint32, LUATENSOR_uint64,
                                 LUATENSOR_int8, LUATENSOR_int16, LUATENSOR_int32, LUATENSOR_int64, LUATENSOR_float16,
                                 LUATENSOR_bfloat16, LUATENSOR_float32, LUATENSOR_float64, LUATENSOR_complex64,
                                 LUATENSOR_complex128};
    lt->new_tensor(L, dtypes[d], 0, NULL);
    CHECK(lt->read(L, -1, 0, &a) == 1 && a.dtype == dtypes[d] && a.count == 1);
    lua_pop(L, 1);
  }
  RUN("return refused('new_tensor: 5 is no dtype of luatensor.h', make, 5, 1)");
  RUN("return refused('new_tensor: size -1 is negative', make, 0x220, 2, -1)");
  RUN("return refused('new_tensor: 17 dims; 0 to 16 expected', make, 0x220, string.byte(('x'):rep(17), 1, 17))");
  CHECK(lua_gettop(L) == 0);
  lua_close(L);
}

/* ---- lend ---- */

static int released;
static void release(void *context) { released += *(int *)context; }

static int one = 1;

/* Lends `n` floats to the state as a tensor, the global x. The state calls `release` when the loan ends. */
static luatensor_loan lend(lua_State *L, float *data, int64_t n) {
  luatensor_array a = luatensor_rows(data, LUATENSOR_float32, 1, &n);
  luatensor_loan loan = lt->lend(L, &a, release, &one);
  lua_setglobal(L, "x");
  return loan;
}

static void lend_and_revoke(lua_State *L) {
  float data[6] = {1, 2, 3, 4, 5, 6};
  luatensor_loan loan = lend(L, data, 6);
  RUN("y = x[{{2, 4}}] z = x:reshape(2, 3).T  w = lt.ones(6, {requires_grad = true}) loss = (x * w):sum() "
      "return x:sum():item() == 21");
  RUN("y:add_(10) return true");
  CHECK(data[1] == 12 && data[4] == 5);
  RUN("local ok, why = pcall(x.to_dlpack, x) return not ok and why:find('may take it back; use x:clone()', 1, true)");
  RUN("copy = x:clone() return true");
  CHECK(lt->revoke(L, loan) == LUATENSOR_ok && released == 1);
  memset(data, 0, sizeof data);
  RUN("for _, t in ipairs {x, y, z} do for _, f in ipairs {'sum', 'totable', 'clone', 'item', 'exp_', 'reshape', 'contiguous'} do "
      "local ok, why = pcall(t[f], t, f == 'reshape' and 1 or nil) assert(not ok, f) "
      "assert(f == 'item' or tostring(why):find('the host has taken the memory of this tensor back', 1, true), why) end end return true");
  RUN("local ok, why = pcall(function() return x[1] end) return not ok and why:find('host has taken', 1, true)");
  RUN("local ok, why = pcall(function() x[1] = 2 end) return not ok and why:find('host has taken', 1, true)");
  RUN("local ok, why = pcall(lt.add, w, 1, {out = x}) return not ok and why:find('host has taken', 1, true)");
  RUN("local ok, why = pcall(lt.cat, {w, y}) return not ok and why:find('host has taken', 1, true)");
  RUN("local ok, why = pcall(loss.backward, loss) return not ok and why:find('memory the host has taken back', 1, true)");
  RUN("return tostring(x) == 'tensor (revoked)' and copy:sum():item() == 51");
  luatensor_array a;
  lua_getglobal(L, "y");
  CHECK(lt->read(L, -1, 0, &a) == 0 && says(L, "host has taken"));
  CHECK(lua_gettop(L) == 1);
  lua_pop(L, 1);
  CHECK(lt->revoke(L, loan) == LUATENSOR_ended && strstr(lt->explain(LUATENSOR_ended), "revoked before"));
  RUN("x:free() y, z, w, loss = nil collectgarbage() collectgarbage() return true");
  CHECK(released == 1);
}

/* Lends a picture of 3 rows of 4 pixels. Each row has 4 bytes of padding, and the rows are in memory from the bottom
** to the top, so the stride of the rows is negative. */
static void lend_picture(lua_State *L) {
  unsigned char pixels[3][8] = {{1, 2, 3, 4, 0, 0, 0, 0}, {5, 6, 7, 8, 0, 0, 0, 0}, {9, 10, 11, 12, 0, 0, 0, 0}};
  luatensor_array a = {.data = pixels[2], .dtype = LUATENSOR_uint8, .ndim = 2, .shape = {3, 4}, .stride = {-8, 1}};
  luatensor_loan loan = lt->lend(L, &a, NULL, NULL);
  lua_setglobal(L, "picture");
  RUN("return lt.equal_all(picture, lt.tensor({{9, 10, 11, 12}, {5, 6, 7, 8}, {1, 2, 3, 4}}, {dtype = 'uint8'}))");
  RUN("picture[{3, {}}] = 100 return true");
  CHECK(pixels[0][0] == 100 && pixels[0][3] == 100 && pixels[0][4] == 0);
  CHECK(lt->revoke(L, loan) == LUATENSOR_ok);
}

static void lending(void) {
  static float large[1 << 19];                    /* 2 MiB: base/storage.h lists only storages of 1 MiB or more */
  lua_State *L = open_state();
  lend_and_revoke(L);
  lend_picture(L);
  /* The loan ends when the last tensor that uses the memory is collected. */
  luatensor_loan loan = lend(L, large, 1 << 19);
  RUN("y = x[{{5, 7}}] x = nil collectgarbage() return y:sum():item() == 0");
  CHECK(released == 1);
  RUN("y = nil collectgarbage() collectgarbage() return true");
  CHECK(released == 2 && lt->revoke(L, loan) == LUATENSOR_ended);
  loan = lend(L, large, 1 << 19);
  CHECK(lt->revoke(L, loan) == LUATENSOR_ok && released == 3);
  /* Lends one frame after the other, and revokes every second loan. */
  for (int i = 0; i < 2000; i++) {
    loan = lend(L, large, 100);
    if (i % 2) CHECK(lt->revoke(L, loan) == LUATENSOR_ok);
  }
  loan = lend(L, large, 100);
  lua_close(L);
  CHECK(released == 3 + 2001);
  CHECK(lt->revoke(NULL, loan) == LUATENSOR_ended);
}

/* ---- wrong ---- */

static luatensor_loan shared;

static void *revoke_elsewhere(void *L) { return (void *)(intptr_t)lt->revoke(L, shared); }

static void *claim_and_revoke(void *L) {
  int st = lt->claim(shared);
  return (void *)(intptr_t)(st ? st : lt->revoke(L, shared));
}

static int in_thread(lua_State *L, void *(*f)(void *)) {
  pthread_t thread;
  void *result;
  pthread_create(&thread, NULL, f, L);
  pthread_join(thread, &result);
  return (int)(intptr_t)result;
}

/* revoke() revokes the shared loan and returns the status. */
static int l_revoke(lua_State *L) {
  lua_pushinteger(L, lt->revoke(L, shared));
  return 1;
}

static int l_lend_wrong(lua_State *L) {
  static const unsigned char bytes[64] = {7};
  int64_t one_long = 1;
  luatensor_array a = luatensor_rows((void *)bytes, LUATENSOR_float32, 1, &one_long);
  switch (luaL_checkinteger(L, 1)) {
    case 1: a.dtype = 3; break;
    case 2: a.ndim = 17; break;
    case 3: a.shape[0] = -4; break;
    case 4: a.data = (void *)(bytes + 1); break;
    case 5: a.data = NULL; break;
    case 6: a.dtype = LUATENSOR_bool; break;
    default: a.shape[0] = 2; a.stride[0] = INT64_MAX / 2; break;
  }
  lt->lend(L, &a, release, &one);
  return 0;
}

static void wrong(void) {
  static const char *const texts[] = {
    "lend: 3 is no dtype of luatensor.h", "lend: not 0 to 16 dims", "lend: a negative size", "lend: data that is not aligned",
    "lend: no data", "lend: a bool with bytes other than 0 and 1; lend it as uint8", "lend: strides that lead beyond the end"
  };
  lua_State *L = open_state();
  float data[4] = {0};
  for (int k = 0; k < 7; k++) {
    lua_pushcfunction(L, l_lend_wrong);
    lua_pushinteger(L, k + 1);
    CHECK(lua_pcall(L, 1, 0, 0) != LUA_OK && says(L, texts[k]));
  }
  CHECK(released == 0);
  CHECK(lt->revoke(L, 0) == LUATENSOR_ended && lt->revoke(L, 12345) == LUATENSOR_ended);
  shared = lend(L, data, 4);
  CHECK(in_thread(L, revoke_elsewhere) == LUATENSOR_other_thread);
  CHECK(strstr(lt->explain(LUATENSOR_other_thread), "claim it first"));
  RUN("return x:sum():item() == 0");
  CHECK(in_thread(L, claim_and_revoke) == LUATENSOR_ok && released == 1);
  /* A finalizer that interrupts an operation cannot revoke the memory that the operation uses. */
  lua_register(L, "revoke", l_revoke);
  shared = lend(L, data, 4);
  RUN("collectgarbage 'generational' local status setmetatable({}, {__gc = function() status = status or revoke() end}) "
      "for _ = 1, 100000 do if status then break end local _ = x + 1 end "
      "return status == 3 and x:sum():item() == 0");
  CHECK(released == 1 && strstr(lt->explain(LUATENSOR_busy), "has returned"));
  RUN("return revoke() == 0 and revoke() == 1");
  CHECK(released == 2 && strcmp(lt->explain(99), "not a status of luatensor.h") == 0);
  lua_close(L);
}

/* ---- lent memory in use ---- */

static atomic_bool claimed;

/* Claims the shared loan again and again, until an operation is running or 20 seconds have passed. */
static void *claim_until_busy(void *unused) {
  int st = LUATENSOR_ok;
  (void)unused;
  for (int i = 0; i < 200000 && st == LUATENSOR_ok; i++) {
    st = lt->claim(shared);
    usleep(100);
  }
  claimed = true;
  return (void *)(intptr_t)st;
}

/* is_claimed() claims the shared loan for this thread, and returns whether the other thread has ended. */
static int l_is_claimed(lua_State *L) {
  lt->claim(shared);
  lua_pushboolean(L, claimed);
  return 1;
}

/* Writes bytes other than 0 and 1 to a lent mask. */
static void check_changed_mask(lua_State *L, int64_t n) {
  unsigned char *bytes = calloc((size_t)n, 1);
  lua_pushinteger(L, n);
  lua_setglobal(L, "n");
  luatensor_array a = luatensor_rows(bytes, LUATENSOR_bool, 1, &n);
  shared = lt->lend(L, &a, NULL, NULL);
  lua_setglobal(L, "mask");
  memset(bytes, 255, (size_t)n);
  bytes[1] = 0;
  bytes[2] = 128;
  RUN("local at = lt.nonzero(mask) "
      "return at.size == n - 1 and lt.equal_all(at:flatten(), lt.concat {lt.tensor {1}, lt.arange(3, n + 1)})");
  RUN("return lt.ones(n)[mask]:sum():item() == n - 1");
  RUN("local x = lt.zeros(n) x[mask] = 1 return x:sum():item() == n - 1");
  CHECK(lt->revoke(L, shared) == LUATENSOR_ok);
  free(bytes);
}

static void in_use(void) {
  lua_State *L = open_state();
  pthread_t thread;
  void *status;
  static float data[1 << 18];
  released = 0;
  shared = lend(L, data, 1 << 18);
  lua_register(L, "is_claimed", l_is_claimed);
  pthread_create(&thread, NULL, claim_until_busy, NULL);
  RUN("repeat for _ = 1, 20 do local _ = x:sort() end until is_claimed() return true");
  pthread_join(thread, &status);
  CHECK((int)(intptr_t)status == LUATENSOR_busy);
  CHECK(lt->claim(shared) == LUATENSOR_ok && lt->revoke(L, shared) == LUATENSOR_ok && released == 1);
  check_changed_mask(L, 1000);
  check_changed_mask(L, 300001);
  lua_close(L);
}

/* ---- limits ---- */

static atomic_bool pulsing = true;

/* Sets the cancel flag for short times, so that the flag is often cleared before the error's text is made. */
static void *pulse(void *flag) {
  while (pulsing) {
    lt->set_cancel(flag, 1);
    usleep(50);
    lt->set_cancel(flag, 0);
    usleep(2000);
  }
  return NULL;
}

static void check_pulses(lua_State *L) {
  pthread_t thread;
  RUN("large = lt.rand(700, 700) return true");
  pthread_create(&thread, NULL, pulse, lt->cancel_flag(L));
  RUN("local n, stop = 0, os.time() + 20 while n < 5 and os.time() < stop do "
      "local start = lt.clock() local ok, why = pcall(lt.linalg.svd, large) "
      "assert(ok or tostring(why):find('cancelled by the host', 1, true), why) "
      "if not ok and lt.clock() - start > 0.005 then n = n + 1 end end return n > 0");
  pulsing = false;
  pthread_join(thread, NULL);
}

static void limits(void) {
  lua_State *L = open_state();
  luatensor_memory m;
  RUN("x = lt.zeros(1000) return true");
  lt->memory(L, &m);
  CHECK(m.live == 4000 && m.peak == 4000 && m.limit == 0 && m.process_live == 4000 && m.process_peak >= 4000);
  lt->set_memory_limit(L, 6000);
  RUN("local ok, why = pcall(lt.zeros, 1000) return not ok and why:find('whose limit is 5.9 KiB', 1, true)");
  lt->memory(L, &m);
  CHECK(m.limit == 6000);
  lt->set_memory_limit(L, 0);
  RUN("return lt.zeros(1000).size == 1000");
  CHECK(lt->set_threads(1) == LUATENSOR_ok && lt->threads() == 1);
  CHECK(lt->set_threads(0) == LUATENSOR_bad_threads && lt->threads() == 1);
  CHECK(strstr(lt->explain(LUATENSOR_bad_threads), "number of threads"));
  luatensor_cancel *flag = lt->cancel_flag(L);
  lt->set_cancel(flag, 1);
  RUN("local ok, why = pcall(lt.ones, 3) return not ok and why == 'ones: cancelled by the host'");
  lt->set_cancel(flag, 0);
  RUN("return lt.ones(3):sum():item() == 3");
  check_pulses(L);
  lua_close(L);
}

static const struct { const char *name; void (*run)(void); } modes[] = {
  {"abi", abi}, {"tensors", tensors}, {"lend", lending}, {"wrong", wrong}, {"in_use", in_use}, {"limits", limits}
};

int main(int argc, char **argv) {
  for (size_t k = 0; argc > 1 && k < sizeof modes / sizeof *modes; k++)
    if (strcmp(modes[k].name, argv[1]) == 0) {
      modes[k].run();
      return failures > 0;
    }
  fprintf(stderr, "usage: api_host abi|tensors|lend|wrong|in_use|limits\n");
  return 1;
}
