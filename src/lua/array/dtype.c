/* Functions about dtypes, and lt.ops, which returns the op table. */

#include <math.h>
#include <string.h>

#include "lua/args.h"
#include "lua/register.h"
#include "lua/state.h"

/* Returns the dtype of argument i, which is a tensor or the name of a dtype. */
static enum dtype check_dtype_of(lua_State *L, int i, const char *fn) {
  if (test_tensor(L, i)) return check_tensor_later(L, i, fn)->dtype;
  return check_dtype(L, i, fn);
}

/* ---- promotion ---- */

/*** Returns the dtype to which the arguments promote: the common dtype in which an op would compute them.
@function result_type
@tparam string|tensor|number|boolean ... dtype names, tensors, Lua values (weak: they only raise the kind)
@treturn string
*/
static int l_result_type(lua_State *L) {
  int n = lua_gettop(L);
  enum dtype d = DT_none;
  if (n == 0) return luaL_error(L, "result_type: at least one argument expected");
  for (int i = 1; i <= n; i++) {
    if (is_value(L, i)) continue;
    enum dtype other = check_dtype_of(L, i, "result_type");
    d = d == DT_none ? other : dtype_promote(d, other);
  }
  /* Numbers promote after tensors and dtype names. If there are only numbers, pass 1 takes the complex numbers first.
  ** Pass 2 takes all numbers. */
  for (int pass = d == DT_none ? 1 : 2; pass <= 2; pass++)
    for (int i = 1; i <= n; i++) {
      arg a;
      if (!is_value(L, i)) continue;
      check_arg(L, i, "result_type", &a);
      if (pass == 2 || a.s.is_complex) d = promote_arg(d, &a);
    }
  lua_pushstring(L, dtypes[d].name);
  return 1;
}

/*** True if `from` promotes to `to`: an op on a tensor of each dtype gives a result of dtype `to`.
@function can_cast
@tparam string|tensor from
@tparam string to
@treturn boolean
*/
static int l_can_cast(lua_State *L) {
  enum dtype from = check_dtype_of(L, 1, "can_cast"), to = check_dtype(L, 2, "can_cast");
  lua_pushboolean(L, dtype_promote(from, to) == to);
  return 1;
}

/* ---- kinds ---- */

static const struct { const char *name; unsigned members; } kinds[] = {
  {"bool", 1u << KIND_BOOL},
  {"signed integer", 1u << KIND_INT},
  {"unsigned integer", 1u << KIND_UINT},
  {"integral", 1u << KIND_INT | 1u << KIND_UINT},
  {"real floating", 1u << KIND_FLOAT},
  {"complex floating", 1u << KIND_COMPLEX},
  {"numeric", 1u << KIND_INT | 1u << KIND_UINT | 1u << KIND_FLOAT | 1u << KIND_COMPLEX},
};

/* True if the value at stack index i names d or a kind that includes d. */
static bool is_of_kind(lua_State *L, enum dtype d, int i) {
  if (lua_type(L, i) != LUA_TSTRING)
    luaL_error(L, "isdtype: kind: name or list of names expected, got %s", type_name(L, i));
  const char *name = lua_tostring(L, i);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strcmp(kinds[k].name, name) == 0) return kinds[k].members >> dtype_kind(d) & 1;
  enum dtype other = dtype_find(name);
  if (other == DT_none)
    luaL_error(L, "isdtype: unknown kind \"%s\"; known: bool, signed integer, unsigned integer, integral, "
                  "real floating, complex floating, numeric, and the dtypes", name);
  return d == other;
}

/*** True if a dtype belongs to a kind of the Python array API standard, or equals another dtype.
@function isdtype
@tparam string|tensor dtype
@tparam string|table kind "bool", "signed integer", "unsigned integer", "integral", "real floating",
"complex floating", "numeric", a dtype, or a list of these
@treturn boolean
*/
static int l_isdtype(lua_State *L) {
  enum dtype d = check_dtype_of(L, 1, "isdtype");
  bool is = false;
  if (lua_type(L, 2) == LUA_TTABLE) {
    lua_Integer n = (lua_Integer)lua_rawlen(L, 2);
    for (lua_Integer k = 1; k <= n; k++) {
      lua_rawgeti(L, 2, k);
      is |= is_of_kind(L, d, -1);
      lua_pop(L, 1);
    }
  } else {
    is = is_of_kind(L, d, 2);
  }
  lua_pushboolean(L, is);
  return 1;
}

