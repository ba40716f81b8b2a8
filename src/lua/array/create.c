/* Creation from shapes and ranges: zeros, full, arange, linspace and others. */

#include <math.h>

#include "lua/args.h"
#include "lua/register.h"

static const char *const create_options[] = {"dtype", "device", MADE_OPTIONS, NULL};
static const char *const linspace_options[] = {"dtype", "device", "endpoint", MADE_OPTIONS, NULL};

/* Pushes a new tensor, which `filled` fills. One element is written at once: functions that are not deferred often read it,
** such as the gradient of a loss. */
static tensor *push_filled(lua_State *L, const char *fn, enum dtype d, const shape *s, place where) {
  return (s->ndim > 0 ? push_tensor_later : push_tensor)(L, fn, d, s, where);
}

/* Fills t, which is at the top of the stack, and returns it to the script. */
static int filled(lua_State *L, const char *fn, tensor *t, scalar value, int options) {
  int st;
  TRY(L, t->store->place, st, t->shape.ndim > 0 ? op_fill_later(t, value) : op_fill(t, value));
  return st == OK ? finish_made(L, options, fn) : raise(L, fn, st, (const tensor *const *)&t, 1);
}

/* ---- one value ---- */

/* The functions zeros, ones, empty and zeros_like, ones_like, empty_like differ only in name and value. Upvalue 1 is
** the name, and upvalue 2 the value. The value is nil for uninitialised elements. */

/* Pushes a new tensor of dtype d and fills it with the value of upvalue 2. If the value is nil, the elements stay
** uninitialised. A bool tensor is then filled with false, because uninitialised bytes other than 0 and 1 would not be
** bools. */
static int constant(lua_State *L, const char *fn, enum dtype d, const shape *s, place where, int options) {
  bool empty = lua_isnil(L, lua_upvalueindex(2)) && d != DT_bool;
  tensor *t = (empty ? push_tensor : push_filled)(L, fn, d, s, where);
  if (empty) return finish_made(L, options, fn);
  int value = (int)lua_tointeger(L, lua_upvalueindex(2));
  return filled(L, fn, t, (scalar){.i = value, .f = value}, options);
}

/***
Makes a tensor of zeros.
@function zeros
@param ... sizes, or one table of sizes; none: a 0-d tensor
@tparam[opt] table options `dtype` (the default float), `device` (the default device), `requires_grad` (false)
@treturn tensor of that shape
*/
/***
Makes a tensor of ones.
@function ones
@param ... sizes, or one table of sizes
@tparam[opt] table options `dtype` (the default float), `device` (the default device), `requires_grad` (false)
@treturn tensor of that shape
*/
/***
Makes a tensor with uninitialised elements.
@function empty
@param ... sizes, or one table of sizes
@tparam[opt] table options `dtype` (the default float), `device` (the default device), `requires_grad` (false)
@treturn tensor of that shape
*/
static int l_constant(lua_State *L) {
  const char *fn = lua_tostring(L, lua_upvalueindex(1));
  int nargs, options = check_options(L, fn, create_options, &nargs);
  shape s;
  check_shape(L, 1, nargs, fn, &s);
  enum dtype d = opt_dtype(L, options, fn, dtype_default_float());
  return constant(L, fn, d, &s, opt_place(L, options, fn, default_place(L)), options);
}

/***
Makes a tensor of zeros in the shape of x.
@function zeros_like
@tparam tensor x
@tparam[opt] table options `dtype` (x's), `device` (x's), `requires_grad` (false)
@treturn tensor a new tensor
*/
/***
Makes a tensor of ones in the shape of x.
@function ones_like
@tparam tensor x
@tparam[opt] table options `dtype` (x's), `device` (x's), `requires_grad` (false)
@treturn tensor a new tensor
*/
/***
Makes a tensor in the shape of x with uninitialised elements.
@function empty_like
@tparam tensor x
@tparam[opt] table options `dtype` (x's), `device` (x's), `requires_grad` (false)
@treturn tensor a new tensor
*/
static int l_constant_like(lua_State *L) {
  const char *fn = lua_tostring(L, lua_upvalueindex(1));
  int nargs, options = check_options(L, fn, create_options, &nargs);
  if (nargs != 1) return raise_count(L, fn, 1, 1, nargs);
  const tensor *like = check_tensor_later(L, 1, fn);
  enum dtype d = opt_dtype(L, options, fn, like->dtype);
  return constant(L, fn, d, &like->shape, opt_place(L, options, fn, like->store->place), options);
}

/* Returns the dtype of a tensor that is filled with the value at stack index i, if no dtype is requested. */
static enum dtype natural_dtype(lua_State *L, int i) {
  const tensor *number = test_tensor(L, i);
  if (number && number->weak) return dtype_complex(dtype_default_float());
  return lua_isboolean(L, i) ? DT_bool : lua_isinteger(L, i) ? DT_int64 : dtype_default_float();
}

