/* Convolutions and pooling for luatensor.nn, which checks shapes and options and writes the error messages. The
** functions of this file check again everything on which memory safety depends. */

#include <string.h>

#include "lua/args.h"
#include "lua/register.h"
#include "op/nn/conv.h"
#include "op/nn/pool.h"

/* Reads the integers of the list at stack index i into out, and returns their number. More than `most` are an error. */
static int read_list(lua_State *L, int i, const char *fn, int64_t *out, int most) {
  luaL_checktype(L, i, LUA_TTABLE);
  int n = (int)lua_rawlen(L, i);
  if (n > most) luaL_error(L, "%s: a list of %d numbers", fn, n);
  for (int k = 0; k < n; k++) {
    lua_rawgeti(L, i, k + 1);
    out[k] = check_integer(L, -1, fn, "a length");
    lua_pop(L, 1);
  }
  return n;
}

static void read_lengths(lua_State *L, int i, const char *fn, bool flat, int64_t length[2]) {
  length[0] = flat ? 1 : check_integer(L, i, fn, "a length");
  length[1] = check_integer(L, flat ? i : i + 1, fn, "a length");
}

static int raise_call(lua_State *L, const char *fn, int st, const tensor *a, const tensor *b) {
  if (st == ERR_RANK) return luaL_error(L, "%s: 3-d or 4-d tensors expected", fn);
  if (st == ERR_EMPTY) return luaL_error(L, "%s: a window lies in the padding altogether", fn);
  if (st == ERR_INNER)
    return luaL_error(L, "%s: shapes %s and %s do not fit", fn, push_shape(L, &a->shape), push_shape(L, &b->shape));
  return raise(L, fn, st, (const tensor *[]){a, b}, 2);
}

/* ---- convolutions ---- */

/* Reads the geometry from the list at i. The list has stride, padding before, padding after and dilation, of two
** numbers each, and groups. */
static void read_geometry(lua_State *L, int i, const char *fn, conv_geometry *g) {
  int64_t v[9];
  if (read_list(L, i, fn, v, 9) != 9) luaL_error(L, "%s: 9 numbers expected", fn);
  memcpy(g->stride, v, sizeof g->stride);
  memcpy(g->before, v + 2, sizeof g->before);
  memcpy(g->after, v + 4, sizeof g->after);
  memcpy(g->dilation, v + 6, sizeof g->dilation);
  g->groups = v[8];
}

/* Returns option out, which is argument i, or NULL. For the check of top_out the option is copied to the top of the
** stack, because the check searches all values below the top for tensors that need gradients. */
static tensor *arg_out(lua_State *L, int i, const char *fn) {
  lua_pushvalue(L, i);
  tensor *out = top_out(L, fn);
  lua_pop(L, 1);
  return out;
}

/* Pushes the result: option out, which is argument i, or a new tensor. */
static tensor *push_result(lua_State *L, const char *fn, int i, const conv_job *j, const tensor *like) {
  if (lua_isnoneornil(L, i)) return push_tensor_later(L, fn, like->dtype, &j->shape, like->store->place);
  lua_pushvalue(L, i);
  return check_tensor_later(L, i, fn);
}

/* Runs a convolution. The first nin arguments are tensors: two inputs, and a bias if nin is 3. `geometry` and `out`
** are the numbers of the arguments with the list of the geometry and with option out. */
static int run_conv(lua_State *L, const char *fn, conv_job *j, int nin, int geometry, int out) {
  const tensor *a = check_tensor_later(L, 1, fn), *b = check_tensor_later(L, 2, fn);
  bool given = arg_out(L, out, fn) != NULL;
  int st = conv_prepare(j);
  if (st != OK) return raise_call(L, fn, st, a, b);
  tensor *y = push_result(L, fn, out, j, a);
  TRY(L, a->store->place, st, conv_run_later(fn, j, y));
  if (st == ERR_OUT_SHAPE || st == ERR_CAST) return raise_target(L, fn, st, y, a->dtype, &j->shape);
  if (st != OK && given) return raise(L, fn, st, (const tensor *[]){y, a, b}, 3);
  if (st != OK) return raise_call(L, fn, st, a, b);
  return finish_record(L, &(op_record){.name = fn, .nin = nin, .in = {1, 2, 3}, .first = (short)geometry,
                                       .last = (short)geometry, .in_place = given});
}

/* conv(x, w, bias or nil, geometry, out or nil): returns the convolution. */
static int l_conv(lua_State *L) {
  lua_settop(L, 5);
  conv_job j = {.op = CONV_forward, .x = check_tensor_later(L, 1, "conv"), .w = check_tensor_later(L, 2, "conv")};
  if (!lua_isnil(L, 3)) j.bias = check_tensor_later(L, 3, "conv");
  read_geometry(L, 4, "conv", &j.geometry);
  return run_conv(L, "conv", &j, j.bias ? 3 : 2, 4, 5);
}

/* conv_input(y, w, geometry, lengths of x …): returns the gradient of x, where y is the gradient of the result.
** Argument 6 is option out or nil. Argument 7 may be a bias that the caller adds to the result. Only the check for
** tensors that need gradients (arg_out) reads argument 7. */
static int l_conv_input(lua_State *L) {
  lua_settop(L, 7);
  conv_job j = {.op = CONV_input, .y = check_tensor_later(L, 1, "conv_input"), .w = check_tensor_later(L, 2, "conv_input")};
  read_geometry(L, 3, "conv_input", &j.geometry);
  read_lengths(L, 4, "conv_input", j.y->shape.ndim == 3, j.length);
  return run_conv(L, "conv_input", &j, 2, 3, 6);
}

