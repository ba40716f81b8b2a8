/* Selects a part of a tensor by the key in x[key]: numbers, ranges, masks, index tensors and marks. */

#include "lua/array/select.h"
#include "lua/array/index.h"
#include "base/view.h"
#include "lua/register.h"

/* lt.newaxis and lt.ellipsis are the addresses of these variables. They are not nil, so that a misspelt name, which
** is nil, raises an error. */
static char newaxis, ellipsis;

bool is_index_mark(const void *p) { return p == &newaxis || p == &ellipsis; }

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
                    type_name(L, i));
}

/* ---- items ---- */

/* Raises an error unless x has `needed` dims left for the next item. */
static void need_dims(lua_State *L, const selection *s, int needed) {
  if (s->source + needed <= s->x->shape.ndim) return;
  luaL_error(L, "too many indices for shape %s", push_shape(L, &s->x->shape));
}

static int64_t to_index(lua_State *L, int i, int dim) {
  int ok;
  int64_t n = lua_tointegerx(L, i, &ok);
  if (!ok) luaL_error(L, "index %s in dim %d: not an integer", push_plain(L, i), dim + 1);
  return n;
}

/* Records that the current item covers `dims` dims of the view without an index. */
static void place_plain(selection *s, int dims) {
  s->dim += dims;
  s->plain += dims;
  if (s->placing == TOGETHER) s->placing = ENDED;
}

static void place_advanced(selection *s) {
  if (s->placing == NONE_YET) { s->placing = TOGETHER; s->before = s->plain; }
  else if (s->placing == ENDED) s->placing = SEPARATED;
}

/* Applies the number at stack index i to the selection: selects one position of the current dim and removes the dim. */
static void select_number(lua_State *L, int i, selection *s) {
  need_dims(L, s, 1);
  int64_t at = to_index(L, i, s->source), n = s->view.shape.dim[s->dim];
  if (at == 0) luaL_error(L, "index 0 in dim %d: Lua tensors start at 1", s->source + 1);
  if (at < -n || at > n) raise_range(L, at, s->source, n);
  view_select(&s->view, s->dim, at > 0 ? at - 1 : n + at);
  s->source++;
  place_advanced(s);
}

enum { MOST_SHOWN = 8 };                /* the maximum number of a list's numbers that an error message shows */

/* Pushes the numbers of the list at i as text: "{1, 3, 5}". */
static const char *push_numbers(lua_State *L, int i) {
  lua_Integer n = (lua_Integer)lua_rawlen(L, i);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (lua_Integer k = 1; k <= n && k <= MOST_SHOWN; k++) {
    luaL_addstring(&b, k == 1 ? "{" : ", ");
    lua_rawgeti(L, i, k);
    luaL_tolstring(L, -1, NULL);
    lua_remove(L, -2);
    luaL_addvalue(&b);
  }
  luaL_addstring(&b, n > MOST_SHOWN ? ", …}" : "}");
  luaL_pushresult(&b);
  return lua_tostring(L, -1);
}

/* Reads the numbers of the range {first, last, step} at stack index i. Returns the length of the list, 0 … 3. */
static int range_numbers(lua_State *L, int i, int dim, int64_t *v) {
  int n = (int)lua_rawlen(L, i);
  if (n > 3)
    luaL_error(L, "range for dim %d: {first, last, step} expected, got %d values; a list of positions is lt.tensor%s",
               dim + 1, n, push_numbers(L, i));
  for (int k = 0; k < n; k++) {
    if (lua_rawgeti(L, i, k + 1) != LUA_TNUMBER)
      luaL_error(L, "range for dim %d: number expected, got %s", dim + 1, type_name(L, -1));
    v[k] = to_index(L, -1, dim);
    lua_pop(L, 1);
  }
  return n;
}

/* Raises an error if first, last and step are positive and the step exceeds the number of positions from first to last,
** so that the range selects only one element. Such a table was most likely meant as a list of positions. */
static void check_list_like(lua_State *L, int i, int dim, const int64_t *v) {
  bool positive = v[0] > 0 && v[1] > 0 && v[2] > 0;
  if (!positive || v[0] >= v[1] || v[2] <= v[1] - v[0] + 1) return;
  const char *numbers = push_numbers(L, i);
  luaL_error(L, "range %s in dim %d: a step of %I leaves it after one element; a list of positions is lt.tensor%s",
             numbers, dim + 1, (LUAI_UACINT)v[2], numbers);
}

