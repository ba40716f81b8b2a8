/* x[…] and x[…] = value: reads and writes by index. */

#include <string.h>

#include "lua/array/index.h"
#include "base/view.h"
#include "lua/register.h"

/* lt.newaxis and lt.ellipsis are the addresses of these variables. They are not nil, so that a misspelt name, which
** is nil, raises an error. */
static char newaxis, ellipsis;

bool is_index_mark(const void *p) { return p == &newaxis || p == &ellipsis; }

/* An index tensor, or a mask over `ndim` dims. A 0-d mask is a mask over a new dim of length 1. */
typedef struct picker {
  const tensor *t;
  int dim, ndim;            /* dim: the first dim of the view to which the index applies; ndim: the number of dims */
  int source;               /* the 0-based dim of x, for error messages */
} picker;

/* The placing of the advanced indices (numbers and index tensors) among the items of the key in x[key], as far as the
** items have been read. NONE_YET: there was no advanced index. TOGETHER: all are adjacent, and the last item is one.
** ENDED: all are adjacent, and another item follows them. SEPARATED: another item is between two of them. */
enum placing { NONE_YET, TOGETHER, ENDED, SEPARATED };

/* The selection by the items read so far: a view, and index tensors for some of its dims. */
typedef struct selection {
  const tensor *x;
  tensor view;              /* shares x's storage, but is not counted as a reference */
  int source;               /* dim of x to which the next item applies */
  int dim;                  /* dim of the view to which the next item applies */
  int npickers;
  picker pickers[MAX_DIMS];
  enum placing placing;
  int before;               /* number of dims of the view without an index before the first advanced index */
  int plain;                /* number of dims of the view without an index so far */
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

/* Finds the part of the tensor at index 1 that the key at index 2 selects. Tensors of the key stay on the stack,
** because a finalizer may remove them from the script's table. */
static void select_key(lua_State *L, selection *s) {
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

/* ---- conversions ---- */

tensor *push_copy_later(lua_State *L, const char *fn, const tensor *x, enum dtype d) {
  tensor *t = push_tensor_later(L, fn, d, &x->shape, x->store->place);
  int st;
  TRY(L, x->store->place, st, op_copy_later(t, x));
  if (st != OK) raise(L, fn, st, (const tensor *[]){t, x}, 2);
  return t;
}

/* Like to_plain, but the copy may be deferred. */
static const tensor *to_plain_later(lua_State *L, const char *fn, const tensor *x, enum dtype d) {
  return x->dtype == d && tensor_is_contiguous(x) ? x : push_copy_later(L, fn, x, d);
}

const tensor *to_plain(lua_State *L, const char *fn, const tensor *x, enum dtype d) {
  make_ready(L, x, fn);
  if (x->dtype == d && tensor_is_contiguous(x)) return x;
  tensor *t = push_tensor(L, fn, d, &x->shape, x->store->place);
  int st;
  TRY(L, x->store->place, st, op_copy(t, x));
  if (st != OK) raise(L, fn, st, (const tensor *[]){t, x}, 2);
  return t;
}

/* Converts uint64 indices to int64. Values from 2^63 on become the largest int64, which is out of range, too, but not
** negative. */
static const tensor *push_unsigned(lua_State *L, const char *fn, const tensor *x) {
  tensor *t = push_tensor_later(L, fn, DT_int64, &x->shape, x->store->place);
  job j = {.op = OP_minimum, .nin = 2, .in = {{.t = x}, {.s = {.i = INT64_MAX}}}};
  int st = job_prepare(&j);
  if (st == OK) TRY(L, x->store->place, st, job_run_later(&j, t));
  if (st != OK) raise(L, fn, st, (const tensor *[]){t, x}, 2);
  return t;
}

const tensor *to_indices(lua_State *L, const char *fn, const char *what, const tensor *x) {
  int kind = dtype_kind(x->dtype);
  if (kind != KIND_INT && kind != KIND_UINT) luaL_error(L, "%s: %s: integers expected, got %s", fn, what, dtypes[x->dtype].name);
  return x->dtype == DT_uint64 ? push_unsigned(L, fn, x) : to_plain_later(L, fn, x, DT_int64);
}

const tensor *push_nonzero(lua_State *L, const char *fn, const tensor *mask) {
  const tensor *plain = to_plain(L, fn, mask, DT_bool);
  tensor as_row = *plain;
  if (as_row.shape.ndim == 0) as_row.shape = (shape){1, {1}};
  shape s = {2, {as_row.shape.ndim, 0}};
  int st;
  TRY(L, mask->store->place, st, op_count_true(&as_row, &s.dim[1]));
  if (st != OK) raise(L, fn, st, &plain, 1);
  uint32_t version = as_row.store->version;      /* the allocation may run finalizers, which may write to the mask */
  tensor *out = push_tensor(L, fn, DT_int64, &s, mask->store->place);
  TRY(L, mask->store->place, st, op_nonzero(&as_row, version, out));
  if (st != OK) raise(L, fn, st, &plain, 1);
  return out;
}

/* True if values of kind `want` can be stored in dtype d. */
static bool kind_fits(enum dtype d, int want) {
  int have = dtype_kind(d);
  return have >= want || (have == KIND_UINT && want == KIND_INT);
}

/* Calls lt.tensor(table, {dtype = …, device = …}) with the dtype and device of the target. */
static const tensor *from_table(lua_State *L, int i, const tensor *target) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, "luatensor.core");
  lua_getfield(L, -1, "tensor");
  lua_pushvalue(L, i);
  lua_createtable(L, 0, 2);
  lua_pushstring(L, dtypes[target->dtype].name);
  lua_setfield(L, -2, "dtype");
  push_place(L, target->store->place);
  lua_setfield(L, -2, "device");
  lua_call(L, 2, 1);
  lua_replace(L, -3);
  lua_pop(L, 1);
  return check_tensor(L, lua_gettop(L), "index");      /* a script may have replaced the function */
}

