/* Functions that return all or some elements of a tensor in another shape or order. The result is a view, a tensor that
** shares the memory of the first tensor, unless the strides require a copy. The file also has x.shape and the iterator
** over rows. */

#include <string.h>

#include "base/view.h"
#include "lua/args.h"
#include "lua/register.h"

/* ---- x.shape ---- */

static const char shape_class = 0;

static void push_shape_table(lua_State *L, const shape *s) {
  lua_createtable(L, s->ndim, 0);
  for (int d = 0; d < s->ndim; d++) {
    lua_pushinteger(L, s->dim[d]);
    lua_rawseti(L, -2, d + 1);
  }
  lua_rawgetp(L, LUA_REGISTRYINDEX, &shape_class);
  lua_setmetatable(L, -2);
}

/* x.shape == y.shape, or x.shape == {2, 3}: true if all lengths are equal. */
static int l_shape_equal(lua_State *L) {
  bool equal = lua_istable(L, 1) && lua_istable(L, 2) && lua_rawlen(L, 1) == lua_rawlen(L, 2);
  for (lua_Integer d = 1, n = equal ? (lua_Integer)lua_rawlen(L, 1) : 0; equal && d <= n; d++) {
    lua_rawgeti(L, 1, d);
    lua_rawgeti(L, 2, d);
    equal = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
  }
  lua_pushboolean(L, equal);
  return 1;
}

static int l_shape_tostring(lua_State *L) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addchar(&b, '[');
  for (lua_Integer d = 1, n = (lua_Integer)lua_rawlen(L, 1); d <= n; d++) {
    if (d > 1) luaL_addstring(&b, ", ");
    lua_rawgeti(L, 1, d);
    luaL_tolstring(L, -1, NULL);
    lua_remove(L, -2);
    luaL_addvalue(&b);
  }
  luaL_addchar(&b, ']');
  luaL_pushresult(&b);
  return 1;
}

/* "of shape " .. x.shape: converts both operands to strings and joins them. */
static int l_shape_concat(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  luaL_tolstring(L, 2, NULL);
  lua_concat(L, 2);
  return 1;
}

static int l_shape_call(lua_State *L) {
  return luaL_error(L, "shape: x.shape is a list, not a method; leave out the parentheses");
}

static const luaL_Reg shape_meta[] = {
  {"__call", l_shape_call}, {"__eq", l_shape_equal}, {"__tostring", l_shape_tostring}, {"__concat", l_shape_concat}, {NULL, NULL}
};

/* ---- arguments ---- */

/* Reads integers from arguments first … last, or from one table; returns their number. */
static int check_integers(lua_State *L, int first, int last, const char *fn, const char *what, int64_t *to) {
  if (last < first && lua_isnil(L, first)) last = first;             /* an explicit nil raises an error */
  bool table = first == last && lua_istable(L, first);
  int n = table ? (int)lua_rawlen(L, first) : last - first + 1;
  if (n > MAX_DIMS) luaL_error(L, "%s: more than %d dims", fn, MAX_DIMS);
  for (int k = 0; k < n; k++) {
    if (table) lua_rawgeti(L, first, k + 1);
    to[k] = check_integer(L, table ? -1 : first + k, fn, what);
    if (table) lua_pop(L, 1);
  }
  return n;
}

/* Reads dims from arguments first … last, which are numbers or one table. Each dim must be in 1 … ndim or -ndim … -1,
** and may occur only once. Stores the 0-based dims in `to`, and returns their number. */
static int check_dim_list(lua_State *L, int first, int last, const char *fn, const shape *s, int *to) {
  int64_t dims[MAX_DIMS];
  uint32_t seen = 0;
  int n = check_integers(L, first, last, fn, "dim", dims);
  for (int k = 0; k < n; k++) {
    lua_pushinteger(L, dims[k]);
    to[k] = check_dim_of(L, -1, fn, s);
    lua_pop(L, 1);
    if (seen & 1u << to[k]) luaL_error(L, "%s: dim %I is named twice", fn, (LUAI_UACINT)dims[k]);
    seen |= 1u << to[k];
  }
  return n;
}