/***
Makes a tensor that is filled with one value: `lt.full({2, 3}, 7)`.
@function full
@param shape table of sizes, or one size
@param value number or boolean; an integer gives int64, a float the default float, a boolean bool
@tparam[opt] table options `dtype`, `device`, `requires_grad`; a value that does not fit the dtype is an error
@treturn tensor of that shape
*/
static int l_full(lua_State *L) {
  int nargs, options = check_options(L, "full", create_options, &nargs);
  shape s;
  if (nargs == 1 && lua_isnil(L, 2)) return raise_count(L, "full", 2, 2, nargs);
  if (nargs != 2)
    return luaL_error(L, "full: shape and value expected: lt.full({2, 3}, 7); got %d arguments%s", nargs,
                      push_positions(L, "full", 3, nargs));
  check_shape(L, 1, 1, "full", &s);
  enum dtype d = opt_dtype(L, options, "full", natural_dtype(L, 2));
  scalar value = check_value(L, 2, "full", d);
  place where = opt_place(L, options, "full", default_place(L));
  return filled(L, "full", push_filled(L, "full", d, &s, where), value, options);
}

/***
Makes a tensor in the shape of x that is filled with one value.
@function full_like
@tparam tensor x
@param value number or boolean that fits the dtype
@tparam[opt] table options `dtype` (x's), `device` (x's), `requires_grad` (false)
@treturn tensor a new tensor
*/
static int l_full_like(lua_State *L) {
  int nargs, options = check_options(L, "full_like", create_options, &nargs);
  if (nargs != 2) return raise_count(L, "full_like", 2, 2, nargs);
  const tensor *like = check_tensor_later(L, 1, "full_like");
  enum dtype d = opt_dtype(L, options, "full_like", like->dtype);
  scalar value = check_value(L, 2, "full_like", d);
  place where = opt_place(L, options, "full_like", like->store->place);
  return filled(L, "full_like", push_filled(L, "full_like", d, &like->shape, where), value, options);
}

/* ---- evenly spaced values ---- */

/* The arguments start, stop and step. If one of them is a float, all are used as floats. */
typedef struct spacing {
  scalar start, stop, step;
  bool   floats;
} spacing;

static scalar check_number(lua_State *L, int i, const char *fn, const char *what) {
  if (lua_type(L, i) != LUA_TNUMBER)
    luaL_error(L, "%s: %s: number expected, got %s", fn, what, type_name(L, i));
  return (scalar){.is_float = !lua_isinteger(L, i), .f = lua_tonumber(L, i), .i = lua_tointeger(L, i)};
}

static void check_spacing(lua_State *L, const char *fn, int nargs, spacing *s) {
  s->step = (scalar){.f = 1, .i = 1};
  s->start = check_number(L, 1, fn, "start");
  s->stop = check_number(L, 2, fn, "stop");
  if (nargs >= 3) s->step = check_number(L, 3, fn, "step");
  s->floats = s->start.is_float || s->stop.is_float || s->step.is_float;
  if (s->floats ? s->step.f == 0 : s->step.i == 0) luaL_error(L, "%s: step is 0", fn);
}

/* Returns the number of values start + i * step before stop, or, with `inclusive`, up to stop. The number is exact,
** because differences of two int64 fit uint64. Returns UINT64_MAX if the number does not fit uint64. */
static uint64_t count_integers(const spacing *s, bool inclusive) {
  int64_t a = s->start.i, b = s->stop.i, step = s->step.i;
  if (step > 0 ? a > b : a < b) return 0;
  uint64_t gap = step > 0 ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
  uint64_t size = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
  if (inclusive) return gap / size == UINT64_MAX ? UINT64_MAX : gap / size + 1;
  return gap / size + (gap % size != 0);
}

/* Converts integral floats to integers for an integer dtype. */
static void make_integers(lua_State *L, const char *fn, enum dtype d, spacing *s) {
  scalar *all[] = {&s->start, &s->stop, &s->step};
  for (int k = 0; k < 3; k++) {
    if (!all[k]->is_float) continue;
    if (!(fabs(all[k]->f) < 0x1p63) || all[k]->f != trunc(all[k]->f))
      luaL_error(L, "%s: %s does not fit %s", fn, push_double(L, all[k]->f), dtypes[d].name);
    all[k]->i = (int64_t)all[k]->f;
  }
  s->floats = false;
}

static int64_t check_count(lua_State *L, const char *fn, const spacing *s, bool inclusive) {
  if (!s->floats) {
    uint64_t n = count_integers(s, inclusive);
    if (n > INT64_MAX) luaL_error(L, "%s: too many elements", fn);
    return (int64_t)n;
  }
  double steps = (s->stop.f - s->start.f) / s->step.f;
  double n = inclusive ? floor(steps) + 1 : ceil(steps);
  if (isnan(n)) luaL_error(L, "%s: start, stop or step is not a finite number", fn);
  if (n >= 0x1p53) luaL_error(L, "%s: too many elements", fn);
  return n > 0 ? (int64_t)n : 0;
}

