/* Reductions, scans and softmax: functions and methods that are made from the op table. */

#include <stdio.h>
#include <string.h>

#include "lua/args.h"
#include "lua/on_lines.h"
#include "lua/register.h"
#include "op/range.h"
#include "op/scan_softmax.h"

enum { MOST = 3 };                                   /* the maximum number of arguments: x, dim, options */

/* Each reduction accepts the options of one of these lists. */
static const char *const options_any[] = {"dim", "keepdim", "out", NULL};
static const char *const options_sum[] = {"dim", "keepdim", "out", "dtype", NULL};
static const char *const options_var[] = {"dim", "keepdim", "out", "correction", NULL};

static const char *const *known_options(enum reduce_op op) {
  switch (op) {
    case REDUCE_sum: case REDUCE_prod: case REDUCE_mean:
    case REDUCE_norm_1_: case REDUCE_norm_2_: case REDUCE_norm_max_: case REDUCE_norm_min_: return options_sum;
    case REDUCE_var: case REDUCE_std: return options_var;
    default: return options_any;
  }
}

/* Pushes argument dim, or option dim, or nil if neither is given. Returns the stack index of the pushed value. */
static int push_dim(lua_State *L, const char *fn, int nargs, int options) {
  while (!options && nargs > 2 && lua_isnil(L, nargs)) nargs--;
  if (nargs > 2) raise_most(L, fn, 2, nargs);
  if (options) push_option(L, options, "dim");
  else lua_pushnil(L);
  if (nargs == 2 && !lua_isnil(L, 2)) {
    if (!lua_isnil(L, -1)) luaL_error(L, "%s: dim is given twice", fn);
    lua_pushvalue(L, 2);
    lua_replace(L, -2);
  }
  return lua_gettop(L);
}

static double opt_correction(lua_State *L, const char *fn, int options) {
  if (!options) return 0;
  int type = push_option(L, options, "correction");
  if (type != LUA_TNIL && type != LUA_TNUMBER)
    luaL_error(L, "%s: option correction: number expected, got %s", fn, type_name(L, -1));
  double value = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return value;
}

/* Raises the error for the status `st` of a reduction. `out` is option out, or NULL. `asked` is option dtype, or
** DT_none. `result` and `s` are the dtype and the shape that the result would have. */
static int refuse(lua_State *L, int st, const char *fn, const tensor *in, const tensor *out, enum dtype asked,
                  enum dtype result, const shape *s) {
  const tensor *t[] = {out ? out : in, in};
  switch (st) {
    case ERR_DTYPE:
      if (asked == DT_none) return luaL_error(L, "%s: not for %s", fn, dtypes[in->dtype].name);
      return luaL_error(L, "%s: a result of dtype %s is not possible", fn, dtypes[asked].name);
    case ERR_CAST: case ERR_OUT_SHAPE:
      return raise_target(L, fn, st, out, result, s);
    default:
      return raise(L, fn, st, t, 2);
  }
}

/* Raises an error for x:max(0) and x:min(0), which compare x with 0 in other libraries. */
static void check_dim_meant(lua_State *L, const char *fn, enum reduce_op op, int dim) {
  if ((op != REDUCE_max && op != REDUCE_min) || !lua_isinteger(L, dim) || lua_tointeger(L, dim) != 0) return;
  const char *which = op == REDUCE_max ? "larger" : "smaller", *other = op == REDUCE_max ? "maximum" : "minimum";
  luaL_error(L, "%s: dim 0: Lua tensors start at 1; the %s of x and 0 is lt.%s(x, 0)", fn, which, other);
}

/* x:sum(dim, {keepdim, dtype, out}) and the other reductions. Upvalues: the op, and the function's name. */
static int l_reduce(lua_State *L) {
  reduction r = {.op = (enum reduce_op)lua_tointeger(L, lua_upvalueindex(1)), .dtype = DT_none};
  const char *fn = lua_tostring(L, lua_upvalueindex(2));
  check_most(L, fn, MOST);
  int nargs, options = check_options(L, fn, known_options(r.op), &nargs);
  r.in = check_tensor_later(L, 1, fn);
  int dim = push_dim(L, fn, nargs, options);
  bool one = r.op == REDUCE_argmax || r.op == REDUCE_argmin;
  if (one && lua_istable(L, dim)) return luaL_error(L, "%s: dim: one number expected, got a table", fn);
  check_dim_meant(L, fn, r.op, dim);
  r.dims = check_dims(L, dim, fn, &r.in->shape);
  if (options) {
    r.keepdim = opt_bool(L, options, fn, "keepdim", false);
    r.dtype = opt_dtype(L, options, fn, DT_none);
    r.correction = opt_correction(L, fn, options);
  }
  tensor *out = opt_out_later(L, options, fn);
  bool given = out != NULL;
  int st = reduce_prepare(&r);
  if (st != OK) return refuse(L, st, fn, r.in, NULL, r.dtype, r.result, &r.shape);
  if (given) push_out(L, options, fn, out);
  else out = push_tensor_later(L, fn, r.result, &r.shape, r.in->store->place);
  if (given) st = reduce_check(&r, out);
  if (st == OK) TRY(L, r.in->store->place, st, reduce_run_later(&r, out));
  if (st != OK) return refuse(L, st, fn, r.in, out, r.dtype, r.result, &r.shape);
  op_params params = {.dims = r.dims, .keepdim = r.keepdim, .number = {r.correction}};
  return finish_record(L, &(op_record){.name = reductions[r.op].name, .params = &params, .nin = 1, .in = {1},
                                       .in_place = given});
}

