#include "lua/args.h"

#include <math.h>

#include "base/loan.h"
#include "lua/register.h"

/* ---- tensors ---- */

tensor *test_tensor(lua_State *L, int i) {
  if (lua_type(L, i) != LUA_TUSERDATA || lua_rawlen(L, i) != sizeof(tensor_userdata)) return NULL;
  tensor_userdata *u = lua_touserdata(L, i);
  return u->class == &tensor_class ? &u->tensor : NULL;
}

void *test_class(lua_State *L, int i, const void *class, size_t size) {
  if (lua_type(L, i) != LUA_TUSERDATA || lua_rawlen(L, i) < size || !lua_getmetatable(L, i)) return NULL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, class);
  bool is = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return is ? lua_touserdata(L, i) : NULL;
}

void *check_self(lua_State *L, const void *class, size_t size, const char *fn, const char *what) {
  void *self = test_class(L, 1, class, size);
  if (!self)
    luaL_error(L, "%s: argument 1: %s expected, got %s; is there a colon, as in %s:%s(…)?", fn, what, type_name(L, 1), what, fn);
  return self;
}

/* True for the userdata of any tensor, even if its finalizer has run. A script may call the finalizer, and Lua calls it
** when the state is closed. Field `class` of the userdata is then NULL, so test_tensor returns NULL, but the metatable
** remains. */
static bool was_tensor(lua_State *L, int i) { return test_class(L, i, &tensor_class, sizeof(tensor_userdata)) != NULL; }

int raise_count(lua_State *L, const char *fn, int least, int most, int got) {
  if (got < least && lua_isnil(L, got + 1)) luaL_error(L, "%s: argument %d: a value expected, got nil", fn, got + 1);
  const char *help = got > most ? push_positions(L, fn, most + 1, got) : test_tensor(L, 1) ? "" : push_colon(L, fn);
  int self = method_self(L);
  most -= self;
  least -= self;
  got -= self;
  const char *range = most > least ? lua_pushfstring(L, "%d to %d", least, most)
                      : most > 0   ? lua_pushfstring(L, "%d", most) : lua_pushliteral(L, "no");
  return luaL_error(L, "%s: %s argument%s expected, got %d%s", fn, range, most == 1 ? "" : "s", got, help);
}

const char *push_lost(lua_State *L, const char *what, place where) {
  return lua_pushfstring(L, "this %s was lost when %s was reopened", what, push_place(L, where));
}

const char *push_gone(lua_State *L, const tensor *t) {
  if (!t->store) return lua_pushliteral(L, "this tensor was freed");
  if (storage_is_revoked(t->store)) return lua_pushliteral(L, "the host has taken the memory of this tensor back");
  if (t->store->epoch == EPOCH_FAILED) return lua_pushliteral(L, "the operation that computes this tensor failed");
  return push_lost(L, "tensor", t->store->place);
}

tensor *check_tensor_later(lua_State *L, int i, const char *fn) {
  tensor *t = test_tensor(L, i);
  if (!t) check_dot(L, fn);
  if (!t && was_tensor(L, i)) luaL_error(L, "%s: argument %d: this tensor was freed", fn, i);
  if (!t) {
    const char *type = type_name(L, i);              /* read before anything is pushed, because the argument may be
                                                     ** missing */
    luaL_error(L, "%s: argument %d: tensor expected, got %s%s", fn, i, type, i == 1 ? push_colon(L, fn) : "");
  }
  if (tensor_is_gone(t)) luaL_error(L, "%s: argument %d: %s", fn, i, push_gone(L, t));
  return t;
}

void end_pending(lua_State *L, storage *s, const char *fn) {
  run_deferred(L, fn);
  int st = storage_is_pending(s) ? deferral_provide(s) : OK;
  if (st != OK) luaL_error(L, "%s: out of memory", fn);
}

tensor *check_tensor(lua_State *L, int i, const char *fn) {
  tensor *t = check_tensor_later(L, i, fn);
  make_ready(L, t, fn);
  return t;
}

bool is_value(lua_State *L, int i) {
  int type = lua_type(L, i);
  const tensor *t = type == LUA_TUSERDATA ? test_tensor(L, i) : NULL;
  return type == LUA_TNUMBER || type == LUA_TBOOLEAN || (t && t->weak && !tensor_is_gone(t));
}

void check_arg(lua_State *L, int i, const char *fn, arg *a) {
  check_arg_later(L, i, fn, a);
  if (a->t) make_ready(L, a->t, fn);
}

