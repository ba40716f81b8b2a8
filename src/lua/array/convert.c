/* Conversions between tensors and Lua values: lt.tensor, item, totable, bytes. */

#include <math.h>
#include <string.h>

#include "lua/args.h"
#include "lua/register.h"
#include "op/host.h"

enum { SMALL = 64 };      /* the maximum number of elements that are staged on the C stack, without an allocation */

/* An element that is copied between Lua and a tensor, as int64 or float64. Arrays of such elements are row-major. */
typedef union staged {
  int64_t i;
  double  f;
} staged;

/* Returns memory for n elements: `small` if n is at most SMALL, else a new userdata. Pushes the userdata, or nil. */
static staged *push_stage(lua_State *L, int64_t n, staged *small) {
  if (n > SMALL) return lua_newuserdatauv(L, (size_t)n * sizeof(staged), 0);
  lua_pushnil(L);
  return small;
}

/* ---- from nested tables ---- */

/* The state of a traversal of nested tables. The leaves, which are numbers or booleans, are stored in `stage`. */
typedef struct reader {
  const char *fn;
  shape       shape;
  int64_t     block[MAX_DIMS];     /* block[d]: the number of elements in an entry of a table at depth d */
  int64_t     at[MAX_DIMS];        /* 1-based keys of the path to the current entry */
  enum dtype  dtype;               /* the dtype that every leaf must fit, or DT_none */
  int         leaf;                /* Lua type of the first leaf; all leaves must have this type */
  bool        floats;              /* true: stage holds float64; false: int64 */
  int64_t     count;
  staged     *stage;
} reader;

/* Pushes the path to the entry that at[0 … depth] names, such as "[2][3]". */
static const char *push_path(lua_State *L, const reader *r, int depth) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int d = 0; d <= depth; d++) {
    lua_pushfstring(L, "[%I]", (LUAI_UACINT)r->at[d]);
    luaL_addvalue(&b);
  }
  luaL_pushresult(&b);
  return lua_tostring(L, -1);
}

/* Finds the shape and the first leaf, by following the first entry at each depth. The data is at the top of the
** stack. */
static void find_shape(lua_State *L, reader *r) {
  shape *s = &r->shape;
  lua_pushvalue(L, -1);
  while (lua_type(L, -1) == LUA_TTABLE) {
    if (!is_plain_table(L, -1)) luaL_error(L, "%s: table, number, boolean or tensor expected, got %s", r->fn, type_name(L, -1));
    if (s->ndim == MAX_DIMS) luaL_error(L, "%s: more than %d dims", r->fn, MAX_DIMS);
    s->dim[s->ndim++] = (int64_t)lua_rawlen(L, -1);
    if (s->dim[s->ndim - 1] == 0) break;
    lua_rawgeti(L, -1, 1);
    lua_remove(L, -2);
  }
  r->leaf = lua_type(L, -1);
  r->floats = r->leaf == LUA_TNUMBER && !lua_isinteger(L, -1);
  lua_pop(L, 1);
  int64_t bytes;
  if (shape_count(s, sizeof(staged), &bytes) != OK) raise(L, r->fn, ERR_OVERFLOW, NULL, 0);
  r->count = bytes;
  for (int d = s->ndim - 1; d >= 0; d--) r->block[d] = d == s->ndim - 1 ? 1 : r->block[d + 1] * s->dim[d + 1];
}

/* Raises an error for a key outside of 1 … n. `depth` is the number of tables that enclose the key's table. */
static int bad_key(lua_State *L, const reader *r, int depth) {
  const char *where = depth > 0 ? push_path(L, r, depth - 1) : "";
  if (depth > 0) lua_insert(L, -2);
  if (lua_type(L, -1) == LUA_TSTRING)
    return luaL_error(L, "%s: key \"%s\" among the data%s%s; options are a second table", r->fn, lua_tostring(L, -1),
                      depth > 0 ? " of " : "", where);
  return luaL_error(L, "%s: hole in the data: %s[%s] is set, but not all before it", r->fn, where,
                    push_plain(L, -1));
}

/* Checks that every key of the table at the top of the stack is in 1 … n. */
static void check_every_key(lua_State *L, const reader *r, int depth, int64_t n) {
  for (lua_pushnil(L); lua_next(L, -2);) {
    lua_pop(L, 1);
    int64_t k = lua_tointeger(L, -1);
    if (!lua_isinteger(L, -1) || k < 1 || k > n) bad_key(L, r, depth);
  }
}

