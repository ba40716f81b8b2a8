/* Functions and methods that draw random numbers, and the class of generators. */

#include <math.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>                /* musl declares getentropy here */

#include "lua/args.h"
#include "lua/register.h"
#include "base/text.h"
#include "op/random.h"

/* The addresses of these variables are registry keys. The first is the key of the generators' metatable, the second the
** key of the Lua state's default generator. */
static const char generator_class = 0, default_generator = 0;

static const char *const create_options[] = {"dtype", "device", "generator", MADE_OPTIONS, NULL};
static const char *const permutation_options[] = {"device", "generator", NULL};
static const char *const in_place_options[] = {"generator", NULL};
static const char *const generator_options[] = {"seed", NULL};

/* ---- generators ---- */

static generator *check_generator(lua_State *L, const char *fn) {
  return check_self(L, &generator_class, sizeof(generator), fn, "generator");
}

static generator *push_generator(lua_State *L, uint64_t seed) {
  generator *g = push_object(L, &generator_class, sizeof *g, 0);
  g->seed = seed;
  return g;
}

/* If a graph is being captured, keeps the generator at the top of the stack alive as long as the graph.
** lua/device/graph.c provides a table for such generators. */
static void keep_for_graph(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &captured_uses);
  if (lua_istable(L, -1)) {
    lua_pushvalue(L, -2);
    lua_pushboolean(L, 1);
    lua_rawset(L, -3);
  }
  lua_pop(L, 1);
}

/* Returns option "generator", or the default generator. The options table or the registry keeps the generator
** alive. */
static generator *opt_generator(lua_State *L, int options, const char *fn) {
  generator *g;
  if (options && push_option(L, options, "generator") != LUA_TNIL) {
    g = test_class(L, -1, &generator_class, sizeof(generator));
    if (!g) luaL_error(L, "%s: option generator: generator expected, got %s", fn, type_name(L, -1));
  } else {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &default_generator);
    g = lua_touserdata(L, -1);
  }
  if (random_is_captured()) keep_for_graph(L);
  return g;
}

/* Raises an error while a graph is captured, because replays of the graph would not repeat the seeding: they continue
** from the generator's current state. */
static void check_seeding(lua_State *L, const char *fn) {
  if (random_is_captured()) luaL_error(L, "%s: not while a graph is captured", fn);
}

static uint64_t entropy(void) {
  uint64_t seed;
  if (getentropy(&seed, sizeof seed) != 0) seed = (uint64_t)time(NULL) * 0x9E3779B97F4A7C15u;
  return seed;
}

/***
Makes a new generator. Functions that draw random numbers take a generator as option `generator`.
@function generator
@tparam[opt] table options `seed`: an integer; by default the system provides a seed
@treturn generator with the methods below
*/
static int l_generator(lua_State *L) {
  int nargs, options = check_options(L, "generator", generator_options, &nargs);
  if (nargs > 0) return luaL_error(L, "generator: options expected, as in lt.generator{seed = 1}");
  uint64_t seed = options ? 0 : entropy();
  if (options) {
    push_option(L, options, "seed");
    check_seeding(L, "generator");
    seed = (uint64_t)check_integer(L, -1, "generator", "seed");
  }
  push_generator(L, seed);
  return 1;
}

/***
Seeds the default generator.
@function manual_seed
@tparam integer seed
@treturn generator the default generator
*/
static int l_manual_seed(lua_State *L) {
  uint64_t seed = (uint64_t)check_integer(L, 1, "manual_seed", "seed");
  check_seeding(L, "manual_seed");
  lua_rawgetp(L, LUA_REGISTRYINDEX, &default_generator);
  *(generator *)lua_touserdata(L, -1) = (generator){.seed = seed};
  return 1;
}

/***
Returns the generator for draws without option `generator`. A script that saves and later restores the state of this
generator continues its run exactly.
@function default_generator
@treturn generator
*/
static int l_default_generator(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &default_generator);
  return 1;
}