static void raise_backwards(lua_State *L, int i, int dim, int step) {
  const char *numbers = push_numbers(L, i);
  luaL_error(L, "range %s in dim %d runs backwards; give a step of %d (a list of positions is lt.tensor%s)", numbers,
             dim + 1, step, numbers);
}

/* True if a range is empty. If the last position precedes the first in the direction of step, the range is either empty
** or an error. The range is empty if the two positions are neighbours. It is also empty if the lower end counts from
** the front and the upper end from the back, but the dim is too short for both, as in {2, -2} on one row. */
static bool is_empty_range(const int64_t *v, int64_t first, int64_t last, int64_t step, int64_t n) {
  if (step > 0 ? last >= first : last <= first) return false;
  bool next_to_it = last == first - (step > 0 ? 1 : -1) && first >= 0 && first <= n + 1 && last >= 0 && last <= n + 1;
  return next_to_it || (step > 0 ? v[0] > 0 && v[1] < 0 : v[1] > 0 && v[0] < 0);
}

/* Selects the range {first, last, step}, which includes both ends. An end outside of the dim is an error unless the
** range is empty. */
static void select_range(lua_State *L, int i, selection *s) {
  need_dims(L, s, 1);
  int64_t v[3] = {0}, n = s->view.shape.dim[s->dim], length;
  int given = range_numbers(L, i, s->source, v), dim = s->source++;
  if (given == 0) {
    lua_pushnil(L);
    if (lua_next(L, i)) luaL_error(L, "range for dim %d: {first, last, step} expected", dim + 1);
    place_plain(s, 1);
    return;
  }
  int64_t first = v[0] < 0 ? v[0] + n + 1 : v[0], last = given == 1 ? first : v[1] < 0 ? v[1] + n + 1 : v[1];
  int64_t step = given == 3 ? v[2] : 1, way = step < 0 ? -1 : 1;
  if (step == 0) luaL_error(L, "range for dim %d: step 0", dim + 1);
  if (given == 3) check_list_like(L, i, dim, v);
  bool empty = given > 1 && is_empty_range(v, first, last, step, n);
  if (!empty && v[0] == 0) luaL_error(L, "index 0 in dim %d: Lua tensors start at 1", dim + 1);
  if (!empty && (first < 1 || first > n)) raise_range(L, v[0], dim, n);
  if (!empty && given > 1 && v[1] == 0) luaL_error(L, "index 0 in dim %d: Lua tensors start at 1", dim + 1);
  if (!empty && (last < 1 || last > n)) raise_range(L, v[1], dim, n);
  if (!empty && (last - first) * way < 0) raise_backwards(L, i, dim, (int)-way);
  length = empty ? 0 : step == INT64_MIN ? 1 : (last - first) / step + 1;
  view_range(&s->view, s->dim, empty ? 0 : first - 1, length > 1 ? step : 1, length);
  place_plain(s, 1);
}

/* Returns the number of dims of x to which the items after item k of the table at index 2 apply. */
static int dims_after(lua_State *L, int k, int n) {
  int dims = 0;
  while (++k <= n) {
    int type = lua_rawgeti(L, 2, k);
    const tensor *t = test_tensor(L, -1);
    if (type == LUA_TLIGHTUSERDATA && lua_touserdata(L, -1) == &ellipsis) luaL_error(L, "index: more than one ellipsis");
    if (t && t->store && t->dtype == DT_bool) dims += t->shape.ndim;
    else if (type != LUA_TLIGHTUSERDATA) dims++;
    lua_pop(L, 1);
  }
  return dims;
}

static void select_newaxis(lua_State *L, selection *s) {
  if (view_insert(&s->view, s->dim, 1, 0) != OK) raise(L, "index", ERR_NDIM, NULL, 0);
}