/* Reads a dim argument; returns `otherwise` if the argument is missing. */
static int optional_dim(lua_State *L, int i, const char *fn, const shape *s, int otherwise) {
  return lua_isnoneornil(L, i) ? otherwise : check_dim_of(L, i, fn, s);
}

/* Records, for gradients, that the tensor at the top of the stack is a view of the tensor at index 1. Returns 1. The
** gradient needs no argument of the call. */
static int finish_view(lua_State *L, const char *name) {
  return finish_record(L, &(op_record){.name = name, .nin = 1, .in = {1}});
}

/* Like finish_view, for a view whose gradient needs the arguments 2 … last. */
static int finish_part(lua_State *L, const char *name, int last) {
  return finish_record(L, &(op_record){.name = name, .nin = 1, .in = {1}, .first = 2, .last = (short)last});
}

/* Like finish_view, for a view whose dim d is dim order[d] of the tensor at index 1. */
static int finish_order(lua_State *L, const int *order) {
  return finish_record(L, &(op_record){.name = "permute_dims", .params = &(op_params){.order = order}, .nin = 1, .in = {1}});
}

/* Pushes a view of x, the tensor at index 1, with dims a and b swapped. */
static int push_swapped(lua_State *L, const tensor *x, int a, int b) {
  int order[MAX_DIMS];
  for (int d = 0; d < x->shape.ndim; d++) order[d] = d == a ? b : d == b ? a : d;
  view_swap(push_view(L, x), a, b);
  return finish_order(L, order);
}

static int raise_ndim(lua_State *L, const char *fn) { return raise(L, fn, ERR_NDIM, NULL, 0); }

/* ---- shape ---- */

/* Reads the sizes of a new shape from arguments first … last, for a tensor of shape `from` with `count` elements. One
** size may be -1: it follows from the other sizes. */
static void check_new_shape(lua_State *L, int first, int last, const char *fn, const shape *from, int64_t count, shape *to) {
  int unknown = -1;
  int64_t known = 1;
  to->ndim = check_integers(L, first, last, fn, "size", to->dim);
  for (int d = 0; d < to->ndim; d++) {
    if (to->dim[d] == -1) {
      if (unknown >= 0) luaL_error(L, "%s: only one size can be -1", fn);
      unknown = d;
    } else if (to->dim[d] < 0) luaL_error(L, "%s: size %I is negative", fn, (LUAI_UACINT)to->dim[d]);
    else if (to->dim[d] == 0) known = 0;
    else if (__builtin_mul_overflow(known, to->dim[d], &known)) raise(L, fn, ERR_OVERFLOW, NULL, 0);
  }
  if (unknown >= 0 && known > 0 && count % known == 0) to->dim[unknown] = count / known;
  else if (unknown >= 0 || known != count) {
    const char *a = push_shape(L, from), *b = push_shape(L, to);
    if (unknown < 0) luaL_error(L, "%s: %s has %I elements, %s has %I", fn, a, (LUAI_UACINT)count, b, (LUAI_UACINT)known);
    luaL_error(L, "%s: %s has %I elements, no size for -1 in %s gives that", fn, a, (LUAI_UACINT)count, b);
  }
}

/* Pushes x in shape `to`. The result is a view if `view` is set and the strides of x allow one, else a contiguous
** copy. If the view is impossible and `copy` is false, raises an error. */
static int push_reshaped(lua_State *L, const char *fn, const tensor *x, const shape *to, bool view, bool copy) {
  if (view) {
    tensor *t = push_view(L, x);
    if (view_reshape(t, to)) return finish_view(L, "reshape");
    lua_pop(L, 1);
    if (!copy) return luaL_error(L, "%s: this layout needs a copy, and copy is false", fn);
  }
  tensor *t = push_tensor_later(L, fn, x->dtype, &x->shape, x->store->place);
  int st;
  TRY(L, x->store->place, st, op_copy_later(t, x));
  if (st != OK) return raise(L, fn, st, (const tensor *[]){t, x}, 2);
  view_reshape(t, to);
  return finish_view(L, "reshape");
}

static const char *const reshape_options[] = {"copy", NULL};

static const char *const dim_option[] = {"dim", NULL};