/* Like check_every_key, for a table that is known to have the keys 1 … n, but does not visit all keys of a long list.
** If lua_next returns the first LOOK keys in order and no key after n, the table is taken for a list without other
** keys. (If Lua stores the entries in a hash, another key could remain undetected, but only if the hash happened to
** have this order.) */
static void check_keys(lua_State *L, const reader *r, int depth) {
  enum { LOOK = 16 };
  int64_t n = r->shape.dim[depth];
  lua_pushnil(L);
  for (int64_t k = 1; k <= n && k <= LOOK; k++) {
    lua_next(L, -2);
    lua_pop(L, 1);
    if (lua_isinteger(L, -1) && lua_tointeger(L, -1) == k) continue;
    lua_pop(L, 1);
    check_every_key(L, r, depth, n);
    return;
  }
  if (n > LOOK) {
    lua_pop(L, 1);
    lua_pushinteger(L, n);
  }
  if (!lua_next(L, -2)) return;
  lua_pop(L, 2);
  check_every_key(L, r, depth, n);
}

/* Raises an error for the value at the top of the stack. A number or a boolean of the same type as the first element
** of the data was expected. */
static int bad_leaf(lua_State *L, reader *r) {
  int type = lua_type(L, -1), depth = r->shape.ndim - 1;
  if (type == LUA_TNIL) return luaL_error(L, "%s: hole in the data: %s is nil", r->fn, push_path(L, r, depth));
  const char *value = type == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
  bool is_tensor = test_tensor(L, -1) != NULL;
  const char *where = depth < 0 ? "data" : push_path(L, r, depth);
  if (is_tensor) return luaL_error(L, "%s: %s is a tensor; use lt.stack to join tensors", r->fn, where);
  if (value) return luaL_error(L, "%s: %s is the string \"%s\"; numbers or booleans expected", r->fn, where, value);
  if (type == LUA_TTABLE)
    return luaL_error(L, "%s: ragged table: %s is a table, the first entry is not", r->fn, where);
  if (type == LUA_TNUMBER || type == LUA_TBOOLEAN)
    return luaL_error(L, "%s: numbers and booleans are mixed: %s is a %s", r->fn, where, lua_typename(L, type));
  return luaL_error(L, "%s: %s is a %s; numbers or booleans expected", r->fn, where, lua_typename(L, type));
}

/* Converts the leaves to float64 when the first float appears among integers. Places of `stage` that have no leaf yet
** are converted, too, which is harmless. */
static void turn_to_floats(reader *r) {
  for (int64_t k = 0; k < r->count; k++) r->stage[k].f = (double)r->stage[k].i;
  r->floats = true;
}

/* Reads the leaf at the top of the stack, which must fit dtype r->dtype. */
static void read_fitting(lua_State *L, reader *r, staged *to) {
  scalar s = check_value(L, -1, r->fn, r->dtype);
  if (r->floats) to->f = s.f;
  else to->i = r->dtype == DT_bool ? s.f != 0 : s.i;
}

/* Reads the leaf at the top of the stack, which has Lua type `type`. */
static void read_leaf(lua_State *L, reader *r, int type, int64_t position) {
  staged *to = &r->stage[position];
  if (type != r->leaf) bad_leaf(L, r);
  if (r->dtype != DT_none) read_fitting(L, r, to);
  else if (type == LUA_TBOOLEAN) to->i = lua_toboolean(L, -1);
  else if (r->floats) to->f = lua_tonumber(L, -1);
  else if (lua_isinteger(L, -1)) to->i = lua_tointeger(L, -1);
  else {
    turn_to_floats(r);
    to->f = lua_tonumber(L, -1);
  }
}

/* Reads a row of leaves, which is the table at the top of the stack. */
static void read_row(lua_State *L, reader *r, int64_t position) {
  int depth = r->shape.ndim - 1;
  int64_t n = r->shape.dim[depth];
  for (int64_t k = 1; k <= n; k++) {
    r->at[depth] = k;
    read_leaf(L, r, lua_rawgeti(L, -1, k), position + k - 1);
    lua_pop(L, 1);
  }
  check_keys(L, r, depth);
}

/* Raises the error that the entry at the top of the stack is not a table of the same length as the first entry. */
static void raise_ragged(lua_State *L, reader *r, int depth) {
  const char *where = push_path(L, r, depth), *type = type_name(L, -2);
  if (lua_isnil(L, -2)) luaL_error(L, "%s: hole in the data: %s is nil", r->fn, where);
  if (!lua_istable(L, -2)) luaL_error(L, "%s: ragged table: %s is a %s, the first entry a table", r->fn, where, type);
  luaL_error(L, "%s: ragged table: row %s has %I elements, the first has %I", r->fn, where,
             (LUAI_UACINT)lua_rawlen(L, -2), (LUAI_UACINT)r->shape.dim[depth + 1]);
}