/* conv_weight(y, x, geometry, lengths of the kernel …): returns the gradient of w, where y is the gradient of the
** result. Argument 6 is option out or nil. */
static int l_conv_weight(lua_State *L) {
  lua_settop(L, 6);
  conv_job j = {.op = CONV_weight, .y = check_tensor_later(L, 1, "conv_weight"), .x = check_tensor_later(L, 2, "conv_weight")};
  read_geometry(L, 3, "conv_weight", &j.geometry);
  read_lengths(L, 4, "conv_weight", j.y->shape.ndim == 3, j.length);
  return run_conv(L, "conv_weight", &j, 2, 3, 6);
}

/* ---- pooling ---- */

/* Reads the description of the windows from the list at stack index i. For adaptive pooling the list has the result's
** two lengths. Otherwise the list has 11 numbers. The first eight are the windows' length, stride, padding at the start
** and dilation, two numbers each. Then there is 1 if the result's lengths are rounded up, else 0, and 1 if averages
** count the padding, else 0. The last number is the divisor of averages, or 0 for the number of elements that count. */
static void read_windows(lua_State *L, int i, const char *fn, pool_job *j) {
  int64_t v[11];
  int n = read_list(L, i, fn, v, 11);
  if (n == 2) {
    j->call.adaptive = true;
    memcpy(j->call.out, v, sizeof j->call.out);
    return;
  }
  if (n != 11) luaL_error(L, "%s: 2 or 11 numbers expected", fn);
  memcpy(j->call.kernel, v, sizeof j->call.kernel);
  memcpy(j->call.stride, v + 2, sizeof j->call.stride);
  memcpy(j->call.pad, v + 4, sizeof j->call.pad);
  memcpy(j->call.dilation, v + 6, sizeof j->call.dilation);
  j->ceil = v[8] != 0;
  j->call.count_pad = v[9] != 0;
  j->call.divisor = v[10];
}

static void prepare_pool(lua_State *L, const char *fn, pool_job *j) {
  int st = pool_prepare(j);
  if (st != OK) raise_call(L, fn, st, j->in, j->position ? j->position : j->in);
}

/* Runs the pooling j, whose `nin` inputs are the first arguments and whose windows are the next argument. Pushes the
** result and, if `position` is set, the positions of the maxima. */
static int run_pool(lua_State *L, const char *fn, const pool_job *j, int nin, bool position) {
  place where = j->in->store->place;
  tensor *out = push_tensor_later(L, fn, j->in->dtype, &j->shape, where);
  tensor *at = position ? push_tensor_later(L, fn, DT_int32, &j->shape, where) : NULL;
  int st;
  TRY(L, where, st, pool_run_later(fn, j, out, at));
  if (st != OK) return raise_call(L, fn, st, j->in, j->in);
  finish_record(L, &(op_record){.name = fn, .nin = nin, .in = {1, 2}, .nout = position ? 2 : 1, .first = (short)(nin + 1),
                                .last = (short)(nin + 1)});
  return position ? 2 : 1;
}

/* max_pool(x, windows, flag): returns the maxima, and also their positions if the flag is true. */
static int l_max_pool(lua_State *L) {
  pool_job j = {.in = check_tensor_later(L, 1, "max_pool"), .call = {.op = POOL_max}};
  read_windows(L, 2, "max_pool", &j);
  prepare_pool(L, "max_pool", &j);
  return run_pool(L, "max_pool", &j, 1, lua_toboolean(L, 3));
}

/* max_pool_back(y, position, windows, lengths of x …): returns the gradient of x. */
static int l_max_pool_back(lua_State *L) {
  const char *fn = "max_pool_back";
  pool_job j = {.in = check_tensor_later(L, 1, fn), .position = check_tensor_later(L, 2, fn), .call = {.op = POOL_max_back}};
  read_windows(L, 3, fn, &j);
  read_lengths(L, 4, fn, j.in->shape.ndim == 3, j.call.in);
  prepare_pool(L, fn, &j);
  return run_pool(L, fn, &j, 2, false);
}

/* average_pool(x, windows): returns the averages. */
static int l_average_pool(lua_State *L) {
  pool_job j = {.in = check_tensor_later(L, 1, "average_pool"), .call = {.op = POOL_average}};
  read_windows(L, 2, "average_pool", &j);
  prepare_pool(L, "average_pool", &j);
  return run_pool(L, "average_pool", &j, 1, false);
}

/* average_pool_back(y, windows, lengths of x …): returns the gradient of x. */
static int l_average_pool_back(lua_State *L) {
  const char *fn = "average_pool_back";
  pool_job j = {.in = check_tensor_later(L, 1, fn), .call = {.op = POOL_average_back}};
  read_windows(L, 2, fn, &j);
  read_lengths(L, 3, fn, j.in->shape.ndim == 3, j.call.in);
  prepare_pool(L, fn, &j);
  return run_pool(L, fn, &j, 1, false);
}

static const function_row functions[] = {
  {"conv", l_conv, INTERNAL}, {"conv_input", l_conv_input, INTERNAL}, {"conv_weight", l_conv_weight, INTERNAL},
  {"max_pool", l_max_pool, INTERNAL}, {"max_pool_back", l_max_pool_back, INTERNAL}, {"average_pool", l_average_pool, INTERNAL},
  {"average_pool_back", l_average_pool_back, INTERNAL}, {NULL, NULL, 0}
};

void open_conv(lua_State *L) { add_functions(L, functions); }
