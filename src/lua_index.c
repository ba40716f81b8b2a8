/* x[…] and x[…] = value. */

#include <string.h>

#include "lua_args.h"
#include "lua_tensor.h"
#include "view.h"

/* Light userdata: a name misspelt gives nil, which is an error. */
static char newaxis, ellipsis;

/* What the items read so far select. */
typedef struct selection {
  const tensor *x;
  tensor view;              /* of x's storage, not counted as a reference */
  int source;               /* dim of x that the next item takes */
  int dim;                  /* dim of view where it stands */
} selection;

/* ---- errors ---- */

static int raise_range(lua_State *L, int64_t i, int dim, int64_t n) {
  if (i == n + 1 && dim == 0 && !lua_istable(L, 2))
    return luaL_error(L, "index %I in dim 1: out of range for length %I (ipairs cannot end on a tensor: use x:rows())",
                      (LUAI_UACINT)i, (LUAI_UACINT)n);
  return luaL_error(L, "index %I in dim %d: out of range for length %I", (LUAI_UACINT)i, dim + 1, (LUAI_UACINT)n);
}

static int raise_item(lua_State *L, int i, int dim) {
  if (lua_isnil(L, i)) return luaL_error(L, "index for dim %d is nil (a misspelt name?)", dim + 1);
  return luaL_error(L, "index for dim %d: number, range, mask, tensor, lt.newaxis or lt.ellipsis expected, got %s", dim + 1,
                    luaL_typename(L, i));
}

/* ---- items ---- */

/* The dim that the next item takes; `needed` of them are left. */
static void need_dims(lua_State *L, const selection *s, int needed) {
  if (s->source + needed <= s->x->shape.ndim) return;
  push_shape(L, &s->x->shape);
  luaL_error(L, "too many indices for shape %s", lua_tostring(L, -1));
}

static int64_t to_index(lua_State *L, int i, int dim) {
  int ok;
  int64_t n = lua_tointegerx(L, i, &ok);
  if (!ok) luaL_error(L, "index %s in dim %d: not an integer", luaL_tolstring(L, i, NULL), dim + 1);
  return n;
}

/* A number: the dim goes. */
static void select_number(lua_State *L, int i, selection *s) {
  need_dims(L, s, 1);
  int64_t at = to_index(L, i, s->source), n = s->view.shape.dim[s->dim];
  if (at == 0) luaL_error(L, "index 0 in dim %d: Lua tensors start at 1", s->source + 1);
  if (at < -n || at > n) raise_range(L, at, s->source, n);
  view_select(&s->view, s->dim, at > 0 ? at - 1 : n + at);
  s->source++;
}

/* The numbers of {first, last, step}; returns how many there are. */
static int range_numbers(lua_State *L, int i, int dim, int64_t *v) {
  int n = (int)lua_rawlen(L, i);
  if (n > 3) luaL_error(L, "range for dim %d: {first, last, step} expected, got %d values", dim + 1, n);
  for (int k = 0; k < n; k++) {
    if (lua_rawgeti(L, i, k + 1) != LUA_TNUMBER)
      luaL_error(L, "range for dim %d: number expected, got %s", dim + 1, luaL_typename(L, -1));
    v[k] = to_index(L, -1, dim);
    lua_pop(L, 1);
  }
  return n;
}

/* {first, last, step}: both ends count, nothing is clamped; one step short of first is empty. */
static void select_range(lua_State *L, int i, selection *s) {
  need_dims(L, s, 1);
  int64_t v[3], n = s->view.shape.dim[s->dim], length;
  int given = range_numbers(L, i, s->source, v), dim = s->source++;
  if (given == 0) {
    lua_pushnil(L);
    if (lua_next(L, i)) luaL_error(L, "range for dim %d: {first, last, step} expected", dim + 1);
    s->dim++;
    return;
  }
  int64_t first = v[0] < 0 ? v[0] + n + 1 : v[0], last = given == 1 ? first : v[1] < 0 ? v[1] + n + 1 : v[1];
  int64_t step = given == 3 ? v[2] : 1, way = step < 0 ? -1 : 1;
  if (step == 0) luaL_error(L, "range for dim %d: step 0", dim + 1);
  bool empty = given > 1 && last == first - way && first >= 0 && first <= n + 1 && last >= 0 && last <= n + 1;
  if (!empty && v[0] == 0) luaL_error(L, "index 0 in dim %d: Lua tensors start at 1", dim + 1);
  if (!empty && (first < 1 || first > n)) raise_range(L, v[0], dim, n);
  if (!empty && given > 1 && v[1] == 0) luaL_error(L, "index 0 in dim %d: Lua tensors start at 1", dim + 1);
  if (!empty && (last < 1 || last > n)) raise_range(L, v[1], dim, n);
  if (!empty && (last - first) * way < 0)
    luaL_error(L, "range {%I, %I} in dim %d runs backwards; give a step of %d", (LUAI_UACINT)v[0], (LUAI_UACINT)v[1],
               dim + 1, (int)-way);
  length = empty ? 0 : step == INT64_MIN ? 1 : (last - first) / step + 1;
  view_range(&s->view, s->dim++, first - 1, length > 1 ? step : 1, length);
}