/* Reads the table at the top of the stack, at nesting level `depth`. */
static void read_table(lua_State *L, reader *r, int depth, int64_t position) {
  if (depth == r->shape.ndim - 1) { read_row(L, r, position); return; }
  for (int64_t k = 1; k <= r->shape.dim[depth]; k++) {
    r->at[depth] = k;
    if (lua_rawgeti(L, -1, k) != LUA_TTABLE || (int64_t)lua_rawlen(L, -1) != r->shape.dim[depth + 1])
      raise_ragged(L, r, depth);
    read_table(L, r, depth + 1, position + (k - 1) * r->block[depth]);
    lua_pop(L, 1);
  }
  check_keys(L, r, depth);
}

/* Returns the dtype of data for which no dtype is requested. */
static enum dtype natural_dtype(const reader *r) {
  if (r->count == 0 || r->floats) return dtype_default_float();
  return r->leaf == LUA_TBOOLEAN ? DT_bool : DT_int64;
}

/* Chooses the type that leaves must have, and whether they are staged as floats. Raises an error if the data is a
** single value of an unsuitable type. For an unsuitable leaf in a table, the traversal raises the error. */
static void choose_leaves(lua_State *L, reader *r) {
  bool leaf = r->leaf == LUA_TNUMBER || r->leaf == LUA_TBOOLEAN;
  if (!leaf && r->shape.ndim == 0)
    luaL_error(L, "%s: table, number or boolean expected, got %s", r->fn, type_name(L, -1));
  if (!leaf) r->leaf = LUA_TNUMBER;
  if (r->dtype == DT_none) return;
  r->floats = dtype_kind(r->dtype) >= KIND_FLOAT;
  if (r->floats && r->leaf == LUA_TNUMBER) r->dtype = DT_none;    /* every number fits a float dtype */
}

/* Removes the last dim of complex data, whose entries are pairs {re, im}. Returns false for a single number and for
** data without elements. */
static bool take_pairs(lua_State *L, reader *r, enum dtype d) {
  shape *s = &r->shape;
  if (s->ndim == 0 || r->count == 0) return false;
  if (s->dim[s->ndim - 1] != 2)
    luaL_error(L, "%s: %s data are pairs {re, im}, got lists of %I numbers", r->fn, dtypes[d].name,
               (LUAI_UACINT)s->dim[s->ndim - 1]);
  s->ndim--;
  return true;
}

/* Pushes a tensor made from the Lua data at index 1, which is a table, number or boolean. */
static tensor *push_data(lua_State *L, const char *fn, enum dtype dtype, place where) {
  staged small[SMALL];
  bool complex = dtype != DT_none && dtype_kind(dtype) == KIND_COMPLEX;
  reader r = {.fn = fn, .shape = {.ndim = 0}, .dtype = complex ? DT_float64 : dtype};
  luaL_checkstack(L, 3 * MAX_DIMS, fn);
  lua_pushvalue(L, 1);
  find_shape(L, &r);
  choose_leaves(L, &r);
  r.stage = push_stage(L, r.count, small);
  lua_insert(L, -2);
  if (r.shape.ndim > 0) read_table(L, &r, 0, 0);
  else read_leaf(L, &r, r.leaf, 0);
  bool pairs = complex && take_pairs(L, &r, dtype);
  tensor *t = push_tensor(L, fn, dtype != DT_none ? dtype : natural_dtype(&r), &r.shape, where);
  int st;
  TRY(L, where, st, host_write(t, pairs ? DT_complex128 : r.floats ? DT_float64 : DT_int64, r.stage));
  if (st != OK) raise(L, fn, st, (const tensor *const *)&t, 1);
  return t;
}

/* Returns the index of the options, or 0 if there are none. Options are the second argument, because the first argument
** is always data. */
static int data_options(lua_State *L, const char *fn, const char *const *known) {
  check_dot(L, fn);
  int nargs, top = count_arguments(L);
  if (top == 0) luaL_error(L, "%s: data expected: a table, number, boolean or tensor", fn);
  if (top > 2) luaL_error(L, "%s: data and options expected, got %d arguments; data is one table", fn, top);
  if (top == 1 || lua_isnil(L, 2)) return 0;
  if (!is_options(L, 2)) luaL_error(L, "%s: argument 2: options expected, such as {dtype = \"float64\"}", fn);
  return check_options(L, fn, known, &nargs);
}

