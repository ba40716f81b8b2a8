/* Normalisation for the functions of nn, which have checked the shapes. This file repeats the checks on which memory
** safety depends. */

#include "lua/args.h"
#include "lua/register.h"
#include "op/nn/norm.h"

static tensor *check_float(lua_State *L, const char *fn, int i) {
  tensor *x = check_tensor_later(L, i, fn);
  if (dtype_kind(x->dtype) != KIND_FLOAT) luaL_error(L, "%s: not for %s; use x:to(\"float32\")", fn, dtypes[x->dtype].name);
  return x;
}

/* Returns the tensor at i, or NULL for nil. */
static tensor *opt_float(lua_State *L, const char *fn, int i) {
  return lua_isnoneornil(L, i) ? NULL : check_float(L, fn, i);
}

static void prepare(lua_State *L, const char *fn, norm_job *j) {
  int st = norm_prepare(j), n = 0;
  if (st == ERR_INNER) luaL_error(L, "%s: the shapes do not fit", fn);
  if (st == OK) return;
  const tensor *all[] = {j->x, j->weight, j->bias, j->running_mean, j->running_var, j->gradient, j->kept}, *t[7];
  for (int i = 0; i < 7; i++) if (all[i]) t[n++] = all[i];
  raise(L, fn, st, t, n);
}

/* Runs a forward call and pushes the normalised tensor. fn is also the name of the rule that computes the gradient. */
static int run(lua_State *L, const char *fn, const norm_job *j, const op_params *p) {
  place where = j->x->store->place;
  tensor *out = push_tensor_later(L, fn, j->x->dtype, &j->x->shape, where), *stats = push_tensor_later(L, fn, j->compute, &j->stats, where);
  int st;
  TRY(L, where, st, norm_run_later(fn, j, out, stats));
  if (st != OK) raise(L, fn, st, &j->x, 1);
  finish_record(L, &(op_record){.name = fn, .params = p, .nin = 3, .in = {1, 2, 3}, .nout = 2});
  tensor_drop(stats);
  lua_pop(L, 1);
  return 1;
}

/* norm_rows(x, weight, bias, segments, run, groups, eps, rms): splits x into blocks of (segments * run) neighbouring
** elements and normalises each block. Then multiplies by weight and adds bias; both have the shape [groups * segments]
** or are nil. Block r uses the elements of weight and bias from (r % groups) * segments on, one for each `run` elements
** of x. eps and rms are described at norm_call (base/calls.h). */
static int l_norm_rows(lua_State *L) {
  const char *fn = "norm_rows";
  lua_settop(L, 8);
  norm_job j = {.kind = NORM_rows, .x = check_float(L, fn, 1), .weight = opt_float(L, fn, 2), .bias = opt_float(L, fn, 3),
                .segments = luaL_checkinteger(L, 4), .run = luaL_checkinteger(L, 5), .groups = luaL_checkinteger(L, 6),
                .eps = luaL_checknumber(L, 7), .rms = lua_toboolean(L, 8)};
  prepare(L, fn, &j);
  op_params p = {.flag = j.rms, .dim = (int)j.groups - 1, .number = {j.eps, (double)j.segments}};
  return run(L, fn, &j, &p);
}

/* norm_channels(x, weight, bias, running_mean, running_var, training, momentum, eps): normalises each channel of x
** [N, C, …]. With `training`, the batch's own mean and variance are used, and they update running_mean and
** running_var unless these are nil. Otherwise running_mean and running_var are used. momentum and eps are described
** at norm_call (base/calls.h). */
static int l_norm_channels(lua_State *L) {
  const char *fn = "norm_channels";
  lua_settop(L, 8);
  norm_job j = {.kind = NORM_channels, .x = check_float(L, fn, 1), .weight = opt_float(L, fn, 2), .bias = opt_float(L, fn, 3),
                .running_mean = opt_float(L, fn, 4), .running_var = opt_float(L, fn, 5), .given = !lua_toboolean(L, 6),
                .momentum = luaL_optnumber(L, 7, 0), .eps = luaL_checknumber(L, 8)};
  prepare(L, fn, &j);
  op_params p = {.flag = j.given, .number = {j.eps, (double)j.segments}};
  return run(L, fn, &j, &p);
}

/* Pushes a new tensor for a gradient if argument i is true (wanted), else nil. */
static tensor *push_gradient(lua_State *L, const char *fn, int i, enum dtype d, const shape *s, const tensor *x) {
  if (lua_toboolean(L, i)) return push_tensor_later(L, fn, d, s, x->store->place);
  lua_pushnil(L);
  return NULL;
}

/* norm_back(g, x, weight, stats, channels, flag, segments, groups, of x, of weight, of bias): returns the gradients
** of x, weight and bias. g is the gradient of the result. A gradient is nil if its argument ("of x" …) is false. stats
** are the statistics that the forward call computed. channels: true for norm_channels, false for norm_rows, whose
** segments and groups follow. flag: for rows, the argument rms; for channels, true if the running statistics were
** used. */
static int l_norm_back(lua_State *L) {
  const char *fn = "norm";
  lua_settop(L, 11);
  bool channels = lua_toboolean(L, 5), flag = lua_toboolean(L, 6);
  norm_job j = {.kind = channels ? NORM_channels : NORM_rows, .gradient = check_float(L, fn, 1), .x = check_float(L, fn, 2),
                .weight = opt_float(L, fn, 3), .kept = check_float(L, fn, 4), .given = channels && flag, .rms = !channels && flag};
  if (!channels) {
    j.segments = luaL_checkinteger(L, 7);
    j.groups = luaL_checkinteger(L, 8);
  }
  prepare(L, fn, &j);
  tensor *dx = push_gradient(L, fn, 9, j.x->dtype, &j.x->shape, j.x);
  tensor *dweight = push_gradient(L, fn, 10, j.compute, &j.parameters, j.x);
  tensor *dbias = push_gradient(L, fn, 11, j.compute, &j.parameters, j.x);
  int st;
  TRY(L, j.x->store->place, st, norm_back_later(fn, &j, dx, dweight, dbias));
  return st == OK ? 3 : raise(L, fn, st, &j.x, 1);
}

/* softmax_back(g, o, log): returns the gradient of softmax or, if log is true, of log_softmax along the last dim. g
** is the gradient of the result o. */
static int l_softmax_back(lua_State *L) {
  const char *fn = "softmax";
  lua_settop(L, 3);
  norm_job j = {.kind = lua_toboolean(L, 3) ? NORM_log_softmax : NORM_softmax, .gradient = check_float(L, fn, 1),
                .x = check_float(L, fn, 2)};
  prepare(L, fn, &j);
  tensor *dx = push_tensor_later(L, fn, j.x->dtype, &j.x->shape, j.x->store->place);
  int st;
  TRY(L, j.x->store->place, st, norm_back_later(fn, &j, dx, NULL, NULL));
  return st == OK ? finish_op(L, false) : raise(L, fn, st, &j.x, 1);
}

static const function_row functions[] = {
  {"softmax_back", l_softmax_back, INTERNAL}, {"norm_rows", l_norm_rows, INTERNAL}, {"norm_channels", l_norm_channels, INTERNAL},
  {"norm_back", l_norm_back, INTERNAL}, {NULL, NULL, 0}
};

void open_norm(lua_State *L) { add_functions(L, functions); }