/* Raises an error unless the first and the last value fit an integer dtype. */
static void check_ends(lua_State *L, const char *fn, enum dtype d, const spacing *s, int64_t n) {
  if (dtype_kind(d) >= KIND_FLOAT || n == 0) return;
  int64_t last = (int64_t)((uint64_t)s->start.i + (uint64_t)(n - 1) * (uint64_t)s->step.i);
  if (!integer_fits(d, s->start.i)) luaL_error(L, "%s: %I does not fit %s", fn, (LUAI_UACINT)s->start.i, dtypes[d].name);
  if (!integer_fits(d, last)) luaL_error(L, "%s: %I does not fit %s", fn, (LUAI_UACINT)last, dtypes[d].name);
}

/* Pushes the n values start + i * step. */
static tensor *push_spaced(lua_State *L, const char *fn, enum dtype d, place where, const spacing *s, int64_t n) {
  shape one = {.ndim = 1, .dim = {n}};
  tensor *t = push_tensor(L, fn, d, &one, where);
  scalar start = s->start, step = s->step;
  start.is_float = step.is_float = s->floats;
  int st;
  TRY(L, where, st, op_arange(t, start, step));
  if (st != OK) raise(L, fn, st, (const tensor *const *)&t, 1);
  return t;
}

static int spaced(lua_State *L, const char *fn, int options, spacing *s, bool inclusive) {
  enum dtype d = opt_dtype(L, options, fn, s->floats ? dtype_default_float() : DT_int64);
  if (d == DT_bool) return luaL_error(L, "%s: not for bool", fn);
  if (s->floats && dtype_kind(d) < KIND_FLOAT) make_integers(L, fn, d, s);
  int64_t n = check_count(L, fn, s, inclusive);
  check_ends(L, fn, d, s, n);
  push_spaced(L, fn, d, opt_place(L, options, fn, default_place(L)), s, n);
  return finish_made(L, options, fn);
}

/***
Makes values from start up to, but not including, stop: `lt.arange(5)` is 0, 1, 2, 3, 4.
@function arange
@number[opt=0] start
@number stop
@number[opt=1] step the difference of neighbouring values, not 0; a negative step counts down
@tparam[opt] table options `dtype`, `device`, `requires_grad`; integers give int64, floats the default float
@treturn tensor 1-d
*/
static int l_arange(lua_State *L) {
  int nargs, options = check_options(L, "arange", create_options, &nargs);
  spacing s;
  if (nargs < 1 || nargs > 3) return luaL_error(L, "arange: 1 to 3 numbers expected, got %d%s", nargs, push_positions(L, "arange", 4, nargs));
  if (nargs == 1) {
    lua_pushinteger(L, 0);
    lua_insert(L, 1);
    nargs++;
    if (options) options++;
  }
  check_spacing(L, "arange", nargs, &s);
  return spaced(L, "arange", options, &s, false);
}

/***
Makes values from first to last, both included, like Lua's `for`: `lt.range(1, 5)` is 1, 2, 3, 4, 5.
@function range
@number first
@number last
@number[opt=1] step the difference of neighbouring values, not 0; a negative step counts down
@tparam[opt] table options `dtype`, `device`, `requires_grad`; integers give int64, floats the default float
@treturn tensor 1-d
*/
static int l_range(lua_State *L) {
  int nargs, options = check_options(L, "range", create_options, &nargs);
  spacing s;
  if (nargs < 2 || nargs > 3) return luaL_error(L, "range: first, last and step expected, got %d arguments", nargs);
  check_spacing(L, "range", nargs, &s);
  return spaced(L, "range", options, &s, true);
}

/* Sets the last element to stop exactly, because n - 1 rounded steps may miss it. */
static int set_last(const tensor *t, scalar value) {
  tensor last = *t;
  last.shape.ndim = 0;
  last.count = 1;
  last.offset += t->count - 1;
  return op_fill(&last, value);
}

/* Pushes n evenly spaced values from start to stop. If `endpoint` is set, the last value is stop, otherwise stop
** would be the next value. */
static tensor *push_between(lua_State *L, enum dtype d, place where, double start, double stop, int64_t n,
                            bool endpoint) {
  double steps = endpoint && n > 1 ? (double)(n - 1) : n > 0 ? (double)n : 1;
  spacing s = {.start = {.f = start}, .stop = {.f = stop, .is_float = true}, .floats = true};
  s.step.f = (stop - start) / steps;
  if (isinf(s.step.f)) s.step.f = stop / steps - start / steps;      /* the difference of start and stop overflows */
  tensor *t = push_spaced(L, "linspace", d, where, &s, n);
  int st = endpoint && n > 1 ? set_last(t, s.stop) : OK;
  if (st != OK) raise(L, "linspace", st, (const tensor *const *)&t, 1);
  return t;
}