/* Pushes x (index 1) converted to dtype and place. */
static tensor *push_converted(lua_State *L, const char *fn, const tensor *x, enum dtype d, place where) {
  tensor *t = push_tensor(L, fn, d, &x->shape, where);
  int st;
  TRY(L, failing_place((const tensor *[]){t, x}, 2), st, host_copy(t, x));
  if (st != OK) raise(L, fn, st, (const tensor *[]){t, x}, 2);
  return t;
}

static const char *const tensor_options[] = {"dtype", "device", MADE_OPTIONS, NULL};
static const char *const asarray_options[] = {"dtype", "device", "copy", MADE_OPTIONS, NULL};

/***
Makes a tensor from data: `lt.tensor{{1, 2}, {3, 4}}`. Integers become int64, and booleans become bool. Floats, or a
mix of floats and integers, become the default float.
@function tensor
@param data nested tables, a number, a boolean, or a tensor (which is copied); for a complex dtype pairs {re, im}
@tparam[opt] table options `dtype`, `device`, `requires_grad`; data that does not fit the dtype is an error
@treturn tensor a new tensor
*/
static int l_tensor(lua_State *L) {
  int options = data_options(L, "tensor", tensor_options);
  const tensor *x = lua_isuserdata(L, 1) ? check_tensor(L, 1, "tensor") : NULL;
  enum dtype d = opt_dtype(L, options, "tensor", x ? x->dtype : DT_none);
  place where = opt_place(L, options, "tensor", x ? x->store->place : default_place(L));
  if (x) push_converted(L, "tensor", x, d, where);
  else push_data(L, "tensor", d, where);
  return finish_made(L, options, "tensor");
}

/***
Converts the data to a tensor. A tensor that already has the requested dtype and device is returned without a copy.
@function asarray
@param data nested tables, a number, a boolean, or a tensor
@tparam[opt] table options `dtype`, `device`, `requires_grad`, `copy`: true always copies, false raises an error if a
  copy is needed
@treturn tensor
*/
static int l_asarray(lua_State *L) {
  int options = data_options(L, "asarray", asarray_options);
  const tensor *x = lua_isuserdata(L, 1) ? check_tensor(L, 1, "asarray") : NULL;
  enum dtype d = opt_dtype(L, options, "asarray", x ? x->dtype : DT_none);
  place where = opt_place(L, options, "asarray", x ? x->store->place : default_place(L));
  bool must = opt_bool(L, options, "asarray", "copy", false), may = opt_bool(L, options, "asarray", "copy", true);
  if (x && !must && d == x->dtype && place_equal(where, x->store->place)) {
    lua_pushvalue(L, 1);
    return finish_made(L, options, "asarray");
  }
  if (!may) return luaL_error(L, "asarray: copy = false, but this data has to be copied");
  if (x) push_converted(L, "asarray", x, d, where);
  else push_data(L, "asarray", d, where);
  return finish_made(L, options, "asarray");
}

/* ---- to Lua values ---- */

/* Elements that were read from a tensor, and the type of Lua values that they become. */
typedef struct writer {
  const shape *shape;
  bool floats, booleans, complex;
  const staged *next;
} writer;

/* Pushes the next element as a Lua value, complex elements as {re, im}. */
static void push_value(lua_State *L, writer *w) {
  const staged *v = w->next++;
  if (w->complex) {
    lua_createtable(L, 2, 0);
    lua_pushnumber(L, v->f);
    lua_rawseti(L, -2, 1);
    lua_pushnumber(L, w->next++->f);
    lua_rawseti(L, -2, 2);
  } else if (w->floats) lua_pushnumber(L, v->f);
  else if (w->booleans) lua_pushboolean(L, v->i != 0);
  else lua_pushinteger(L, v->i);
}

static writer writer_of(const tensor *t) {
  int kind = dtype_kind(t->dtype);
  return (writer){.shape = &t->shape, .floats = kind == KIND_FLOAT, .complex = kind == KIND_COMPLEX,
                  .booleans = kind == KIND_BOOL};
}