/* Returns the value at stack index i (number, boolean, tensor, nested table) as a tensor, which deferred operations may read
** or write. Raises an error if the value's device, or the kind of the value's dtype, does not fit target. */
static const tensor *value_tensor_later(lua_State *L, const char *fn, int i, const tensor *target) {
  if (lua_istable(L, i)) return from_table(L, i, target);
  bool number = is_value(L, i);
  if (!number && !test_tensor(L, i))
    luaL_error(L, "%s: number, boolean, tensor or table expected, got %s", fn, type_name(L, i));
  if (number) {
    scalar s = check_value(L, i, fn, target->dtype);
    tensor *t = push_tensor(L, fn, target->dtype, &(shape){.ndim = 0}, target->store->place);
    int st;
    TRY(L, t->store->place, st, op_fill(t, s));
    if (st != OK) raise(L, fn, st, (const tensor *[]){t}, 1);
    return t;
  }
  const tensor *x = check_tensor_later(L, i, fn);
  if (!place_equal(x->store->place, target->store->place)) raise(L, fn, ERR_DEVICES, (const tensor *[]){target, x}, 2);
  if (!kind_fits(target->dtype, dtype_kind(x->dtype)))
    luaL_error(L, "%s: %s does not fit %s", fn, dtypes[x->dtype].name, dtypes[target->dtype].name);
  return x;
}

const tensor *to_value_later(lua_State *L, const char *fn, int i, const tensor *target) {
  const tensor *x = value_tensor_later(L, fn, i, target);
  return x->dtype == target->dtype && x->store != target->store ? x : push_copy_later(L, fn, x, target->dtype);
}

/* ---- index tensors ---- */

static int raise_value(lua_State *L, const char *fn, const index_job *j, int dim) {
  char text[256];
  index_words(text, sizeof text, fn, j->bad, dim, j->index[j->bad_index].length);
  return luaL_error(L, "%s", text);
}

void run_index_later(lua_State *L, const char *fn, index_job *j, tensor *values, const int *dims) {
  j->function = fn;
  for (int k = 0; k < j->nindex; k++) j->index[k].dim = dims[k];
  int st;
  TRY(L, j->target.store->place, st, index_run_later(j, values));
  if (st == OK) return;
  if (st == ERR_INDEX) raise_value(L, fn, j, dims[j->bad_index]);
  tensor positions = {.shape = j->shape};
  if (st == ERR_BROADCAST) raise(L, fn, st, (const tensor *[]){&positions, values}, 2);
  const tensor *all[2 + MAX_DIMS] = {&j->target, values};
  for (int k = 0; k < j->nindex; k++) all[2 + k] = j->index[k].t;
  raise(L, fn, st, all, st == ERR_DEVICES ? 2 + j->nindex : 2);
}

/* The index tensors, one for each indexed dim of the view. Masks have been replaced by positions. */
typedef struct picks {
  int n;
  const tensor *t[MAX_DIMS];
  int dim[MAX_DIMS], source[MAX_DIMS];
  bool masks;                          /* true if every index tensor was made from a mask */
} picks;