/*** Returns the same elements, in row-major order, in another shape. The result is a view if the layout allows, else a
copy.
@function reshape
@tparam Tensor x
@param ... sizes, or one table of sizes; one size may be -1, which is computed from the others
@tparam[opt] table options `copy`: true always copies, false never copies (an error if a copy is needed)
@treturn Tensor
*/
static int l_reshape(lua_State *L) {
  int nargs, options = check_options(L, "reshape", reshape_options, &nargs);
  const tensor *x = check_tensor_later(L, 1, "reshape");
  shape to;
  check_new_shape(L, 2, nargs, "reshape", &x->shape, x->count, &to);
  bool view = !opt_bool(L, options, "reshape", "copy", false);
  return push_reshaped(L, "reshape", x, &to, view, opt_bool(L, options, "reshape", "copy", true));
}

/*** Merges dims first … last into one. A 0-d tensor becomes 1-d.
@function flatten
@tparam Tensor x
@tparam[opt=1] int first
@tparam[opt=-1] int last
@treturn Tensor a view if the layout allows
*/
static int l_flatten(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "flatten");
  shape to = {.ndim = 0};
  if (x->shape.ndim == 0) to = (shape){1, {1}};
  else {
    int first = optional_dim(L, 2, "flatten", &x->shape, 0);
    int last = optional_dim(L, 3, "flatten", &x->shape, x->shape.ndim - 1);
    if (first > last) return luaL_error(L, "flatten: dim %d comes after dim %d", first + 1, last + 1);
    for (int d = 0; d < x->shape.ndim; d++) {
      if (d <= first || d > last) to.dim[to.ndim++] = x->shape.dim[d];
      else if (__builtin_mul_overflow(to.dim[first], x->shape.dim[d], &to.dim[first]))   /* overflows only if another
                                                                                         ** dim is 0 */
        return raise(L, "flatten", ERR_OVERFLOW, NULL, 0);
    }
  }
  return push_reshaped(L, "flatten", x, &to, true, true);
}

/*** Splits one dim into several.
@function unflatten
@tparam Tensor x
@tparam int dim
@tparam table sizes the lengths of the new dims; one may be -1, which is computed from the others
@treturn Tensor a view
*/
static int l_unflatten(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "unflatten");
  int dim = check_dim_of(L, 2, "unflatten", &x->shape);
  if (!lua_istable(L, 3)) return luaL_error(L, "unflatten: table of sizes expected, got %s", type_name(L, 3));
  shape from = {1, {x->shape.dim[dim]}}, sizes, to = x->shape;
  check_new_shape(L, 3, 3, "unflatten", &from, from.dim[0], &sizes);
  if (to.ndim - 1 + sizes.ndim > MAX_DIMS) return raise_ndim(L, "unflatten");
  memmove(to.dim + dim + sizes.ndim, to.dim + dim + 1, sizeof *to.dim * (size_t)(to.ndim - dim - 1));
  memcpy(to.dim + dim, sizes.dim, sizeof *to.dim * (size_t)sizes.ndim);
  to.ndim += sizes.ndim - 1;
  return push_reshaped(L, "unflatten", x, &to, true, true);
}

/*** Stretches dims of length 1, and adds dims in front.
@function broadcast_to
@tparam Tensor x
@param ... sizes, or one table of sizes
@treturn Tensor a view, which cannot be written if it is stretched
*/
static int l_broadcast_to(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "broadcast_to");
  shape to;
  int64_t count;
  check_shape(L, 2, count_arguments(L), "broadcast_to", &to);
  if (shape_count(&to, dtype_size(x->dtype), &count) != OK) return raise(L, "broadcast_to", ERR_OVERFLOW, NULL, 0);
  tensor *t = push_view(L, x);
  if (view_broadcast(t, &to) == OK) return finish_view(L, "broadcast_to");
  return luaL_error(L, "broadcast_to: %s does not broadcast to %s", push_shape(L, &x->shape), push_shape(L, &to));
}