static void select_marker(lua_State *L, int i, selection *s, int k, int n) {
  void *p = lua_touserdata(L, i);
  if (p == &newaxis) {
    select_newaxis(L, s);
    place_plain(s, 1);
  } else if (p == &ellipsis) {
    int skipped = s->x->shape.ndim - s->source - dims_after(L, k, n);
    if (skipped < 0) need_dims(L, s, MAX_DIMS + 1);
    s->source += skipped;
    place_plain(s, skipped);
  } else raise_item(L, i, s->source);
}

/* Checks that a mask has the lengths of the dims that it covers. */
static void check_mask(lua_State *L, const selection *s, const tensor *mask) {
  need_dims(L, s, mask->shape.ndim);
  for (int d = 0; d < mask->shape.ndim; d++) {
    if (mask->shape.dim[d] == s->view.shape.dim[s->dim + d]) continue;
    luaL_error(L, "mask of shape %s does not fit shape %s in dim %d", push_shape(L, &mask->shape),
               push_shape(L, &s->x->shape), s->source + d + 1);
  }
}

static void select_tensor(lua_State *L, int i, selection *s) {
  const tensor *t = test_tensor(L, i);
  if (!t) raise_item(L, i, s->source);
  if (tensor_is_gone(t)) luaL_error(L, "index for dim %d: %s", s->source + 1, push_gone(L, t));
  if (!place_equal(t->store->place, s->x->store->place)) raise(L, "index", ERR_DEVICES, (const tensor *[]){s->x, t}, 2);
  bool mask = t->dtype == DT_bool;
  if (!mask && dtype_kind(t->dtype) > KIND_INT)
    luaL_error(L, "index for dim %d: integers or a bool mask expected, got %s", s->source + 1, dtypes[t->dtype].name);
  picker p = {.t = t, .dim = s->dim, .ndim = 1, .source = s->source};
  int dims = mask ? t->shape.ndim : 1;
  if (mask) check_mask(L, s, t); else need_dims(L, s, 1);
  if (dims == 0) select_newaxis(L, s);
  else p.ndim = dims;
  s->pickers[s->npickers++] = p;
  s->source += dims;
  s->dim += p.ndim;
  place_advanced(s);
}

/* Applies item k of the key's n items to the selection. The item is at stack index i. */
static void select_item(lua_State *L, int i, selection *s, int k, int n) {
  switch (lua_type(L, i)) {
    case LUA_TNUMBER:        select_number(L, i, s); break;
    case LUA_TTABLE:         select_range(L, i, s); break;
    case LUA_TLIGHTUSERDATA: select_marker(L, i, s, k, n); break;
    case LUA_TUSERDATA:      select_tensor(L, i, s); break;
    default:                 raise_item(L, i, s->source);
  }
}

/* Checks that every key of the table of items is in 1 … n. Any other key means a hole or a name. */
static void check_items(lua_State *L, lua_Integer n) {
  if (n) lua_pushinteger(L, n); else lua_pushnil(L);
  while (lua_next(L, 2)) {
    lua_pop(L, 1);
    if (!lua_isinteger(L, -1)) luaL_error(L, "index: unexpected key \"%s\"", push_plain(L, -1));
    if (lua_tointeger(L, -1) < 1 || lua_tointeger(L, -1) > n) luaL_error(L, "index for dim %d is nil (a misspelt name?)", (int)n + 1);
  }
}

void select_key(lua_State *L, selection *s) {
  s->x = check_tensor_later(L, 1, "index");
  s->view = *s->x;
  s->source = s->dim = s->npickers = s->before = s->plain = 0;
  s->placing = NONE_YET;
  if (!lua_istable(L, 2)) {
    select_item(L, 2, s, 1, 0);
    return;
  }
  lua_Integer n = (lua_Integer)lua_rawlen(L, 2);
  luaL_checkstack(L, LUA_MINSTACK + MAX_DIMS, "index");
  for (lua_Integer k = 1; k <= n; k++) {
    int type = lua_rawgeti(L, 2, k);
    select_item(L, lua_gettop(L), s, (int)k, (int)n);
    if (type != LUA_TUSERDATA) lua_pop(L, 1);
  }
  check_items(L, n);
}

void open_index(lua_State *L) {
  lua_pushlightuserdata(L, &newaxis);
  lua_setfield(L, MODULE, "newaxis");
  lua_pushlightuserdata(L, &ellipsis);
  lua_setfield(L, MODULE, "ellipsis");
}