/* is_generator(v): true if v is a generator. */
static int l_is_generator(lua_State *L) {
  lua_pushboolean(L, test_class(L, 1, &generator_class, sizeof(generator)) != NULL);
  return 1;
}

/***
Seeds this generator.
@function generator:manual_seed
@tparam integer seed
@treturn generator itself
*/
static int g_manual_seed(lua_State *L) {
  generator *g = check_generator(L, "manual_seed");
  check_seeding(L, "manual_seed");
  *g = (generator){.seed = (uint64_t)check_integer(L, 2, "manual_seed", "seed")};
  lua_settop(L, 1);
  return 1;
}

/*** Returns the seed with which the generator began.
@function generator:seed
@treturn integer the generator's seed
*/
static int g_seed(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)check_generator(L, "seed")->seed);
  return 1;
}

/***
Returns the state of the generator, for `set_state`.
@function generator:state
@treturn table {seed = …, offset = …}
*/
static int g_state(lua_State *L) {
  const generator *g = check_generator(L, "state");
  lua_createtable(L, 0, 2);
  lua_pushinteger(L, (lua_Integer)g->seed);
  lua_setfield(L, -2, "seed");
  lua_pushinteger(L, (lua_Integer)g->offset);
  lua_setfield(L, -2, "offset");
  return 1;
}

/***
Restores a state. Afterwards the same numbers are drawn again.
@function generator:set_state
@tparam table state a result of `state`
@treturn generator itself
*/
static int g_set_state(lua_State *L) {
  generator *g = check_generator(L, "set_state");
  check_seeding(L, "set_state");
  if (!lua_istable(L, 2)) return luaL_error(L, "set_state: table expected, got %s", type_name(L, 2));
  lua_getfield(L, 2, "seed");
  lua_getfield(L, 2, "offset");
  uint64_t seed = (uint64_t)check_integer(L, -2, "set_state", "seed");
  *g = (generator){.seed = seed, .offset = (uint64_t)check_integer(L, -1, "set_state", "offset")};
  lua_settop(L, 1);
  return 1;
}

static int g_tostring(lua_State *L) {
  const generator *g = check_generator(L, "tostring");
  lua_pushfstring(L, "generator (seed %I, offset %I)", (LUAI_UACINT)g->seed, (LUAI_UACINT)g->offset);
  return 1;
}

/* ---- distributions ---- */

static double check_number(lua_State *L, int i, const char *fn, const char *what) {
  if (lua_type(L, i) != LUA_TNUMBER) luaL_error(L, "%s: %s: number expected, got %s", fn, what, type_name(L, i));
  double v = lua_tonumber(L, i);
  if (!isfinite(v)) luaL_error(L, "%s: %s is %s", fn, what, push_double(L, v));
  return v;
}

/* Returns argument i, or `otherwise` if the argument is missing. */
static double number_or(lua_State *L, int i, int nargs, const char *fn, const char *what, double otherwise) {
  return i <= nargs ? check_number(L, i, fn, what) : otherwise;
}

static random_job uniform_job(lua_State *L, const char *fn, double low, double high) {
  char from[32], to[32];
  if (low > high || !isfinite(high - low)) {
    text_print(from, sizeof from, "%.14g", low);
    text_print(to, sizeof to, "%.14g", high);
    luaL_error(L, "%s: %s to %s is no range", fn, from, to);
  }
  return (random_job){.op = RANDOM_uniform, .a = low, .b = high};
}

static random_job normal_job(lua_State *L, const char *fn, double mean, double deviation) {
  if (deviation < 0) luaL_error(L, "%s: standard deviation %s is negative", fn, push_double(L, deviation));
  return (random_job){.op = RANDOM_normal, .a = mean, .b = deviation};
}