/* ---- limits ---- */

static void set_number(lua_State *L, const char *name, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

static void set_integer(lua_State *L, const char *name, int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

static void push_limits(lua_State *L, enum dtype d) {
  lua_createtable(L, 0, 6);
  set_integer(L, "bits", 8 * dtype_size(d));
  lua_pushstring(L, dtypes[d].name);
  lua_setfield(L, -2, "dtype");
}

/*** Returns the limits of a float dtype.
@function finfo
@tparam string|tensor dtype
@treturn table bits, eps (distance from 1 to the next value), max, min, smallest_normal, dtype; for a complex dtype the
  limits of the dtype of its real part
*/
static int l_finfo(lua_State *L) {
  enum dtype d = dtype_real(check_dtype_of(L, 1, "finfo"));
  if (!dtypes[d].digits) return luaL_error(L, "finfo: %s is not a float dtype; use iinfo", dtypes[d].name);
  int highest = (1 << (dtypes[d].exponent - 1)) - 1;                   /* the greatest exponent of a finite value */
  double eps = ldexp(1, 1 - dtypes[d].digits), max = ldexp(2 - eps, highest);
  push_limits(L, d);
  set_number(L, "eps", eps);
  set_number(L, "max", max);
  set_number(L, "min", -max);
  set_number(L, "smallest_normal", ldexp(1, 1 - highest));
  return 1;
}

/*** Returns the limits of an integer dtype.
@function iinfo
@tparam string|tensor dtype
@treturn table bits, max, min, dtype; uint64's max is the Lua integer with the same bits, -1
*/
static int l_iinfo(lua_State *L) {
  enum dtype d = check_dtype_of(L, 1, "iinfo");
  int kind = dtype_kind(d), bits = 8 * dtype_size(d);
  if (kind != KIND_INT && kind != KIND_UINT)
    return luaL_error(L, "iinfo: %s is not an integer dtype%s", dtypes[d].name, kind >= KIND_FLOAT ? "; use finfo" : "");
  int64_t ones = (int64_t)(UINT64_MAX >> (64 - bits)), half = (int64_t)(UINT64_MAX >> (65 - bits));
  push_limits(L, d);
  set_integer(L, "max", kind == KIND_UINT ? ones : half);
  set_integer(L, "min", kind == KIND_UINT ? 0 : -half - 1);
  return 1;
}

/* ---- the default ---- */

/*** Sets the default float: the dtype of float data, zeros, and quotients of integers.
@function set_default_dtype
@tparam string dtype a float dtype; initially "float32"
*/
static int l_set_default_dtype(lua_State *L) {
  check_no_sandbox(L, "set_default_dtype");
  enum dtype d = check_dtype(L, 1, "set_default_dtype");
  if (dtype_kind(d) != KIND_FLOAT)
    return luaL_error(L, "set_default_dtype: a float dtype expected, got %s", dtypes[d].name);
  dtype_set_default_float(d);
  return 0;
}

/*** Returns the default float: the dtype of float data, zeros, and quotients of integers.
@function get_default_dtype
@treturn string
*/
static int l_get_default_dtype(lua_State *L) {
  lua_pushstring(L, dtypes[dtype_default_float()].name);
  return 1;
}

/* ---- the op table as data ---- */

typedef struct op_row {
  const char *name, *kind, *result, *doc;
  int arity;
  enum dtype_class class;
} op_row;

#define RESULT_SAME "same"
#define RESULT_REAL "real"
#define RESULT_BOOL "bool"
#define RESULT_ACC "accumulated"
#define RESULT_POSITION "int64"
#define RESULT_WIDE RESULT_ACC
static const op_row rows[] = {
#define ROW(kind, arity, name, dtypes, result, doc) {#name, kind, RESULT_##result, doc, arity, CLASS_##dtypes},
#define UNARY(name, dtypes, result, expr, doc) ROW("unary", 1, name, dtypes, result, doc)
#define BINARY(name, dtypes, result, expr, doc) ROW("binary", 2, name, dtypes, result, doc)
#define TERNARY(name, dtypes, result, expr, doc) ROW("ternary", 3, name, dtypes, result, doc)
#define QUATERNARY(name, dtypes, result, expr, doc) ROW("quaternary", 4, name, dtypes, result, doc)
#define REDUCE(name, dtypes, result, acc, init, step, merge, finish, doc) ROW("reduction", 1, name, dtypes, result, doc)
#define REDUCE_STATE(name, dtypes, result, state, finish, doc) ROW("reduction", 1, name, dtypes, result, doc)
#define SCAN(name, reduction, dtypes, acc, init, step, doc) ROW("scan", 1, name, dtypes, acc, doc)
#define SOFTMAX(name, keep, m, last, doc) ROW("softmax", 1, name, REALFLOAT, SAME, doc)
#include "ops.def"
};

/* True if kind is "unary", "binary", "ternary" or "quaternary". */
static bool is_elementwise(const char *kind) { return strcmp(kind + strlen(kind) - 3, "ary") == 0; }

static void set_string(lua_State *L, const char *name, const char *value) {
  lua_pushstring(L, value);
  lua_setfield(L, -2, name);
}

/* Sets field dtypes to a list of the dtypes that an op takes, including those that it converts to the default
** float. */
static void set_dtypes(lua_State *L, enum dtype_class class) {
  bool to_float = class == CLASS_FLOAT || class == CLASS_REALFLOAT;
  lua_newtable(L);
  for (int d = 0, n = 0; d < DTYPE_COUNT; d++) {
    if (!dtype_in_class((enum dtype)d, class) && !(to_float && dtype_kind((enum dtype)d) <= KIND_INT)) continue;
    lua_pushstring(L, dtypes[d].name);
    lua_rawseti(L, -2, ++n);
  }
  lua_setfield(L, -2, "dtypes");
}

static void push_row(lua_State *L, const op_row *row) {
  lua_createtable(L, 0, 7);
  set_string(L, "name", row->name);
  set_string(L, "kind", row->kind);
  set_string(L, "result", row->result);
  set_string(L, "doc", row->doc);
  set_integer(L, "arity", row->arity);
  set_dtypes(L, row->class);
  lua_pushboolean(L, is_elementwise(row->kind) && strcmp(row->result, "bool") != 0);
  lua_setfield(L, -2, "in_place");
}

/*** Returns the op table: every element-wise op, reduction, scan and softmax.
@function ops
@treturn table by name: {name, kind ("unary" … "quaternary", "reduction", "scan", "softmax"), arity, dtypes (list),
  result ("same", "bool", "real", "accumulated", "int64"), in_place (true if there is a method with a trailing
  underscore), doc}
*/
static int l_ops(lua_State *L) {
  lua_newtable(L);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const char *name = rows[k].name;
    if (name[strlen(name) - 1] == '_') continue;
    push_row(L, &rows[k]);
    lua_setfield(L, -2, name);
  }
  return 1;
}

static const function_row functions[] = {
  {"result_type", l_result_type, ANY}, {"can_cast", l_can_cast, 2}, {"isdtype", l_isdtype, 2}, {"finfo", l_finfo, 1},
  {"iinfo", l_iinfo, 1}, {"set_default_dtype", l_set_default_dtype, 1}, {"get_default_dtype", l_get_default_dtype, 0},
  {"ops", l_ops, 0}, {NULL, NULL, 0}
};

/* Adds two tables to the module. core.dtypes is the list of all dtypes' names, in the order of enum dtype.
** core.floats maps the name of each real float dtype to the name of its compute dtype. */
static void add_lists(lua_State *L) {
  lua_createtable(L, DTYPE_COUNT, 0);
  lua_newtable(L);
  for (int d = 0; d < DTYPE_COUNT; d++) {
    lua_pushstring(L, dtypes[d].name);
    lua_rawseti(L, -3, d + 1);
    if (dtypes[d].digits) set_string(L, dtypes[d].name, dtypes[dtype_compute((enum dtype)d)].name);
  }
  add_internal(L, "floats");
  add_internal(L, "dtypes");
}

void open_dtype(lua_State *L) {
  add_functions(L, functions);
  add_lists(L);
  for (int d = 0; d < DTYPE_COUNT; d++) {
    lua_pushstring(L, dtypes[d].name);
    lua_setfield(L, MODULE, dtypes[d].name);
  }
}