/* Merges dims first … first + n - 1 of the view. Returns false if the strides of these dims do not allow it. */
static bool join_dims(tensor *view, int first, int n) {
  shape from = {.ndim = n}, to = {1, {1}};
  int64_t stride;
  for (int d = 0; d < n; d++) to.dim[0] *= from.dim[d] = view->shape.dim[first + d];
  if (!shape_reshape(&from, view->stride + first, &to, &stride)) return false;
  for (int d = 1; d < n; d++) view_remove(view, first + 1);
  view->shape.dim[first] = to.dim[0];
  view->stride[first] = stride;
  return true;
}

/* Replaces a mask by the positions of its true elements in its merged dims. If the dims cannot be merged, replaces
** the mask by coordinates: one index tensor for each dim. */
static void pick_mask(lua_State *L, selection *s, picks *all, picker p, int dim) {
  tensor *mask = push_view(L, to_plain(L, "index", p.t, DT_bool));
  if (p.t->shape.ndim == 0 || join_dims(&s->view, dim, p.ndim)) {
    mask->shape = (shape){1, {p.t->count}};
    mask->stride[0] = 1;
  }
  const tensor *places = push_nonzero(L, "index", mask);
  for (int d = 0; d < (int)places->shape.dim[0]; d++) {
    tensor *row = push_view(L, places);
    view_select(row, 0, d);
    all->t[all->n] = row;
    all->dim[all->n] = dim + d;
    all->source[all->n++] = p.source + d;
  }
}

static void pick_all(lua_State *L, selection *s, picks *all) {
  int joined = 0;                      /* number of dims removed so far */
  all->n = 0;
  all->masks = true;
  for (int k = 0; k < s->npickers; k++) {
    picker p = s->pickers[k];
    luaL_checkstack(L, MAX_DIMS + 8, "index");
    if (p.t->dtype == DT_bool) {
      int ndim = s->view.shape.ndim;
      pick_mask(L, s, all, p, p.dim - joined);
      joined += ndim - s->view.shape.ndim;
      continue;
    }
    all->masks = false;
    all->t[all->n] = to_indices(L, "index", "index", p.t);
    all->dim[all->n] = p.dim - joined;
    all->source[all->n++] = p.source;
  }
}

static bool is_picked(const picks *all, int dim) {
  for (int k = 0; k < all->n; k++)
    if (all->dim[k] == dim) return true;
  return false;
}

/* Returns the shape to which the index tensors broadcast. */
static shape picks_shape(lua_State *L, const picks *all) {
  shape s = {.ndim = 0};
  for (int k = 0; k < all->n; k++) {
    tensor before = {.shape = s};
    int st = shape_broadcast(&s, &all->t[k]->shape);
    if (st != OK) raise(L, "index", st, (const tensor *[]){&before, all->t[k]}, 2);
  }
  return s;
}

/* Fills *j. By NumPy's rule, the dims of the index tensors replace the indexed dims. If another item separates the
** indexed dims, the dims of the index tensors come first instead. */
static void make_job(lua_State *L, const selection *s, const picks *all, index_job *j) {
  j->sound = all->masks;
  shape picked = picks_shape(L, all);
  int before = s->placing == SEPARATED ? 0 : s->before, d = 0;
  const tensor *v = &s->view;
  if (v->shape.ndim - all->n + picked.ndim > MAX_DIMS) raise(L, "index", ERR_NDIM, NULL, 0);
  for (; j->shape.ndim < before; d++)
    if (!is_picked(all, d)) index_dim(j, v, d);
  for (int k = 0; k < picked.ndim; k++) {
    j->stride[j->shape.ndim] = 0;
    j->shape.dim[j->shape.ndim++] = picked.dim[k];
  }
  for (; d < v->shape.ndim; d++)
    if (!is_picked(all, d)) index_dim(j, v, d);
  for (int k = 0; k < all->n; k++) index_add_input(j, all->t[k], before, picked.ndim, v, all->dim[k]);
}

/* ---- x[…] ---- */

/* Finishes a read. The key is at stack index 2. */
static int finish_get(lua_State *L) {
  return finish_record(L, &(op_record){.name = "index", .nin = 1, .in = {1}, .first = 2, .last = 2});
}