static random_job integers_job(lua_State *L, const char *fn, int64_t low, int64_t high, enum dtype d) {
  bool as_unsigned = d == DT_uint64;       /* 2^63 and greater numbers are negative Lua integers */
  if (as_unsigned ? (uint64_t)low > (uint64_t)high : low > high)
    luaL_error(L, "%s: %I to %I is no range", fn, (LUAI_UACINT)low, (LUAI_UACINT)high);
  int64_t misfit = integer_fits(d, low) ? high : low;
  if (d == DT_bool || !integer_fits(d, misfit))
    luaL_error(L, "%s: %I does not fit %s", fn, (LUAI_UACINT)misfit, dtypes[d].name);
  return (random_job){.op = RANDOM_integers, .low = low, .range = (uint64_t)high - (uint64_t)low + 1};
}

/* ---- new tensors ---- */

/* Fills the tensor at the top of the stack with random numbers, and returns it to the script. */
static int fill(lua_State *L, const char *fn, const random_job *j, generator *g, int options, bool in_place) {
  tensor *t = lua_touserdata(L, -1);
  const tensor *about = t;
  int st;
  if (in_place) check_in_place(L, fn);
  TRY(L, t->store->place, st, random_run_later(fn, j, g, t));
  if (st == ERR_DTYPE) return luaL_error(L, "%s: not for %s; randint is", fn, dtypes[t->dtype].name);
  if (st != OK) return raise(L, fn, st, &about, 1);
  return in_place ? finish_op(L, true) : finish_made(L, options, fn);
}

/* Creates a tensor of the shape in arguments first … nargs. */
static int create(lua_State *L, const char *fn, int first, int nargs, int options, const random_job *j) {
  shape s;
  check_shape(L, first, nargs, fn, &s);
  enum dtype d = opt_dtype(L, options, fn, j->op >= RANDOM_integers ? DT_int64 : dtype_default_float());
  place where = opt_place(L, options, fn, default_place(L));
  generator *g = opt_generator(L, options, fn);
  push_tensor_later(L, fn, d, &s, where);
  return fill(L, fn, j, g, options, false);
}

/* Creates a tensor with argument 1's shape. The tensor has the argument's dtype and device unless options say
** otherwise. */
static int create_like(lua_State *L, const char *fn, int options, const random_job *j) {
  const tensor *like = check_tensor_later(L, 1, fn);
  enum dtype d = opt_dtype(L, options, fn, like->dtype);
  place where = opt_place(L, options, fn, like->store->place);
  generator *g = opt_generator(L, options, fn);
  push_tensor_later(L, fn, d, &like->shape, where);
  return fill(L, fn, j, g, options, false);
}

static const random_job standard_uniform = {.op = RANDOM_uniform, .a = 0, .b = 1};
static const random_job standard_normal = {.op = RANDOM_normal, .a = 0, .b = 1};

/***
Draws from the uniform distribution in [0, 1). The same seed gives the same numbers on every device, with any number of
threads.
@function rand
@param ... the shape: numbers or one table
@tparam[opt] table options `dtype` (a float; by default the default float), `device`, `generator`, `requires_grad`
@treturn tensor with 24 random bits in each element (float64: 53, float16: 11, bfloat16: 8)
*/
static int l_rand(lua_State *L) {
  int nargs, options = check_options(L, "rand", create_options, &nargs);
  return create(L, "rand", 1, nargs, options, &standard_uniform);
}

/***
Draws from the normal distribution with mean 0 and standard deviation 1.
@function randn
@param ... the shape: numbers or one table
@tparam[opt] table options `dtype` (a float; by default the default float), `device`, `generator`, `requires_grad`
@treturn tensor
*/
static int l_randn(lua_State *L) {
  int nargs, options = check_options(L, "randn", create_options, &nargs);
  return create(L, "randn", 1, nargs, options, &standard_normal);
}