/* Reads argument i of linspace, a number or lt.complex(re, im). */
static scalar check_end(lua_State *L, int i, const char *what) {
  bool is_complex = lua_isuserdata(L, i) && is_value(L, i);
  return is_complex ? check_value(L, i, "linspace", DT_complex128) : check_number(L, i, "linspace", what);
}

/***
Makes n evenly spaced values from start to stop.
@function linspace
@tparam number|tensor start a number, or a complex one: lt.complex(re, im)
@tparam number|tensor stop a number, or a complex one
@int n the number of values
@tparam[opt] table options `endpoint` (true; false excludes stop), `dtype` (the default float), `device` (the default
  device), `requires_grad` (false)
@treturn tensor 1-d of a floating dtype
*/
static int l_linspace(lua_State *L) {
  int nargs, options = check_options(L, "linspace", linspace_options, &nargs);
  if (nargs != 3) 
    return luaL_error(L, "linspace: start, stop and n expected, got %d arguments%s", nargs,
                      push_positions(L, "linspace", 4, nargs));
  scalar start = check_end(L, 1, "start"), stop = check_end(L, 2, "stop");
  bool is_complex = start.is_complex || stop.is_complex;
  int64_t n = check_integer(L, 3, "linspace", "n");
  bool endpoint = opt_bool(L, options, "linspace", "endpoint", true);
  enum dtype natural = dtype_default_float();
  if (is_complex) natural = dtype_complex(natural);
  enum dtype d = opt_dtype(L, options, "linspace", natural);
  place where = opt_place(L, options, "linspace", default_place(L));
  if (n < 0) return luaL_error(L, "linspace: n is negative: %I", (LUAI_UACINT)n);
  if (dtype_kind(d) < KIND_FLOAT) return luaL_error(L, "linspace: not for %s; use a floating dtype", dtypes[d].name);
  if (is_complex && dtype_kind(d) != KIND_COMPLEX) return raise_unfit(L, "linspace", start.is_complex ? 1 : 2, d);
  if (!is_complex) {
    push_between(L, d, where, start.f, stop.f, n, endpoint);
    return finish_made(L, options, "linspace");
  }
  tensor *part[2] = {push_between(L, dtype_real(d), where, start.f, stop.f, n, endpoint),
                     push_between(L, dtype_real(d), where, start.im, stop.im, n, endpoint)};
  tensor *t = push_tensor_later(L, "linspace", d, &part[0]->shape, where);
  int st;
  TRY(L, where, st, op_set_parts_later(t, &(arg){.t = part[0]}, &(arg){.t = part[1]}));
  return st == OK ? finish_made(L, options, "linspace") : raise(L, "linspace", st, (const tensor *const *)&t, 1);
}

/* ---- registration ---- */

static void add_constant(lua_State *L, const char *name, lua_CFunction f, int value, bool method) {
  lua_pushstring(L, name);
  if (value < 0) lua_pushnil(L);
  else lua_pushinteger(L, value);
  lua_pushcclosure(L, f, 2);
  if (method) {
    lua_pushvalue(L, -1);
    lua_setfield(L, METHODS, name);
  }
  lua_setfield(L, MODULE, name);
}

/* unwritten(shape, dtype, like): returns a new tensor on like's device for the result of an internal function, which must
** write the elements before anything reads them. In a compiled function, the memory is allocated when it is needed. */
static int l_unwritten(lua_State *L) {
  shape s;
  check_shape(L, 1, 1, "empty", &s);
  push_tensor_later(L, "empty", check_dtype(L, 2, "empty"), &s, check_tensor_later(L, 3, "empty")->store->place);
  return 1;
}

static const function_row functions[] = {
  {"full", l_full, 3}, {"arange", l_arange, 4}, {"range", l_range, 4}, {"linspace", l_linspace, 4},
  {"unwritten", l_unwritten, INTERNAL}, {NULL, NULL, 0}
};
static const function_row methods[] = {{"full_like", l_full_like, 3}, {NULL, NULL, 0}};

void open_create(lua_State *L) {
  add_constant(L, "zeros", l_constant, 0, false);
  add_constant(L, "ones", l_constant, 1, false);
  add_constant(L, "empty", l_constant, -1, false);
  add_constant(L, "zeros_like", l_constant_like, 0, true);
  add_constant(L, "ones_like", l_constant_like, 1, true);
  add_constant(L, "empty_like", l_constant_like, -1, true);
  add_functions(L, functions);
  add_methods(L, methods);
}