/*** Adds dims of length 1.
@function expand_dims
@tparam Tensor x
@tparam int|table dim the positions of the new dims in the result; also option `dim`
@treturn Tensor a view
*/
static int l_expand_dims(lua_State *L) {
  int nargs;
  check_dim_option(L, "expand_dims", dim_option, &nargs, 2);
  const tensor *x = check_tensor_later(L, 1, "expand_dims");
  lua_settop(L, 2);
  bool table = lua_istable(L, 2);
  lua_Unsigned n = table ? lua_rawlen(L, 2) : 1;
  if (n > (lua_Unsigned)(MAX_DIMS - x->shape.ndim)) return raise_ndim(L, "expand_dims");
  uint32_t added = 0;
  for (int k = 1; k <= (int)n; k++) {
    if (table) lua_rawgeti(L, 2, k);
    uint32_t bit = 1u << check_dim(L, -1, "expand_dims", x->shape.ndim + (int)n);
    if (added & bit) return luaL_error(L, "expand_dims: dim %I is named twice", (LUAI_UACINT)lua_tointeger(L, -1));
    added |= bit;
  }
  tensor *t = push_view(L, x);
  for (int d = 0; added >> d; d++)
    if (added >> d & 1) view_insert(t, d, 1, 0);
  return finish_view(L, "reshape");
}

/*** Removes dims of length 1.
@function squeeze
@tparam Tensor x
@tparam[opt] int|table dim the dims to remove, by default all dims of length 1; also option `dim`
@treturn Tensor a view
*/
static int l_squeeze(lua_State *L) {
  int nargs;
  check_dim_option(L, "squeeze", dim_option, &nargs, 2);
  const tensor *x = check_tensor_later(L, 1, "squeeze");
  bool all = lua_isnoneornil(L, 2);
  uint32_t dims = check_dims(L, 2, "squeeze", &x->shape);
  for (int d = 0; d < x->shape.ndim && !all; d++)
    if (dims >> d & 1 && x->shape.dim[d] != 1)
      return luaL_error(L, "squeeze: dim %d of %s has length %I", d + 1, push_shape(L, &x->shape),
                        (LUAI_UACINT)x->shape.dim[d]);
  tensor *t = push_view(L, x);
  for (int d = t->shape.ndim - 1; d >= 0; d--)
    if (dims >> d & 1 && t->shape.dim[d] == 1) view_remove(t, d);
  return finish_view(L, "reshape");
}

/* ---- order of dims ---- */

/*** Reorders the dims.
@function permute_dims
@tparam Tensor x
@param ... every dim once, or one table of all dims: dim d of the result is dim order[d] of x
@treturn Tensor a view
*/
static int l_permute_dims(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "permute_dims");
  int order[MAX_DIMS], n = check_dim_list(L, 2, count_arguments(L), "permute_dims", &x->shape, order);
  if (n != x->shape.ndim) return luaL_error(L, "permute_dims: %d dims named, the tensor has %d", n, x->shape.ndim);
  view_permute(push_view(L, x), order);
  return finish_order(L, order);
}

/*** Moves dims to new positions. The other dims keep their order.
@function moveaxis
@tparam Tensor x
@tparam int|table source the dims to move
@tparam int|table destination the positions of these dims in the result
@treturn Tensor a view
*/
static int l_moveaxis(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "moveaxis");
  int from[MAX_DIMS], to[MAX_DIMS], order[MAX_DIMS], ndim = x->shape.ndim, next = 0;
  int n = check_dim_list(L, 2, 2, "moveaxis", &x->shape, from), m = check_dim_list(L, 3, 3, "moveaxis", &x->shape, to);
  if (n != m) return luaL_error(L, "moveaxis: %d dims to move, %d places for them", n, m);
  uint32_t moved = 0;
  for (int d = 0; d < ndim; d++) order[d] = -1;
  for (int k = 0; k < n; k++) { order[to[k]] = from[k]; moved |= 1u << from[k]; }
  for (int d = 0; d < ndim; d++) {
    if (order[d] >= 0) continue;
    while (moved >> next & 1) next++;
    order[d] = next++;
  }
  view_permute(push_view(L, x), order);
  return finish_order(L, order);
}