/* Reads all elements of t as int64, float64 or complex128. Pushes the userdata that contains the elements, or nil if
** `small` contains them. */
static void push_elements(lua_State *L, const char *fn, const tensor *t, writer *w, staged *small) {
  staged *stage = push_stage(L, w->complex ? 2 * t->count : t->count, small);
  enum dtype as = w->complex ? DT_complex128 : w->floats ? DT_float64 : DT_int64;
  int st;
  TRY(L, t->store->place, st, host_read(t, as, stage));
  if (st != OK) raise(L, fn, st, &t, 1);
  warn_host_calls(L, t->store->place);
  w->next = stage;
}

/***
Returns the value of a tensor of one element, as a Lua number or boolean. Waits for the device. A uint64 becomes the Lua
integer with the same 64 bits.
@function item
@tparam tensor x
@return number or boolean; for complex numbers two values: the real and the imaginary part
*/
static int l_item(lua_State *L) {
  const tensor *t = check_tensor(L, 1, "item");
  staged small[SMALL];
  writer w = writer_of(t);
  if (t->count != 1)
    return luaL_error(L, "item: one element expected, shape %s has %I; use totable()", push_shape(L, &t->shape),
                      (LUAI_UACINT)t->count);
  push_elements(L, "item", t, &w, small);
  if (!w.complex) {
    push_value(L, &w);
    return 1;
  }
  lua_pushnumber(L, w.next[0].f);
  lua_pushnumber(L, w.next[1].f);
  return 2;
}

static void push_nested(lua_State *L, writer *w, int dim) {
  int64_t n = w->shape->dim[dim];
  lua_createtable(L, (int)n, 0);
  for (int64_t i = 1; i <= n; i++) {
    if (dim == w->shape->ndim - 1) push_value(L, w);
    else push_nested(L, w, dim + 1);
    lua_rawseti(L, -2, i);
  }
}

/* Returns the bytes of nested tables of shape s and of the copy of the elements that push_elements makes. A table takes
** 80 bytes. A real element takes 16 bytes in its table and 8 bytes in the copy. A complex element takes 16 bytes in its
** table, a table of two numbers, and 16 bytes in the copy. Measured with glibc: exact within 1 % for all shapes. */
static double table_bytes(const shape *s, bool complex) {
  double tables = 1, bytes = 0;
  for (int d = 0; d < s->ndim; d++) {
    bytes += tables * (80 + 16 * (double)s->dim[d]);
    tables *= (double)s->dim[d];
  }
  return bytes + (complex ? 112 + 16 : 8) * tables;
}

/***
Returns all elements as nested tables, complex elements as {re, im}. A 0-d tensor becomes a number or boolean. Waits for
the device.
@function totable
@tparam tensor x
@return table, number or boolean
*/
static int l_totable(lua_State *L) {
  const tensor *t = check_tensor(L, 1, "totable");
  staged small[SMALL];
  writer w = writer_of(t);
  for (int d = 0; d < t->shape.ndim && t->shape.dim[d] > 0; d++)
    if (t->shape.dim[d] > INT32_MAX) return luaL_error(L, "totable: too many elements for a table");
  const char *no_room = push_no_room(L, table_bytes(&t->shape, dtype_kind(t->dtype) == KIND_COMPLEX));
  if (no_room) return luaL_error(L, "totable: %s", no_room);
  luaL_checkstack(L, 2 * MAX_DIMS, "totable");
  push_elements(L, "totable", t, &w, small);
  if (t->shape.ndim == 0) push_value(L, &w);
  else push_nested(L, &w, 0);
  return 1;
}

/* ---- excerpts, for printing ---- */

/* excerpt(x, edge): returns the elements that printing shows, as a flat list in row-major order. These are the first
** and last `edge` elements of every dim longer than 2 edge. These elements are gathered on x's device, so that there
** is one transfer, whatever the size of x. */
static int l_excerpt(lua_State *L) {
  const tensor *t = check_tensor(L, 1, "tostring"), *shown = t;
  int64_t edge = luaL_checkinteger(L, 2);
  luaL_argcheck(L, 0 <= edge && edge <= INT64_MAX / 2, 2, "not a number of elements");
  shape s = t->shape;
  for (int d = 0; d < s.ndim; d++)
    if (s.dim[d] > 2 * edge) s.dim[d] = 2 * edge;
  if (!shape_equal(&s, &t->shape)) {
    tensor *ends = push_tensor(L, "tostring", t->dtype, &s, t->store->place);
    int st = host_ends(t, ends);
    if (st != OK) return raise(L, "tostring", st, &t, 1);
    shown = ends;
  }
  staged small[SMALL];
  writer w = writer_of(shown);
  push_elements(L, "tostring", shown, &w, small);
  lua_createtable(L, (int)shown->count, 0);
  for (int64_t i = 1; i <= shown->count; i++) {
    push_value(L, &w);
    lua_rawseti(L, -2, i);
  }
  return 1;
}

