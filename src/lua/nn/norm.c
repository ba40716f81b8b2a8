/* Normalisation: what nn's functions of that name call. Shapes were checked there; what is checked here keeps within memory. */

#include "base/dispatch.h"
#include "lua/args.h"
#include "lua/array/index.h"
#include "lua/register.h"

static const tensor *check_float(lua_State *L, const char *fn, int i) {
  const tensor *x = check_tensor(L, i, fn);
  if (dtype_kind(x->dtype) != KIND_FLOAT) luaL_error(L, "%s: not for %s; use x:to(\"float32\")", fn, dtypes[x->dtype].name);
  return x;
}

/* The elements of the tensor at i, `count` of them, as the call computes; NULL: there is nil. */
static void *parameter(lua_State *L, const char *fn, int i, const norm_call *c, int64_t count, const tensor *x) {
  if (lua_isnoneornil(L, i)) return NULL;
  const tensor *t = check_float(L, fn, i);
  if (!place_equal(t->store->place, x->store->place)) raise(L, fn, ERR_DEVICES, (const tensor *[]){x, t}, 2);
  if (t->count != count) luaL_error(L, "%s: argument %d: %I elements expected, got %I", fn, i, (LUAI_UACINT)count, (LUAI_UACINT)t->count);
  return tensor_data(to_plain(L, fn, t, c->compute));
}

/* x, and how it is seen: segments and groups are known. */
static void set_input(lua_State *L, const char *fn, norm_call *c, const tensor *x) {
  c->compute = (enum dtype)dtypes[x->dtype].compute;
  int64_t length = c->segments * c->run;
  if (c->segments < 0 || c->run < 0 || c->groups < 1 || (length ? x->count % length : x->count))
    luaL_error(L, "%s: the shape does not fit", fn);
  c->rows = length ? x->count / length : 0;
  if (c->rows % c->groups) luaL_error(L, "%s: the groups do not fit", fn);
  x = to_plain(L, fn, x, x->dtype);
  c->in = (operand){.data = tensor_data(x), .dtype = x->dtype};
}

static void set_channels(norm_call *c, const tensor *x) {
  c->groups = 1;
  c->segments = x->shape.ndim > 1 ? x->shape.dim[1] : 0;
  c->run = 1;
  for (int d = 2; d < x->shape.ndim; d++) c->run *= x->shape.dim[d];
}

static int64_t stats_count(const norm_call *c) {
  return (c->kind == NORM_channels ? c->segments : c->rows) * (c->rms ? 1 : 2);
}

static void run(lua_State *L, const char *fn, const norm_call *c, const tensor *x) {
  int st;
  TRY(L, x->store->place, st, device_norm(x->store->place, c));
  if (st != OK) raise(L, fn, st, &x, 1);
}

/* Pushes the results and runs the call; its name's rule is the gradient. */
static int finish(lua_State *L, const char *fn, norm_call *c, const tensor *x, const op_params *p) {
  shape kept = {1, {stats_count(c)}};
  tensor *out = push_tensor(L, fn, x->dtype, &x->shape, x->store->place);
  tensor *stats = push_tensor(L, fn, c->compute, &kept, x->store->place);
  c->out = (operand){.data = tensor_data(out), .dtype = out->dtype};
  c->stats = tensor_data(stats);
  if (x->count) run(L, fn, c, x);
  finish_record(L, &(op_record){.name = fn, .params = p, .nin = 3, .in = {1, 2, 3}, .nout = 2});
  tensor_drop(stats);
  lua_pop(L, 1);
  return 1;
}

/* norm_rows(x, weight, bias, segments, run, groups, eps, rms): each segments * run neighbours of x by themselves, times weight
** and plus bias [groups * segments], which may be nil. */
static int l_norm_rows(lua_State *L) {
  const char *fn = "norm_rows";
  lua_settop(L, 8);
  const tensor *x = check_float(L, fn, 1);
  norm_call c = {.kind = NORM_rows, .segments = luaL_checkinteger(L, 4), .run = luaL_checkinteger(L, 5),
                 .groups = luaL_checkinteger(L, 6), .eps = luaL_checknumber(L, 7), .rms = lua_toboolean(L, 8)};
  set_input(L, fn, &c, x);
  c.weight = parameter(L, fn, 2, &c, c.groups * c.segments, x);
  c.bias = parameter(L, fn, 3, &c, c.groups * c.segments, x);
  op_params p = {.flag = c.rms, .dim = (int)c.groups - 1, .number = {c.eps, (double)c.segments}};
  return finish(L, fn, &c, x, &p);
}

/* A running statistic at i goes into the call; converted ones come back by write_back. */
static tensor *running(lua_State *L, const char *fn, int i, norm_call *c, const tensor *x, void **to) {
  *to = parameter(L, fn, i, c, c->segments, x);
  return *to ? test_tensor(L, i) : NULL;
}

/* The tensor was changed, or is to be by what the call wrote elsewhere. */
static void write_back(lua_State *L, const char *fn, tensor *t, const norm_call *c, void *written) {
  if (!t) return;
  if (tensor_data(t) == written) { t->store->version++; return; }
  tensor *made = push_tensor(L, fn, c->compute, &t->shape, t->store->place);
  place where = t->store->place;
  int st = where.device->copy_across(where.index, tensor_data(made), where.index, written,
                                     (size_t)t->count * (size_t)dtype_size(c->compute));
  if (st == OK) st = op_copy(t, made);
  if (st != OK) raise(L, fn, st, (const tensor *const *)&t, 1);
  tensor_drop(made);
  lua_pop(L, 1);
  t->store->version++;
}