static const char *const options_scan[] = {"dim", "dtype", "out", "include_initial", NULL};
static const char *const options_softmax[] = {"dim", "dtype", "out", NULL};

/* Returns the 0-based dim at stack index i, along which a scan or softmax computes. If the dim is nil, returns 0 if
** x has at most one dim, else the last dim if `last` is set (softmax). A scan of several dims without a dim is an
** error. */
static int one_dim(lua_State *L, const char *fn, int i, const tensor *x, bool last) {
  if (lua_istable(L, i)) luaL_error(L, "%s: dim: one number expected, got a table", fn);
  if (!lua_isnil(L, i)) return check_line_dim(L, i, fn, &x->shape);
  if (x->shape.ndim <= 1) return 0;
  if (last) return x->shape.ndim - 1;
  return luaL_error(L, "%s: say which dim of shape %s", fn, push_shape(L, &x->shape));
}

/***
Computes the running sum along a dim. Bool and integers are added in int64 or uint64.
@function cumulative_sum
@tparam Tensor x
@tparam[opt] int dim required unless x has at most one dim
@tparam[opt] table options `dim`, `include_initial`: true puts 0 before the first of the sums; `dtype`, `out`
@treturn Tensor
*/
/***
Computes the running product along a dim. Bool and integers are multiplied in int64 or uint64.
@function cumulative_prod
@tparam Tensor x
@tparam[opt] int dim required unless x has at most one dim
@tparam[opt] table options `dim`, `include_initial`: true puts 1 before the first of the products; `dtype`, `out`
@treturn Tensor
*/
/***
Computes the running maximum along a dim. From the first NaN on, results are NaN.
@function cumulative_max
@tparam Tensor x
@tparam[opt] int dim required unless x has at most one dim
@tparam[opt] table options `dim`, `include_initial`: true puts the least value of the dtype before the first maximum;
  `dtype`, `out`
@treturn Tensor
*/
/***
Computes the running minimum along a dim. From the first NaN on, results are NaN.
@function cumulative_min
@tparam Tensor x
@tparam[opt] int dim required unless x has at most one dim
@tparam[opt] table options `dim`, `include_initial`: true puts the greatest value of the dtype before the first minimum;
  `dtype`, `out`
@treturn Tensor
*/
/***
Computes exp(x) / sum(exp(x)) along a dim, without overflow.
@function softmax
@tparam Tensor x
@tparam[opt=-1] int dim
@tparam[opt] table options `dim`, `dtype`, `out`
@treturn Tensor
*/
/***
Computes log(softmax(x)) along a dim. The result is accurate even if softmax(x) is nearly 0 or 1.
@function log_softmax
@tparam Tensor x
@tparam[opt=-1] int dim
@tparam[opt] table options `dim`, `dtype`, `out`
@treturn Tensor
*/
/* x:cumulative_sum(dim, {include_initial, dtype, out}) and x:softmax(dim, {dtype, out}). Upvalue 1 is the index of the
** function in scan_softmax_rows. */
static int l_line(lua_State *L) {
  int top = lua_gettop(L);
  scan_softmax_job l = {.info = &scan_softmax_rows[lua_tointeger(L, lua_upvalueindex(1))], .dtype = DT_none};
  const char *fn = l.info->name;
  bool softmax = !l.info->is_scan;
  check_most(L, fn, MOST);
  int nargs, options = check_options(L, fn, softmax ? options_softmax : options_scan, &nargs);
  l.in = check_tensor_later(L, 1, fn);
  l.dim = one_dim(L, fn, push_dim(L, fn, nargs, options), l.in, softmax);
  if (l.in->shape.ndim == 0) {
    lua_settop(L, top);
    return call_on_lines(L, fn, l_line, 1 << 1, 1);
  }
  if (options) {
    l.initial = !softmax && opt_bool(L, options, fn, "include_initial", false);
    l.dtype = opt_dtype(L, options, fn, DT_none);
  }
  tensor *out = opt_out_later(L, options, fn);
  bool given = out != NULL;
  int st = scan_softmax_prepare(&l);
  enum dtype asked = dtype_kind(l.in->dtype) == KIND_COMPLEX && softmax ? DT_none : l.dtype;
  if (st != OK) return refuse(L, st, fn, l.in, NULL, asked, l.result, &l.shape);
  if (given) push_out(L, options, fn, out);
  else out = push_tensor_later(L, fn, l.result, &l.shape, l.in->store->place);
  if (given) st = scan_softmax_check(&l, out);
  if (st == OK) TRY(L, l.in->store->place, st, scan_softmax_run_later(&l, out));
  if (st != OK) return refuse(L, st, fn, l.in, out, l.dtype, l.result, &l.shape);
  op_params params = {.dim = l.dim, .flag = l.initial};
  return finish_record(L, &(op_record){.name = fn, .params = &params, .nin = 1, .in = {1}, .in_place = given});
}