/***
Draws integers from low to high, both included, like math.random. Let n be the number of possible values. Each number is
low plus the upper 64 bits of the 128-bit product of n and a random 64-bit integer. So probabilities differ by at most
n / 2^64.
@function randint
@tparam integer low
@tparam integer high
@param ... the shape: numbers or one table
@tparam[opt] table options `dtype` (default int64), `device`, `generator`, `requires_grad` (of floats)
@treturn tensor
@raise if a bound does not fit the dtype, or if low > high
*/
static int l_randint(lua_State *L) {
  int nargs, options = check_options(L, "randint", create_options, &nargs);
  if (nargs < 2) return luaL_error(L, "randint: low and high expected");
  int64_t low = check_integer(L, 1, "randint", "low"), high = check_integer(L, 2, "randint", "high");
  random_job j = integers_job(L, "randint", low, high, opt_dtype(L, options, "randint", DT_int64));
  return create(L, "randint", 3, nargs, options, &j);
}

/***
Draws from the uniform distribution in [low, high).
@function uniform
@tparam number low
@tparam number high
@param ... the shape: numbers or one table
@tparam[opt] table options `dtype` (a float), `device`, `generator`, `requires_grad`
@treturn tensor
*/
static int l_uniform(lua_State *L) {
  int nargs, options = check_options(L, "uniform", create_options, &nargs);
  if (nargs < 2) return luaL_error(L, "uniform: low and high expected");
  double low = check_number(L, 1, "uniform", "low"), high = check_number(L, 2, "uniform", "high");
  random_job j = uniform_job(L, "uniform", low, high);
  return create(L, "uniform", 3, nargs, options, &j);
}

/***
Draws from the normal distribution.
@function normal
@tparam number mean
@tparam number std the standard deviation, not negative
@param ... the shape: numbers or one table
@tparam[opt] table options `dtype` (a float), `device`, `generator`, `requires_grad`
@treturn tensor
*/
static int l_normal(lua_State *L) {
  int nargs, options = check_options(L, "normal", create_options, &nargs);
  if (nargs < 2) return luaL_error(L, "normal: mean and standard deviation expected");
  double mean = check_number(L, 1, "normal", "mean"), deviation = check_number(L, 2, "normal", "standard deviation");
  random_job j = normal_job(L, "normal", mean, deviation);
  return create(L, "normal", 3, nargs, options, &j);
}

/***
Returns the integers 1 … n in random order.
@function permutation
@tparam integer n
@tparam[opt] table options `device`, `generator`
@treturn tensor int64, shape [n]
*/
static int l_permutation(lua_State *L) {
  int nargs, options = check_options(L, "permutation", permutation_options, &nargs);
  if (nargs != 1) return raise_count(L, "permutation", 1, 1, nargs);
  check_integer(L, 1, "permutation", "n");
  random_job j = {.op = RANDOM_permutation};
  return create(L, "permutation", 1, nargs, options, &j);
}

static int like(lua_State *L, const char *fn, const random_job *j) {
  int nargs, options = check_options(L, fn, create_options, &nargs);
  if (nargs != 1) return raise_count(L, fn, 1, 1, nargs);
  return create_like(L, fn, options, j);
}

/***
Draws from the uniform distribution in [0, 1), with x's shape, dtype and device.
@function rand_like
@tparam tensor x
@tparam[opt] table options `dtype`, `device`, `generator`, `requires_grad`
@treturn tensor
*/
static int l_rand_like(lua_State *L) { return like(L, "rand_like", &standard_uniform); }

/***
Draws from the normal distribution with mean 0 and standard deviation 1, with x's shape, dtype and device.
@function randn_like
@tparam tensor x
@tparam[opt] table options `dtype`, `device`, `generator`, `requires_grad`
@treturn tensor
*/
static int l_randn_like(lua_State *L) { return like(L, "randn_like", &standard_normal); }

/* ---- in place ---- */

static int fill_first(lua_State *L, const char *fn, int options, const random_job *j) {
  generator *g = opt_generator(L, options, fn);
  lua_pushvalue(L, 1);
  return fill(L, fn, j, g, 0, true);
}

static int in_place_args(lua_State *L, const char *fn, int *nargs) {
  check_tensor_later(L, 1, fn);
  int options = check_options(L, fn, in_place_options, nargs);
  if (*nargs > 3) luaL_error(L, "%s: 2 numbers at most expected, got %d arguments", fn, *nargs - 1);
  return options;
}