/*** Exchanges two dims.
@function swapaxes
@tparam Tensor x
@tparam int a
@tparam int b
@treturn Tensor a view
*/
static int l_swapaxes(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "swapaxes");
  int a = check_line_dim(L, 2, "swapaxes", &x->shape), b = check_line_dim(L, 3, "swapaxes", &x->shape);
  return push_swapped(L, x, a, b);
}

static int get_T(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "T");
  if (x->shape.ndim != 2)
    return luaL_error(L, "T: 2 dims expected, the shape is %s; use mT or permute_dims", push_shape(L, &x->shape));
  return push_swapped(L, x, 0, 1);
}

static int get_mT(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "mT");
  int n = x->shape.ndim;
  if (n < 2)
    return luaL_error(L, "mT: at least 2 dims expected, the shape is %s", push_shape(L, &x->shape));
  return push_swapped(L, x, n - 2, n - 1);
}

/* ---- parts ---- */

/*** Selects `length` elements of a dim, from `start` on.
@function narrow
@tparam Tensor x
@tparam int dim
@tparam int start the position of the first element; a negative number counts from the end
@tparam int length
@treturn Tensor a view
*/
static int l_narrow(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "narrow");
  int dim = check_dim_of(L, 2, "narrow", &x->shape);
  int64_t start = check_integer(L, 3, "narrow", "start"), length = check_integer(L, 4, "narrow", "length");
  int64_t n = x->shape.dim[dim];
  if (start == 0) return luaL_error(L, "narrow: start 0: Lua tensors start at 1");
  int64_t first = start > 0 ? start - 1 : n + start;
  if (first < 0 || length < 0 || first > n || length > n - first)
    return luaL_error(L, "narrow: %I elements from %I on: out of range for dim %d of length %I", (LUAI_UACINT)length,
                      (LUAI_UACINT)start, dim + 1, (LUAI_UACINT)n);
  view_range(push_view(L, x), dim, first, 1, length);
  return finish_part(L, "narrow", 4);
}

/*** Reverses the order of elements along dims.
@function flip
@tparam Tensor x
@tparam[opt] int|table dim by default all dims; also option `dim`
@treturn Tensor a view
*/
static int l_flip(lua_State *L) {
  int nargs;
  check_dim_option(L, "flip", dim_option, &nargs, 2);
  const tensor *x = check_tensor_later(L, 1, "flip");
  uint32_t dims = check_dims(L, 2, "flip", &x->shape);
  tensor *t = push_view(L, x);
  for (int d = 0; d < x->shape.ndim; d++)
    if (dims >> d & 1) view_range(t, d, x->shape.dim[d] - 1, -1, x->shape.dim[d]);
  return finish_record(L, &(op_record){.name = "flip", .params = &(op_params){.dims = dims}, .nin = 1, .in = {1}});
}

static const char *const diagonal_options[] = {"offset", "dim1", "dim2", NULL};

/* Returns option `name` as a dim. Returns `otherwise` if the option is not given. */
static int opt_dim(lua_State *L, int options, const char *fn, const char *name, const shape *s, int otherwise) {
  if (!options) return otherwise;
  push_option(L, options, name);
  int d = optional_dim(L, lua_gettop(L), fn, s, otherwise);
  lua_pop(L, 1);
  return d;
}