/* ---- ranges ---- */

/* Reads a limit of a range for elements of t. */
static scalar check_limit(lua_State *L, int i) {
  return (scalar){.f = luaL_checknumber(L, i), .i = lua_tointeger(L, i), .is_float = true};
}

/* Stores the subject of the error and the strings at the stack indices 7 and 8. The subject is shortened if there is no
** room. Only a deferred check needs the subject, for which the function at index 6 is called, because this function
** searches the whole stack. */
static void set_text(lua_State *L, range_check *r) {
  size_t before, behind;
  if (open_deferral) {
    lua_pushvalue(L, 6);
    lua_pushvalue(L, 5);
    lua_call(L, 1, 1);
    lua_replace(L, 5);
  }
  const char *subject = luaL_checkstring(L, 5);
  const char *two[] = {luaL_checklstring(L, 7, &before), luaL_optlstring(L, 8, "", &behind)};
  if (before + behind + 3 > RANGE_TEXT) luaL_error(L, "check_range: the message is too long");
  snprintf(r->text, RANGE_TEXT - before - behind - 2, "%s", subject);
  size_t at = strlen(r->text) + 1;
  memcpy(r->text + at, two[0], before + 1);
  memcpy(r->text + at + before + 1, two[1], behind + 1);
}

/* check_range(x, low, high, except, fn, subject_of, before, behind): returns the message if an element of x is outside of
** low … high and is not `except`, which may be nil. Inside of a compiled function, the run of the list raises the error
** instead, with the subject subject_of(fn). `before` and `behind`, which may be nil, are the message as range_check has
** it. */
static int l_check_range(lua_State *L) {
  lua_settop(L, 8);
  const tensor *x = check_tensor_later(L, 1, "check_range");
  range_check r = {.low = check_limit(L, 2), .high = check_limit(L, 3), .excepts = !lua_isnil(L, 4)};
  char words[OPAQUE_WORDS];
  if (r.excepts) r.except = check_limit(L, 4);
  set_text(L, &r);
  tensor *mark = open_deferral ? push_tensor_later(L, "check_range", DT_bool, &(shape){.ndim = 0}, x->store->place) : NULL;
  int st;
  TRY(L, x->store->place, st, range_check_later(&r, x, mark, words, sizeof words));
  if (st == ERR_INDEX) lua_pushstring(L, words);
  else if (st != OK) return raise(L, "check_range", st, &x, 1);
  return st == ERR_INDEX;
}

static const function_row functions[] = {{"check_range", l_check_range, INTERNAL}, {NULL, NULL, 0}};

static void add_op(lua_State *L, int table, lua_CFunction f, int op, const char *name, size_t shown) {
  lua_pushinteger(L, op);
  lua_pushlstring(L, name, shown);
  lua_pushcclosure(L, f, 2);
  lua_setfield(L, table, name);
}

/* Adds the functions and methods of this file. Reductions whose names end in an underscore, such as norm_1_, go into
** the table core.reductions instead, because only luatensor's Lua code calls them. Their error messages begin with the
** part of the name before the first underscore ("norm"). */
void open_reduce(lua_State *L) {
  lua_newtable(L);
  int hidden = lua_gettop(L);
  for (int op = 0; op < REDUCE_COUNT; op++) {
    const char *name = reductions[op].name;
    bool own = name[strlen(name) - 1] != '_';
    if (!own) add_op(L, hidden, l_reduce, op, name, strcspn(name, "_"));
    for (int table = 1; own && table <= 2; table++) add_op(L, table, l_reduce, op, name, strlen(name));
  }
  for (int op = 0; op < SCAN_SOFTMAX_COUNT; op++)
    for (int table = 1; table <= 2; table++) {
      const char *name = scan_softmax_rows[op].name;
      add_op(L, table, l_line, op, name, strlen(name));
    }
  add_internal(L, "reductions");
  add_functions(L, functions);
}
