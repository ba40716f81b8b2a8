/* Random tensors and generators. */

#include "lua_args.h"
#include "lua_tensor.h"
#include "op_random.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

/* Registry keys (their addresses): the generators' metatable, this state's default generator. */
static const char generator_class = 0, default_generator = 0;

static const char *const create_options[] = {"dtype", "device", "generator", NULL};

/* ---- generators ---- */

static generator *test_generator(lua_State *L, int i) {
  generator *g = lua_touserdata(L, i);
  if (!g || !lua_getmetatable(L, i)) return NULL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &generator_class);
  bool is = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return is ? g : NULL;
}

static generator *push_generator(lua_State *L, uint64_t seed) {
  generator *g = lua_newuserdatauv(L, sizeof *g, 0);
  *g = (generator){.seed = seed};
  lua_rawgetp(L, LUA_REGISTRYINDEX, &generator_class);
  lua_setmetatable(L, -2);
  return g;
}

/* Option "generator", or the default one. */
static generator *opt_generator(lua_State *L, int options, const char *fn) {
  generator *g = NULL;
  if (options && push_option(L, options, "generator") != LUA_TNIL) {
    g = test_generator(L, -1);
    if (!g) luaL_error(L, "%s: option generator: generator expected, got %s", fn, luaL_typename(L, -1));
  } else {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &default_generator);
    g = lua_touserdata(L, -1);
  }
  return g;               /* the options table or the registry keeps it alive */
}

static uint64_t entropy(void) {
  uint64_t seed;
  if (getentropy(&seed, sizeof seed) != 0) seed = (uint64_t)time(NULL) * 0x9E3779B97F4A7C15u;
  return seed;
}

static int l_manual_seed(lua_State *L) {
  uint64_t seed = (uint64_t)check_integer(L, 1, "manual_seed", "seed");
  lua_rawgetp(L, LUA_REGISTRYINDEX, &default_generator);
  *(generator *)lua_touserdata(L, -1) = (generator){.seed = seed};
  return 1;
}

/* ---- tensors ---- */

/* A fresh tensor of the shape in arguments first … nargs, filled. */
static int create(lua_State *L, const char *fn, int first, int nargs, int options, const random_job *j, enum dtype otherwise) {
  shape s;
  check_shape(L, first, nargs, fn, &s);
  enum dtype d = opt_dtype(L, options, fn, otherwise);
  generator *g = opt_generator(L, options, fn);
  tensor *t = push_tensor(L, fn, d, &s, opt_place(L, options, fn, default_place()));
  const tensor *about = t;
  int st = random_run(j, g, t);
  return st == OK ? finish_op(L, false) : raise(L, fn, st, &about, 1);
}

static int l_rand(lua_State *L) {
  int nargs, options = check_options(L, "rand", create_options, &nargs);
  random_job j = {.op = RANDOM_uniform, .a = 0, .b = 1};
  return create(L, "rand", 1, nargs, options, &j, dtype_default_float());
}

static int l_randn(lua_State *L) {
  int nargs, options = check_options(L, "randn", create_options, &nargs);
  random_job j = {.op = RANDOM_normal, .a = 0, .b = 1};
  return create(L, "randn", 1, nargs, options, &j, dtype_default_float());
}

static const luaL_Reg functions[] = {{"rand", l_rand}, {"randn", l_randn}, {"manual_seed", l_manual_seed}, {NULL, NULL}};

void open_random(lua_State *L) {
  luaL_newmetatable(L, "luatensor.Generator");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &generator_class);
  push_generator(L, entropy());
  lua_rawsetp(L, LUA_REGISTRYINDEX, &default_generator);
  add_functions(L, functions);
}