void check_arg_later(lua_State *L, int i, const char *fn, arg *a) {
  a->t = NULL;
  switch (lua_type(L, i)) {
    case LUA_TNUMBER:
      a->s.is_float = !lua_isinteger(L, i);
      a->s.is_bool = a->s.is_complex = false;
      a->s.f = lua_tonumber(L, i);
      a->s.i = lua_tointeger(L, i);
      break;
    case LUA_TBOOLEAN:
      a->s = (scalar){.f = lua_toboolean(L, i), .i = lua_toboolean(L, i), .is_bool = true};
      break;
    case LUA_TUSERDATA:
      a->t = check_tensor_later(L, i, fn);
      if (a->t->weak) {
        a->s = tensor_number(a->t);
        a->t = NULL;
      }
      break;
    default:
      luaL_error(L, "%s: argument %d: tensor or number expected, got %s%s", fn, i, type_name(L, i),
                 i == 1 ? push_colon(L, fn) : "");
  }
}

/* ---- values ---- */

int64_t check_integer(lua_State *L, int i, const char *fn, const char *what) {
  if (lua_type(L, i) != LUA_TNUMBER) check_dot(L, fn);
  if (lua_type(L, i) != LUA_TNUMBER)
    luaL_error(L, "%s: %s: number expected, got %s", fn, what, type_name(L, i));
  int ok;
  int64_t n = lua_tointegerx(L, i, &ok);
  if (!ok && lua_tonumber(L, i) != lua_tonumber(L, i)) luaL_error(L, "%s: %s: nan is not an integer", fn, what);
  if (!ok) luaL_error(L, "%s: %s: %s is not an integer", fn, what, push_plain(L, i));
  return n;
}

/* Converts a float to an integer for dtype d. Values from 2^63 to 2^64 - 1 fit uint64 and become the int64 with the
** same bits. Returns false if f is not integral or does not fit. */
static bool float_fits(enum dtype d, double f, int64_t *i) {
  if (d == DT_uint64 && f >= 0x1p63 && f < 0x1p64) { *i = (int64_t)(uint64_t)f; return true; }
  if (!(f >= -0x1p63 && f < 0x1p63) || f != trunc(f)) return false;
  *i = (int64_t)f;
  return integer_fits(d, *i);
}

int raise_unfit(lua_State *L, const char *fn, int i, enum dtype d) {
  bool complex = lua_type(L, i) == LUA_TUSERDATA;
  const char *what = complex ? "a complex number" : push_plain(L, i);
  return luaL_error(L, "%s: %s does not fit %s", fn, what, dtypes[d].name);
}

scalar check_value(lua_State *L, int i, const char *fn, enum dtype d) {
  scalar s = {.i = 0};
  int kind = dtype_kind(d);
  if (lua_isboolean(L, i)) {
    s.i = lua_toboolean(L, i);
    s.f = (double)s.i;
    return s;
  }
  const tensor *number = test_tensor(L, i);
  if (number && number->weak && !tensor_is_gone(number)) {
    if (kind != KIND_COMPLEX) raise_unfit(L, fn, i, d);
    return tensor_number(number);
  }
  if (lua_type(L, i) != LUA_TNUMBER) luaL_error(L, "%s: number or boolean expected, got %s", fn, type_name(L, i));
  s.is_float = !lua_isinteger(L, i);
  s.f = lua_tonumber(L, i);
  s.i = lua_tointeger(L, i);
  if (s.is_float && (kind == KIND_INT || kind == KIND_UINT)) {
    if (isnan(s.f)) luaL_error(L, "%s: nan does not fit %s", fn, dtypes[d].name);
    if (!float_fits(d, s.f, &s.i)) luaL_error(L, "%s: %s does not fit %s", fn, push_double(L, s.f), dtypes[d].name);
    s.is_float = false;
  } else if (!s.is_float && !integer_fits(d, s.i)) {
    luaL_error(L, "%s: %I does not fit %s", fn, (LUAI_UACINT)s.i, dtypes[d].name);
  }
  return s;
}

const char *push_shape(lua_State *L, const shape *s) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addchar(&b, '[');
  for (int d = 0; d < s->ndim; d++) {
    if (d) luaL_addstring(&b, ", ");
    lua_pushinteger(L, s->dim[d]);
    luaL_addvalue(&b);
  }
  luaL_addchar(&b, ']');
  luaL_pushresult(&b);
  return lua_tostring(L, -1);
}