/* How many dims the items of table 2 after item k take. */
static int dims_after(lua_State *L, int k, int n) {
  int dims = 0;
  while (++k <= n) {
    int type = lua_rawgeti(L, 2, k);
    if (type == LUA_TLIGHTUSERDATA && lua_touserdata(L, -1) == &ellipsis) luaL_error(L, "index: more than one ellipsis");
    if (type != LUA_TLIGHTUSERDATA) dims++;
    lua_pop(L, 1);
  }
  return dims;
}

static void select_marker(lua_State *L, int i, selection *s, int k, int n) {
  void *p = lua_touserdata(L, i);
  if (p == &newaxis) {
    if (view_insert(&s->view, s->dim, 1, 0) != OK) raise(L, "index", ERR_NDIM, NULL, 0);
    s->dim++;
  } else if (p == &ellipsis) {
    int skipped = s->x->shape.ndim - s->source - dims_after(L, k, n);
    if (skipped < 0) need_dims(L, s, MAX_DIMS + 1);
    s->source += skipped;
    s->dim += skipped;
  } else raise_item(L, i, s->source);
}

/* Item k of n, at stack index i. */
static void select_item(lua_State *L, int i, selection *s, int k, int n) {
  switch (lua_type(L, i)) {
    case LUA_TNUMBER:        select_number(L, i, s); break;
    case LUA_TTABLE:         select_range(L, i, s); break;
    case LUA_TLIGHTUSERDATA: select_marker(L, i, s, k, n); break;
    default:                 raise_item(L, i, s->source);
  }
}

/* Every key of the table of items must be one of 1 … n: else there is a hole, or a name. */
static void check_items(lua_State *L, lua_Integer n) {
  if (n) lua_pushinteger(L, n); else lua_pushnil(L);
  while (lua_next(L, 2)) {
    lua_pop(L, 1);
    if (!lua_isinteger(L, -1)) luaL_error(L, "index: unexpected key \"%s\"", luaL_tolstring(L, -1, NULL));
    if (lua_tointeger(L, -1) < 1 || lua_tointeger(L, -1) > n) luaL_error(L, "index for dim %d is nil (a misspelt name?)", (int)n + 1);
  }
}

/* What key 2 selects of tensor 1. */
static void select_key(lua_State *L, selection *s) {
  s->x = check_tensor(L, 1, "index");
  s->view = *s->x;
  s->source = s->dim = 0;
  if (!lua_istable(L, 2)) {
    select_item(L, 2, s, 1, 0);
    return;
  }
  lua_Integer n = (lua_Integer)lua_rawlen(L, 2);
  for (lua_Integer k = 1; k <= n; k++) {
    lua_rawgeti(L, 2, k);
    select_item(L, lua_gettop(L), s, (int)k, (int)n);
    lua_pop(L, 1);
  }
  check_items(L, n);
}

int index_get(lua_State *L) {
  selection s;
  select_key(L, &s);
  push_view(L, &s.view);
  return finish_op(L, false);
}

int index_set(lua_State *L) {
  selection s;
  select_key(L, &s);
  return luaL_error(L, "assignment: not here yet");
}

void open_index(lua_State *L) {
  lua_pushlightuserdata(L, &newaxis);
  lua_setfield(L, 1, "newaxis");
  lua_pushlightuserdata(L, &ellipsis);
  lua_setfield(L, 1, "ellipsis");
}