/* ---- bytes ---- */

/***
Returns the elements as a string: row-major, in native byte order. `string.unpack` can read it.
@function to_bytes
@tparam tensor x
@return string of x.size elements
*/
static int l_to_bytes(lua_State *L) {
  const tensor *t = check_tensor(L, 1, "to_bytes");
  int64_t bytes;
  luaL_Buffer b;
  if (shape_count(&t->shape, dtype_size(t->dtype), &bytes) != OK) return raise(L, "to_bytes", ERR_OVERFLOW, &t, 1);
  size_t size = (size_t)t->count * (size_t)dtype_size(t->dtype);
  const void *elements = host_elements(t);
  if (elements) {
    lua_pushlstring(L, size ? elements : "", size);
    return 1;
  }
  int st;
  char *to = luaL_buffinitsize(L, &b, size);
  TRY(L, t->store->place, st, host_read(t, t->dtype, to));
  if (st != OK) return raise(L, "to_bytes", st, &t, 1);
  luaL_pushresultsize(&b, size);
  return 1;
}

static const char *const create_options[] = {"dtype", "device", MADE_OPTIONS, NULL};

/***
Makes a tensor from the bytes of its elements: row-major, in native byte order.
@function from_bytes
@string s
@param shape table of sizes, or one size
@tparam[opt] table options `dtype` (the default float), `device` (the default device), `requires_grad` (false)
@treturn tensor a new tensor
*/
static int l_from_bytes(lua_State *L) {
  int nargs, options = check_options(L, "from_bytes", create_options, &nargs);
  size_t have;
  shape s;
  int64_t count;
  if (nargs != 2)
    return luaL_error(L, "from_bytes: string and shape expected, got %d arguments%s", nargs,
                      push_positions(L, "from_bytes", 3, nargs));
  if (lua_type(L, 1) != LUA_TSTRING) return luaL_error(L, "from_bytes: string expected, got %s", type_name(L, 1));
  const char *bytes = lua_tolstring(L, 1, &have);
  check_shape(L, 2, 2, "from_bytes", &s);
  enum dtype d = opt_dtype(L, options, "from_bytes", dtype_default_float());
  place where = opt_place(L, options, "from_bytes", default_place(L));
  int st = shape_count(&s, dtype_size(d), &count);
  if (st != OK) return raise(L, "from_bytes", st, NULL, 0);
  if ((size_t)count * (size_t)dtype_size(d) != have)
    return luaL_error(L, "from_bytes: shape %s of %s takes %I bytes, the string has %I", push_shape(L, &s),
                      dtypes[d].name, (LUAI_UACINT)(count * dtype_size(d)), (LUAI_UACINT)have);
  tensor *t = push_tensor(L, "from_bytes", d, &s, where);
  if ((uintptr_t)bytes % (uintptr_t)dtype_size(d) != 0) {     /* a Lua string may be unaligned */
    void *aligned = lua_newuserdatauv(L, have, 0);
    bytes = memcpy(aligned, bytes, have);
    lua_insert(L, -2);
  }
  TRY(L, where, st, host_write(t, d == DT_bool ? DT_uint8 : d, bytes));     /* bytes other than 0 and 1 become true */
  return st == OK ? finish_made(L, options, "from_bytes") : raise(L, "from_bytes", st, (const tensor *const *)&t, 1);
}

/***
Returns the address of the first element, on the tensor's device, as an integer for FFI.
@function data_ptr
@tparam tensor x
@return integer
*/
static int l_data_ptr(lua_State *L) {
  const tensor *t = check_tensor(L, 1, "data_ptr");
  t->store->exported = true;
  lua_pushinteger(L, (lua_Integer)(intptr_t)tensor_data(t));
  return 1;
}

static const function_row functions[] = {
  {"tensor", l_tensor, ANY}, {"asarray", l_asarray, ANY}, {"from_bytes", l_from_bytes, 3}, {"excerpt", l_excerpt, INTERNAL},
  {NULL, NULL, 0}
};
static const function_row methods[] = {
  {"item", l_item, 1}, {"totable", l_totable, 1}, {"to_bytes", l_to_bytes, 1}, {"data_ptr", l_data_ptr, 1},
  {NULL, NULL, 0}
};

void open_convert(lua_State *L) {
  add_functions(L, functions);
  add_methods(L, methods);
}