/* Raises an error unless the value at index i is a list, which is a table whose only keys are 1 … n. Returns n. */
static lua_Integer check_list(lua_State *L, int i, const char *fn) {
  if (!is_plain_table(L, i)) luaL_error(L, "%s: list expected, got %s", fn, type_name(L, i));
  lua_Integer n = (lua_Integer)lua_rawlen(L, i), entries = 0;
  i = lua_absindex(L, i);
  for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING)
      luaL_error(L, "%s: a table is either options (names) or a list, not both: key \"%s\"", fn, lua_tostring(L, -2));
    entries++;
  }
  if (entries != n) luaL_error(L, "%s: a list with holes", fn);
  return n;
}

static void add_size(lua_State *L, int i, const char *fn, shape *s) {
  if (i > 0 && lua_type(L, i) == LUA_TSTRING && dtype_find(lua_tostring(L, i)) != DT_none)
    luaL_error(L, "%s: size: number expected, got string%s", fn, push_positions(L, fn, i, i));
  int64_t n = check_integer(L, i, fn, "size");
  if (n < 0) luaL_error(L, "%s: size %I is negative", fn, (LUAI_UACINT)n);
  if (s->ndim == MAX_DIMS) luaL_error(L, "%s: more than %d dims", fn, MAX_DIMS);
  s->dim[s->ndim++] = n;
}

void check_shape(lua_State *L, int first, int last, const char *fn, shape *s) {
  s->ndim = 0;
  if (last < first && lua_isnil(L, first)) last = first;             /* treats a nil argument as a wrong size, not as a
                                                                     ** missing argument */
  if (first == last && lua_type(L, first) == LUA_TTABLE) {
    lua_Integer n = check_list(L, first, fn);
    for (lua_Integer k = 1; k <= n; k++) {
      lua_rawgeti(L, first, k);
      add_size(L, -1, fn, s);
      lua_pop(L, 1);
    }
    return;
  }
  if (first < last && lua_type(L, first) == LUA_TTABLE)
    luaL_error(L, "%s: options expected after a table of sizes, got %s%s", fn, type_name(L, first + 1),
               push_positions(L, fn, first + 1, last));
  for (int i = first; i <= last; i++) add_size(L, i, fn, s);
}

/* Returns the dim at i, 0-based, or -1 if it is out of range. */
static int to_dim(lua_State *L, int i, const char *fn, int ndim) {
  int64_t d = check_integer(L, i, fn, "dim");
  if (d == 0) luaL_error(L, "%s: dim 0: Lua tensors start at 1", fn);
  if (d < -ndim || d > ndim) return -1;
  return (int)(d > 0 ? d - 1 : d + ndim);
}

int check_dim(lua_State *L, int i, const char *fn, int ndim) {
  int d = to_dim(L, i, fn, ndim);
  if (d < 0) luaL_error(L, "%s: dim %I is out of range for %d dims", fn, (LUAI_UACINT)lua_tointeger(L, i), ndim);
  return d;
}

int check_dim_of(lua_State *L, int i, const char *fn, const shape *s) {
  int d = to_dim(L, i, fn, s->ndim);
  if (d >= 0) return d;
  lua_Integer dim = lua_tointeger(L, i);
  return luaL_error(L, "%s: dim %I is out of range for shape %s", fn, (LUAI_UACINT)dim, push_shape(L, s));
}

int check_line_dim(lua_State *L, int i, const char *fn, const shape *s) {
  bool is_line = s->ndim == 0 && lua_type(L, i) == LUA_TNUMBER;
  if (is_line && (lua_tonumber(L, i) == 1 || lua_tonumber(L, i) == -1)) return 0;
  return check_dim_of(L, i, fn, s);
}

uint32_t check_dims(lua_State *L, int i, const char *fn, const shape *s) {
  uint32_t all = (1u << s->ndim) - 1;
  if (lua_isnoneornil(L, i)) return all;
  if (lua_type(L, i) == LUA_TNUMBER) return all & 1u << check_line_dim(L, i, fn, s);
  if (lua_type(L, i) != LUA_TTABLE)
    luaL_error(L, "%s: dim: number or table expected, got %s", fn, type_name(L, i));
  uint32_t mask = 0;
  lua_Integer n = check_list(L, i, fn);
  for (lua_Integer k = 1; k <= n; k++) {
    lua_rawgeti(L, i, k);
    uint32_t bit = 1u << check_line_dim(L, lua_gettop(L), fn, s);
    if (mask & bit) luaL_error(L, "%s: dim %I is named twice", fn, (LUAI_UACINT)lua_tointeger(L, -1));
    mask |= bit;
    lua_pop(L, 1);
  }
  return all & mask;
}