int index_get(lua_State *L) {
  selection s;
  select_key(L, &s);
  if (s.npickers == 0) {
    push_view(L, &s.view);
    return finish_get(L);
  }
  picks all;
  index_job j;
  pick_all(L, &s, &all);
  index_start(&j, INDEX_get, &s.view);
  make_job(L, &s, &all, &j);
  run_index_later(L, "", &j, push_tensor_later(L, "index", s.view.dtype, &j.shape, s.view.store->place), all.source);
  return finish_get(L);
}

/* ---- x[…] = value ---- */

/* Drops leading dims of length 1 if the value has more dims than the target. */
static const tensor *drop_leading(lua_State *L, const tensor *value, const shape *target) {
  if (value->shape.ndim <= target->ndim || value->shape.dim[0] != 1) return value;
  tensor *v = push_view(L, value);
  while (v->shape.ndim > target->ndim && v->shape.dim[0] == 1) view_remove(v, 0);
  return v;
}

static void raise_assignment(lua_State *L, int st, const tensor *target, const tensor *value) {
  if (st == ERR_BROADCAST)
    luaL_error(L, "assignment: value of shape %s does not fit shape %s", push_shape(L, &value->shape),
               push_shape(L, &target->shape));
  if (st != OK) raise(L, "assignment", st, (const tensor *[]){target, value ? value : target}, 2);
}

static void assign_view(lua_State *L, tensor *view) {
  int st;
  if (is_value(L, 3)) {
    scalar number = check_value(L, 3, "assignment", view->dtype);
    TRY(L, view->store->place, st, op_fill_later(view, number));
    raise_assignment(L, st, view, NULL);
    return;
  }
  const tensor *value = drop_leading(L, value_tensor_later(L, "assignment", 3, view), &view->shape);
  if (tensor_conflicts(view, value)) value = push_copy_later(L, "assignment", value, view->dtype);
  TRY(L, view->store->place, st, op_copy_later(view, value));
  raise_assignment(L, st, view, value);
}

/* x[mask] = number: one pass selects the number where the mask is true, else x. */
static void assign_masked(lua_State *L, selection *s) {
  const picker *p = &s->pickers[0];
  tensor mask = *p->t;
  if (mask.shape.ndim == 0) view_insert(&mask, 0, 1, 0);
  while (mask.shape.ndim < s->view.shape.ndim - p->dim) view_insert(&mask, mask.shape.ndim, 1, 0);
  job j = {.op = OP_where, .nin = 3, .in = {{.t = &mask}, {.t = value_tensor_later(L, "assignment", 3, &s->view)}, {.t = &s->view}}};
  int st = job_prepare(&j);
  if (st == OK) TRY(L, s->view.store->place, st, job_run_later(&j, &s->view));
  raise_assignment(L, st, &s->view, NULL);
}

static void assign_picked(lua_State *L, selection *s) {
  picks all;
  index_job j;
  pick_all(L, s, &all);
  index_start(&j, INDEX_put, &s->view);
  make_job(L, s, &all, &j);
  for (int k = 0; k < all.n; k++)
    if (all.t[k]->store == s->x->store)         /* x[x] = …: the indices must not change while elements are written */
      j.index[k].t = push_copy_later(L, "assignment", all.t[k], DT_int64);
  tensor value = *drop_leading(L, to_value_later(L, "assignment", 3, &s->view), &j.shape), positions = {.shape = j.shape};
  int64_t stride[MAX_DIMS];
  if (shape_expand(&value.shape, value.stride, &j.shape, stride) != OK) raise_assignment(L, ERR_BROADCAST, &positions, &value);
  run_index_later(L, "", &j, &value, all.source);
}

int index_set(lua_State *L) {
  selection s;
  select_key(L, &s);
  if (tensor_is_overlapping(s.x)) raise(L, "assignment", ERR_READONLY, &s.x, 1);
  bool number = lua_type(L, 3) == LUA_TNUMBER || lua_type(L, 3) == LUA_TBOOLEAN;
  bool masked = number && s.npickers == 1 && s.pickers[0].t->dtype == DT_bool;
  check_in_place(L, "assignment");
  if (masked) assign_masked(L, &s);
  else if (s.npickers > 0) assign_picked(L, &s);
  else assign_view(L, &s.view);
  lua_pushvalue(L, 1);
  finish_record(L, &(op_record){.name = "assignment", .nin = 2, .in = {1, 3}, .first = 2, .last = 2, .in_place = true});
  return 0;
}

void open_index(lua_State *L) {
  lua_pushlightuserdata(L, &newaxis);
  lua_setfield(L, MODULE, "newaxis");
  lua_pushlightuserdata(L, &ellipsis);
  lua_setfield(L, MODULE, "ellipsis");
}