/* norm_channels(x, weight, bias, running_mean, running_var, training, momentum, eps): each channel of x [N, C, …] by itself;
** training: by its own mean and variance, which the running ones, or nil, follow; else by the running ones. */
static int l_norm_channels(lua_State *L) {
  const char *fn = "norm_channels";
  lua_settop(L, 8);
  const tensor *x = check_float(L, fn, 1);
  norm_call c = {.kind = NORM_channels, .given = !lua_toboolean(L, 6), .momentum = luaL_optnumber(L, 7, 0),
                 .eps = luaL_checknumber(L, 8)};
  set_channels(&c, x);
  set_input(L, fn, &c, x);
  c.weight = parameter(L, fn, 2, &c, c.segments, x);
  c.bias = parameter(L, fn, 3, &c, c.segments, x);
  tensor *mean = running(L, fn, 4, &c, x, &c.running_mean), *var = running(L, fn, 5, &c, x, &c.running_var);
  if (c.given && !(mean && var)) return luaL_error(L, "%s: running statistics expected", fn);
  double count = (double)c.rows * (double)c.run;
  c.correction = count / (count - 1);
  op_params p = {.flag = c.given, .number = {c.eps, (double)c.segments}};
  finish(L, fn, &c, x, &p);
  if (x->count && !c.given) {
    write_back(L, fn, mean, &c, c.running_mean);
    write_back(L, fn, var, &c, c.running_var);
  }
  return 1;
}

/* A new tensor for a gradient where argument i says that it is wanted, else nil. */
static tensor *push_gradient(lua_State *L, const char *fn, int i, enum dtype d, const shape *s, const tensor *x) {
  if (lua_toboolean(L, i)) return push_tensor(L, fn, d, s, x->store->place);
  lua_pushnil(L);
  return NULL;
}

/* norm_back(g, x, weight, stats, channels, flag, segments, groups, of x, of weight, of bias): the gradients that are wanted;
** flag: rms, or of channels that statistics were given. */
static int l_norm_back(lua_State *L) {
  const char *fn = "norm";
  lua_settop(L, 11);
  const tensor *g = check_float(L, fn, 1), *x = check_float(L, fn, 2), *stats = check_float(L, fn, 4);
  norm_call c = {.backward = true, .kind = lua_toboolean(L, 5) ? NORM_channels : NORM_rows};
  bool flag = lua_toboolean(L, 6);
  if (c.kind == NORM_channels) {
    set_channels(&c, x);
    c.given = flag;
  } else {
    c.rms = flag;
    c.segments = luaL_checkinteger(L, 7);
    c.groups = luaL_checkinteger(L, 8);
    int64_t rows = flag ? stats->count : stats->count / 2, n = rows ? x->count / rows : c.segments;
    c.run = c.segments ? n / c.segments : 0;
  }
  set_input(L, fn, &c, x);
  if (!shape_equal(&g->shape, &x->shape) || g->dtype != x->dtype) return luaL_error(L, "%s: the gradient does not fit", fn);
  c.weight = parameter(L, fn, 3, &c, c.groups * c.segments, x);
  c.stats = parameter(L, fn, 4, &c, stats_count(&c), x);
  c.gradient = (operand){.data = tensor_data(to_plain(L, fn, g, x->dtype)), .dtype = x->dtype};
  shape params = {1, {c.groups * c.segments}};
  tensor *out = push_gradient(L, fn, 9, x->dtype, &x->shape, x);
  tensor *dweight = push_gradient(L, fn, 10, c.compute, &params, x), *dbias = push_gradient(L, fn, 11, c.compute, &params, x);
  c.out = (operand){.data = out ? tensor_data(out) : NULL, .dtype = x->dtype};
  c.dweight = dweight ? tensor_data(dweight) : NULL;
  c.dbias = dbias ? tensor_data(dbias) : NULL;
  if (x->count) run(L, fn, &c, x);
  else {
    if (dweight) op_fill(dweight, (scalar){.is_float = true});
    if (dbias) op_fill(dbias, (scalar){.is_float = true});
  }
  return 3;
}

/* softmax_back(g, o, log): the gradient of softmax, or log_softmax, along the last dim of what gave o. */
static int l_softmax_back(lua_State *L) {
  const char *fn = "softmax";
  lua_settop(L, 3);
  const tensor *g = check_float(L, fn, 1), *o = check_float(L, fn, 2);
  norm_call c = {.backward = true, .kind = lua_toboolean(L, 3) ? NORM_log_softmax : NORM_softmax, .run = 1, .groups = 1};
  if (!shape_equal(&g->shape, &o->shape) || g->dtype != o->dtype || !place_equal(g->store->place, o->store->place) ||
      o->shape.ndim == 0)
    return luaL_error(L, "%s: the gradient does not fit", fn);
  c.segments = o->shape.dim[o->shape.ndim - 1];
  set_input(L, fn, &c, o);
  c.gradient = (operand){.data = tensor_data(to_plain(L, fn, g, o->dtype)), .dtype = o->dtype};
  tensor *out = push_tensor(L, fn, o->dtype, &o->shape, o->store->place);
  c.out = (operand){.data = tensor_data(out), .dtype = o->dtype};
  if (o->count) run(L, fn, &c, o);
  return finish_op(L, false);
}

static const function_row functions[] = {
  {"softmax_back", l_softmax_back, ANY}, {"norm_rows", l_norm_rows, ANY}, {"norm_channels", l_norm_channels, ANY},
  {"norm_back", l_norm_back, ANY}, {NULL, NULL, 0}
};

void open_norm(lua_State *L) { add_functions(L, functions); }