/***
Fills x from the uniform distribution in [low, high).
@function uniform_
@tparam[opt=0] number low
@tparam[opt=1] number high
@tparam[opt] table options `generator`
@treturn tensor x
*/
static int l_uniform_in_place(lua_State *L) {
  int nargs, options = in_place_args(L, "uniform_", &nargs);
  random_job j = uniform_job(L, "uniform_", number_or(L, 2, nargs, "uniform_", "low", 0),
                             number_or(L, 3, nargs, "uniform_", "high", 1));
  return fill_first(L, "uniform_", options, &j);
}

/***
Fills x from the normal distribution.
@function normal_
@tparam[opt=0] number mean
@tparam[opt=1] number std
@tparam[opt] table options `generator`
@treturn tensor x
*/
static int l_normal_in_place(lua_State *L) {
  int nargs, options = in_place_args(L, "normal_", &nargs);
  random_job j = normal_job(L, "normal_", number_or(L, 2, nargs, "normal_", "mean", 0),
                            number_or(L, 3, nargs, "normal_", "standard deviation", 1));
  return fill_first(L, "normal_", options, &j);
}

/* Returns the greatest n such that dtype d represents all integers from 0 to n exactly. For uint64 the result is -1,
** the Lua integer with the same bits. */
static int64_t greatest(enum dtype d) {
  if (dtypes[d].digits) return (int64_t)1 << dtypes[d].digits;
  int bits = 8 * dtype_size(d);
  if (bits == 64) return dtype_kind(d) == KIND_UINT ? -1 : INT64_MAX;
  return ((int64_t)1 << (bits - (dtype_kind(d) == KIND_INT))) - 1;
}

/***
Fills x with integers from low to high, both included.
@function random_
@tparam[opt=0] integer low
@tparam[opt] integer high by default the greatest integer of the dtype; for floats the end of the range in which all
  integers are exact
@tparam[opt] table options `generator`
@treturn tensor x
*/
static int l_random_in_place(lua_State *L) {
  int nargs, options = in_place_args(L, "random_", &nargs);
  enum dtype d = check_tensor_later(L, 1, "random_")->dtype;
  int64_t low = nargs >= 2 ? check_integer(L, 2, "random_", "low") : 0;
  int64_t high = nargs >= 3 ? check_integer(L, 3, "random_", "high") : greatest(d);
  random_job j = integers_job(L, "random_", low, high, d);
  return fill_first(L, "random_", options, &j);
}

/* ---- opening ---- */

static const function_row functions[] = {
  {"rand", l_rand, ANY}, {"randn", l_randn, ANY}, {"randint", l_randint, ANY}, {"uniform", l_uniform, ANY},
  {"normal", l_normal, ANY}, {"permutation", l_permutation, 2}, {"generator", l_generator, 1},
  {"manual_seed", l_manual_seed, 1}, {"default_generator", l_default_generator, 0},
  {"is_generator", l_is_generator, INTERNAL}, {NULL, NULL, 0}
};
static const function_row methods[] = {{"rand_like", l_rand_like, 2}, {"randn_like", l_randn_like, 2}, {NULL, NULL, 0}};
static const function_row in_place[] = {
  {"uniform_", l_uniform_in_place, 4}, {"normal_", l_normal_in_place, 4}, {"random_", l_random_in_place, 4},
  {NULL, NULL, 0}
};
static const function_row generator_methods[] = {
  {"seed", g_seed, 1}, {"state", g_state, 1}, {"set_state", g_set_state, 2}, {"manual_seed", g_manual_seed, 2},
  {"__tostring", g_tostring, ANY}, {NULL, NULL, 0}
};

void open_random(lua_State *L) {
  luaL_newmetatable(L, "luatensor.Generator");
  set_functions(L, generator_methods);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &generator_class);
  push_generator(L, entropy());
  lua_rawsetp(L, LUA_REGISTRYINDEX, &default_generator);
  add_functions(L, functions);
  add_methods(L, methods);
  add_method_forms(L, in_place);
}