/*** Returns the diagonals of the matrices in dims `dim1` and `dim2`, as the last dim of the result.
@function diagonal
@tparam Tensor x
@tparam[opt=0] int offset the number of diagonals above the main diagonal, or below it if negative
@tparam[opt] table options `offset`, `dim1` (-2), `dim2` (-1)
@treturn Tensor a view
*/
static int l_diagonal(lua_State *L) {
  int nargs, options = check_options(L, "diagonal", diagonal_options, &nargs), ndim;
  const tensor *x = check_tensor_later(L, 1, "diagonal");
  if (nargs > 2) return raise_most(L, "diagonal", 2, nargs);
  if ((ndim = x->shape.ndim) < 2)
    return luaL_error(L, "diagonal: at least 2 dims expected, the shape is %s", push_shape(L, &x->shape));
  int64_t offset = nargs >= 2 && !lua_isnil(L, 2) ? check_integer(L, 2, "diagonal", "offset") : 0;
  int rows = opt_dim(L, options, "diagonal", "dim1", &x->shape, ndim - 2);
  int columns = opt_dim(L, options, "diagonal", "dim2", &x->shape, ndim - 1);
  if (options && push_option(L, options, "offset") != LUA_TNIL) {
    if (nargs == 2 && !lua_isnil(L, 2)) return luaL_error(L, "diagonal: offset is given twice");
    offset = check_integer(L, -1, "diagonal", "offset");
  }
  if (rows == columns) return luaL_error(L, "diagonal: dim1 and dim2 are both %d", rows + 1);
  if (offset > x->shape.dim[columns]) offset = x->shape.dim[columns];     /* an offset beyond the corner gives an empty
                                                                          ** diagonal */
  if (offset < -x->shape.dim[rows]) offset = -x->shape.dim[rows];
  view_diagonal(push_view(L, x), rows, columns, offset);
  return finish_part(L, "diagonal", options ? options : nargs);
}

/* ---- iteration ---- */

/* The step of a generic for: returns i and x[i] for the index i that follows argument 2. */
static int next_row(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "rows");
  lua_Integer i = lua_tointeger(L, 2);
  if (i >= x->shape.dim[0]) return 0;
  lua_pushinteger(L, i + 1);
  lua_pushvalue(L, 3);                      /* replaces argument 2, from which the gradient reads the index, by i + 1 */
  lua_replace(L, 2);
  view_select(push_view(L, x), 0, i);
  return 1 + finish_part(L, "index", 2);
}

/*** Returns an iterator for the generic for: `for i, row in x:rows() do`. `pairs(x)` is the same.
@function rows
@tparam Tensor x
*/
static int l_rows(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "rows");
  if (x->shape.ndim == 0) return luaL_error(L, "rows: a 0-d tensor has no rows");
  lua_pushcfunction(L, next_row);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}

/* ---- shapes alone ---- */

/*** Returns the shape to which shapes broadcast.
@function broadcast_shapes
@tparam table ... shapes
@treturn table
*/
static int l_broadcast_shapes(lua_State *L) {
  shape s = {.ndim = 0}, with;
  int n = lua_gettop(L);
  for (int i = 1; i <= n; i++) {
    if (!lua_istable(L, i)) return luaL_error(L, "broadcast_shapes: argument %d: table expected, got %s", i, type_name(L, i));
    check_shape(L, i, i, "broadcast_shapes", &with);
    tensor a = {.shape = s}, b = {.shape = with};
    int st = shape_broadcast(&s, &with);
    if (st != OK) return raise(L, "broadcast_shapes", st, (const tensor *[]){&a, &b}, 2);
  }
  push_shape_table(L, &s);
  return 1;
}

static int get_shape(lua_State *L) {
  push_shape_table(L, &check_tensor_later(L, 1, "shape")->shape);
  return 1;
}

static const luaL_Reg properties[] = {{"shape", get_shape}, {"T", get_T}, {"mT", get_mT}, {NULL, NULL}};

static const function_row functions[] = {{"broadcast_shapes", l_broadcast_shapes, ANY}, {NULL, NULL, 0}};

static const function_row methods[] = {
  {"reshape", l_reshape, ANY}, {"flatten", l_flatten, 3}, {"unflatten", l_unflatten, 3},
  {"broadcast_to", l_broadcast_to, ANY}, {"expand_dims", l_expand_dims, 2}, {"squeeze", l_squeeze, 2},
  {"permute_dims", l_permute_dims, ANY}, {"moveaxis", l_moveaxis, 3}, {"swapaxes", l_swapaxes, 3},
  {"narrow", l_narrow, 4}, {"flip", l_flip, 2}, {"diagonal", l_diagonal, 3}, {"rows", l_rows, 1}, {NULL, NULL, 0}
};

void open_view(lua_State *L) {
  luaL_newlib(L, shape_meta);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &shape_class);
  add_functions(L, functions);
  add_methods(L, methods);
  add_properties(L, properties);
  add_metamethods(L, (luaL_Reg[]){{"__pairs", l_rows}, {NULL, NULL}});
}
