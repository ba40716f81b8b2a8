/* Functions that read and write by index tensors, search sorted rows, and join tensors: take, gather, scatter,
** searchsorted, concat and others. */

#include <string.h>

#include "base/view.h"
#include "lua/array/index.h"
#include "lua/on_lines.h"
#include "lua/register.h"
#include "op/deferral.h"

static const char *const out_options[] = {"out", NULL};
static const char *const dim_options[] = {"dim", "out", NULL};

static void expect_arguments(lua_State *L, const char *fn, int n, int least, int most) {
  if (n < least || n > most) raise_count(L, fn, least, most, n);
}

/* Pushes the tensor for a result of dtype d and shape s: option out, if the script gave it, else a new tensor. Option
** out must have this dtype and shape, and must not overlap the inputs `in`. */
static tensor *push_result(lua_State *L, const char *fn, int options, enum dtype d, const shape *s, const tensor *const *in, int nin) {
  tensor *out = opt_out_later(L, options, fn);
  if (!out) return push_tensor_later(L, fn, d, s, in[0]->store->place);
  push_out(L, options, fn, out);
  if (!place_equal(out->store->place, in[0]->store->place)) raise(L, fn, ERR_DEVICES, (const tensor *[]){out, in[0]}, 2);
  int st = check_target(out, s, d, in, nin);
  if (st == OK && out->dtype != d) st = ERR_CAST;
  if (st != OK) raise(L, fn, st, (const tensor *[]){out}, 1);
  return out;
}

/* ---- reading ---- */

/* Runs job j, which reads x at the positions in `indices`. The result goes to a new tensor or to option out. */
static int run_get(lua_State *L, const char *fn, int options, index_job *j, const tensor *x, const tensor *indices, int dim) {
  tensor *out = push_result(L, fn, options, x->dtype, &j->shape, (const tensor *[]){x, indices}, 2);
  run_index_later(L, fn, j, out, &dim);
  short at = strcmp(fn, "gather") == 0 ? 3 : 2;         /* the stack index of argument `indices` or `index` */
  return finish_record(L, &(op_record){.name = fn, .params = &(op_params){.dim = dim}, .nin = 1, .in = {1}, .first = at,
                                       .last = at, .in_place = options != 0});
}

/*** Returns the elements of x at positions along a dim: `x[{…, indices, …}]`.
@function take
@tparam Tensor x
@tparam Tensor indices integers of any shape; negative numbers count from the end
@tparam[opt] int dim required unless x is 1-d
@tparam[opt] table options `dim`, `out`
@treturn Tensor of the shape of x, with dim replaced by the dims of indices
*/
static int l_take(lua_State *L) {
  int nargs, options = check_dim_option(L, "take", dim_options, &nargs, 3);
  expect_arguments(L, "take", nargs, 2, 3);
  const tensor *x = check_tensor_later(L, 1, "take"), *t = to_indices(L, "take", "indices", check_tensor_later(L, 2, "take"));
  if (lua_isnil(L, 3)) nargs = 2;
  if (nargs < 3 && x->shape.ndim != 1) return luaL_error(L, "take: a tensor of %d dims needs a dim", x->shape.ndim);
  int dim = nargs < 3 ? 0 : check_dim_of(L, 3, "take", &x->shape);
  if (x->shape.ndim - 1 + t->shape.ndim > MAX_DIMS) return raise(L, "take", ERR_NDIM, NULL, 0);
  index_job j;
  index_start(&j, INDEX_get, x);
  for (int d = 0; d < x->shape.ndim; d++) {
    if (d != dim) { index_dim(&j, x, d); continue; }
    for (int k = 0; k < t->shape.ndim; k++) {
      j.stride[j.shape.ndim] = 0;
      j.shape.dim[j.shape.ndim++] = t->shape.dim[k];
    }
  }
  index_add_input(&j, t, dim, t->shape.ndim, x, dim);
  return run_get(L, "take", options, &j, x, t, dim);
}

/* Starts index job j with operation `op` on x. The job has one position for each element of shape s. t contains the
** index along dim for each position. In the other dims, a dim of x with length 1 is broadcast to the length in s. */
static void start_along(index_job *j, enum index_op op, const tensor *x, const tensor *t, const shape *s, int dim) {
  index_start(j, op, x);
  j->shape = *s;
  for (int d = 0; d < s->ndim; d++)                  /* an index without elements may have more dims than x */
    j->stride[d] = d >= x->shape.ndim || d == dim || x->shape.dim[d] == 1 ? 0 : x->stride[d];
  index_add_input(j, t, 0, s->ndim, x, dim);
}

/* True if x or the index is 0-d, and neither has more than 1 dim. */
static bool has_points(lua_State *L) {
  const tensor *x = test_tensor(L, 1), *t = test_tensor(L, 3);
  return (is_0d(L, 1) || is_0d(L, 3)) && t && x->shape.ndim <= 1 && t->shape.ndim <= 1;
}

/* Checks the index of gather and scatter. The index must have as many dims as x, and may be longer than x only in
** dim. */
static const tensor *check_index(lua_State *L, const char *fn, int i, const tensor *x, int dim) {
  const tensor *t = check_tensor_later(L, i, fn);
  bool fits = t->shape.ndim == x->shape.ndim;
  for (int d = 0; fits && d < t->shape.ndim; d++) fits = d == dim || t->shape.dim[d] <= x->shape.dim[d];
  if (!fits)
    luaL_error(L, "%s: index of shape %s does not fit %s along dim %d", fn, push_shape(L, &t->shape),
               push_shape(L, &x->shape), dim + 1);
  return to_indices(L, fn, "index", t);
}

/*** Returns elements along a dim, where each position has its own index: `out[i][j] = x[index[i][j]][j]` for dim 1.
@function gather
@tparam Tensor x
@tparam int dim
@tparam Tensor index integers, with as many dims as x; only in dim may it be longer than x
@tparam[opt] table options `out`
@treturn Tensor of index's shape
*/
static int l_gather(lua_State *L) {
  int nargs, options = check_options(L, "gather", out_options, &nargs);
  expect_arguments(L, "gather", nargs, 3, 3);
  const tensor *x = check_tensor_later(L, 1, "gather");
  int dim = check_line_dim(L, 2, "gather", &x->shape);
  if (has_points(L)) return call_on_lines(L, "gather", l_gather, 1 << 1 | 1 << 3, 3);
  const tensor *t = check_tensor_later(L, 3, "gather");
  t = t->count > 0 ? check_index(L, "gather", 3, x, dim) : to_indices(L, "gather", "index", t);
  index_job j;
  start_along(&j, INDEX_get, x, t, &t->shape, dim);
  return run_get(L, "gather", options, &j, x, t, dim);
}

/*** Returns elements along a dim, like gather, but x and indices broadcast in all other dims.
@function take_along_axis
@tparam Tensor x
@tparam Tensor indices integers, with as many dims as x
@tparam[opt=-1] int dim
@tparam[opt] table options `dim`, `out`
@treturn Tensor
*/
static int l_take_along_axis(lua_State *L) {
  const char *fn = "take_along_axis";
  int nargs, options = check_dim_option(L, fn, dim_options, &nargs, 3);
  expect_arguments(L, fn, nargs, 2, 3);
  const tensor *x = check_tensor_later(L, 1, fn), *t = check_tensor_later(L, 2, fn);
  shape others = x->shape;
  if (x->shape.ndim == 0 || t->shape.ndim != x->shape.ndim)
    return luaL_error(L, "%s: x has %d dims, indices %d", fn, x->shape.ndim, t->shape.ndim);
  int dim = nargs < 3 || lua_isnil(L, 3) ? x->shape.ndim - 1 : check_dim_of(L, 3, fn, &x->shape);
  others.dim[dim] = 1;
  shape s = others;
  s.dim[dim] = t->shape.dim[dim];
  tensor without = {.shape = others};
  if (shape_broadcast(&s, &t->shape) != OK) return raise(L, fn, ERR_BROADCAST, (const tensor *[]){&without, t}, 2);
  t = to_indices(L, fn, "indices", t);
  index_job j;
  start_along(&j, INDEX_get, x, t, &s, dim);
  return run_get(L, fn, options, &j, x, t, dim);
}

/* ---- writing ---- */

/* If src is at least as long as s in each dim, pushes and returns a view of its first elements. Otherwise returns
** src. */
static const tensor *fit_source(lua_State *L, const tensor *src, const shape *s) {
  bool larger = src->shape.ndim == s->ndim;
  for (int d = 0; larger && d < s->ndim; d++) larger = src->shape.dim[d] >= s->dim[d];
  if (!larger) return src;
  tensor *part = push_view(L, src);
  for (int d = 0; d < s->ndim; d++) view_range(part, d, 0, 1, s->dim[d]);
  return part;
}

/* Returns t, or a copy if t shares memory with x. Ops that may write into x call this function for their index tensor,
** which must not change during the op. */
static const tensor *apart(lua_State *L, const char *fn, const tensor *t, const tensor *x) {
  return t->store == x->store ? push_copy_later(L, fn, t, t->dtype) : t;
}

/* Pushes the target of a write: x itself if `in_place` is set, else a copy of x. */
static const tensor *push_target(lua_State *L, const char *fn, const tensor *x, bool in_place) {
  if (!in_place) return push_copy_later(L, fn, x, x->dtype);
  check_in_place(L, fn);
  lua_pushvalue(L, 1);
  return x;
}

static int run_put(lua_State *L, const char *fn, const char *name, index_job *j, const tensor *src, int dim, bool in_place) {
  tensor values = *src;
  run_index_later(L, fn, j, &values, &dim);
  return finish_record(L, &(op_record){.name = name, .params = &(op_params){.dim = dim}, .nin = 2, .in = {1, 4}, .first = 3,
                                       .last = 3, .in_place = in_place});
}

/* Handles a call of scatter or index_add in which x or the index is 0-d (has_points). Makes each 0-d tensor among x,
** index and src 1-d, and calls f. f returns a copy of x, so if `in_place` is set, x:copy_ stores the result in x. */
static int put_points(lua_State *L, const char *fn, lua_CFunction f, bool in_place) {
  if (!in_place) return call_on_lines(L, fn, f, 1 << 1 | 1 << 3 | 1 << 4, 1);
  lua_getfield(L, 1, "copy_");
  lua_pushvalue(L, 1);
  lua_pushcfunction(L, f);
  for (int i = 1; i <= 4; i++) lua_pushvalue(L, i);
  lua_call(L, 4, 1);
  lua_call(L, 2, 1);
  return 1;
}

static int scatter(lua_State *L, const char *fn, enum index_op op, bool in_place);
static int l_scatter(lua_State *L) { return scatter(L, "scatter", INDEX_put, false); }
static int l_scatter_add(lua_State *L) { return scatter(L, "scatter_add", INDEX_add, false); }

static int scatter(lua_State *L, const char *fn, enum index_op op, bool in_place) {
  expect_arguments(L, fn, count_arguments(L), 4, 4);
  const tensor *x = check_tensor_later(L, 1, fn);
  int dim = check_line_dim(L, 2, fn, &x->shape);
  if (has_points(L)) return put_points(L, fn, op == INDEX_put ? l_scatter : l_scatter_add, in_place);
  const tensor *t = apart(L, fn, check_index(L, fn, 3, x, dim), x);
  const tensor *src = fit_source(L, to_value_later(L, fn, 4, x), &t->shape);
  const tensor *target = push_target(L, fn, x, in_place);
  index_job j;
  start_along(&j, op, target, t, &t->shape, dim);
  return run_put(L, fn, op == INDEX_put ? "scatter" : "scatter_add", &j, src, dim, in_place);
}

/*** Returns a copy of x with src written along a dim: `out[index[i][j]][j] = src[i][j]` for dim 1. If several values go
to one place, the last one stays. `scatter_` writes into x.
@function scatter
@tparam Tensor x
@tparam int dim
@tparam Tensor index integers, with as many dims as x; only in dim may it be longer than x
@tparam Tensor|number src
@treturn Tensor
*/
static int l_scatter_(lua_State *L) { return scatter(L, "scatter_", INDEX_put, true); }

/*** Like scatter, but src is added to the elements of x.
@function scatter_add
@tparam Tensor x
@tparam int dim
@tparam Tensor index
@tparam Tensor|number src
@treturn Tensor
*/
static int l_scatter_add_(lua_State *L) { return scatter(L, "scatter_add_", INDEX_add, true); }

static int index_add(lua_State *L, const char *fn, bool in_place);
static int l_index_add(lua_State *L) { return index_add(L, "index_add", false); }

static int index_add(lua_State *L, const char *fn, bool in_place) {
  expect_arguments(L, fn, count_arguments(L), 4, 4);
  const tensor *x = check_tensor_later(L, 1, fn);
  int dim = check_line_dim(L, 2, fn, &x->shape);
  if (has_points(L)) return put_points(L, fn, l_index_add, in_place);
  const tensor *t = check_tensor_later(L, 3, fn);
  if (t->shape.ndim != 1) return luaL_error(L, "%s: index of %d dims, 1 expected", fn, t->shape.ndim);
  t = apart(L, fn, to_indices(L, fn, "index", t), x);
  const tensor *src = to_value_later(L, fn, 4, x), *target = push_target(L, fn, x, in_place);
  index_job j;
  index_start(&j, INDEX_add, target);
  for (int d = 0; d < x->shape.ndim; d++) index_dim(&j, target, d);
  j.shape.dim[dim] = t->count;
  j.stride[dim] = 0;
  index_add_input(&j, t, dim, 1, target, dim);
  return run_put(L, fn, "index_add", &j, src, dim, in_place);
}

/*** Returns a copy of x with slices of src added along a dim: `out[index[i]] += src[i]` for dim 1. `index_add_` adds
into x.
@function index_add
@tparam Tensor x
@tparam int dim
@tparam Tensor index 1-d
@tparam Tensor|number src broadcasts to the shape of x, in which dim has the length of index
@treturn Tensor
*/
static int l_index_add_(lua_State *L) { return index_add(L, "index_add_", true); }

/* ---- searching ---- */

/*** Returns the positions of the elements that are not 0 (or are true), in row-major order. Waits for the device,
because the result's length depends on the elements.
@function nonzero
@tparam Tensor x at least 1-d
@treturn Tensor ... one int64 tensor for each dim; together they index x
*/
static int l_nonzero(lua_State *L) {
  const tensor *x = check_tensor(L, 1, "nonzero");
  if (x->shape.ndim == 0) return luaL_error(L, "nonzero: at least 1 dim expected");
  const tensor *places = push_nonzero(L, "nonzero", x);
  luaL_checkstack(L, MAX_DIMS, "nonzero");
  for (int d = 0; d < x->shape.ndim; d++) {
    view_select(push_view(L, places), 0, d);
    finish_op(L, false);
  }
  return x->shape.ndim;
}

/*** Returns the positions of the elements that are not 0 (or are true), one row for each such element. Waits for the
device, because the result's length depends on the elements.
@function argwhere
@tparam Tensor x
@treturn Tensor int64, [count, ndim]
*/
static int l_argwhere(lua_State *L) {
  const tensor *x = check_tensor(L, 1, "argwhere");
  tensor *t = push_view(L, push_nonzero(L, "argwhere", x));
  if (x->shape.ndim == 0) view_range(t, 0, 0, 1, 0);
  view_swap(t, 0, 1);
  return finish_op(L, false);
}

/* Reads the options `side` ("left", "right") and `right`. `right = true` means the same as `side = "right"`. */
static bool opt_right(lua_State *L, int options) {
  if (!options) return false;
  bool right = opt_bool(L, options, "searchsorted", "right", false);
  if (push_option(L, options, "side") != LUA_TNIL) {
    const char *side = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    bool is_right = strcmp(side, "right") == 0;
    if (!is_right && strcmp(side, "left") != 0)
      luaL_error(L, "searchsorted: option side: \"left\" or \"right\" expected");
    if (right && !is_right)
      luaL_error(L, "searchsorted: options side = \"left\" and right = true contradict each other");
    right = is_right;
  }
  lua_pop(L, 1);
  return right;
}

/* Raises an error unless `sorted` is one row, or has as many dims as `values` and equal lengths in all dims but the
** last. */
static void check_rows(lua_State *L, const tensor *sorted, const tensor *values) {
  int n = sorted->shape.ndim;
  if (n == 0) luaL_error(L, "searchsorted: at least 1 dim expected");
  bool fits = n == 1 || values->shape.ndim == n;
  for (int d = 0; fits && n > 1 && d < n - 1; d++) fits = sorted->shape.dim[d] == values->shape.dim[d];
  if (fits) return;
  luaL_error(L, "searchsorted: values of shape %s do not go with rows of %s", push_shape(L, &values->shape),
             push_shape(L, &sorted->shape));
}

/* Returns argument 2 as a tensor. A number becomes a 0-d tensor of dtype d. */
static const tensor *searched_values(lua_State *L, const char *fn, const arg *a, const tensor *sorted, enum dtype d) {
  if (a->t) return a->t;
  tensor *t = push_tensor_later(L, fn, d, &(shape){.ndim = 0}, sorted->store->place);
  scalar number = check_value(L, 2, fn, d);
  int st;
  TRY(L, t->store->place, st, op_fill_later(t, number));
  if (st != OK) raise(L, fn, st, (const tensor *[]){t}, 1);
  return t;
}

/* Returns x in the order of option sorter, or x itself without this option. */
static const tensor *in_sorter_order(lua_State *L, const char *fn, int options, const tensor *x) {
  if (!options || push_option(L, options, "sorter") == LUA_TNIL) return x;
  if (!test_tensor(L, -1)) luaL_error(L, "%s: option sorter: tensor expected, got %s", fn, type_name(L, -1));
  const tensor *sorter = check_tensor_later(L, lua_gettop(L), fn);
  if (!shape_equal(&sorter->shape, &x->shape))
    luaL_error(L, "%s: a sorter of shape %s does not go with %s", fn, push_shape(L, &sorter->shape),
               push_shape(L, &x->shape));
  const tensor *t = to_indices(L, fn, "sorter", sorter);
  index_job j;
  int dim = x->shape.ndim - 1;
  start_along(&j, INDEX_get, x, t, &t->shape, dim);
  tensor *out = push_tensor_later(L, fn, x->dtype, &x->shape, x->store->place);
  run_index_later(L, fn, &j, out, &dim);
  return out;
}

/*** Returns the positions, from 1 to n + 1, at which values can be inserted into a sorted row so that the row stays
sorted.
@function searchsorted
@tparam Tensor sorted 1-d, or of values' shape except in the last dim; any dtype but complex
@tparam Tensor|number values
@tparam[opt] table options `side`: "left" (default) is before equal elements, "right" after them; `right`: true is the
  same as `side = "right"`; `sorter`: positions that sort the first argument (a result of argsort)
@treturn Tensor int64, of values' shape
*/
static int l_searchsorted(lua_State *L) {
  static const char *const known[] = {"side", "right", "sorter", NULL};
  const char *fn = "searchsorted";
  int nargs, options = check_options(L, fn, known, &nargs);
  expect_arguments(L, fn, nargs, 2, 2);
  const tensor *sorted = check_tensor_later(L, 1, fn);
  arg a;
  check_arg_later(L, 2, fn, &a);
  enum dtype d = promote_arg(sorted->dtype, &a);
  if (dtype_kind(d) == KIND_COMPLEX) return luaL_error(L, "%s: not for %s: complex numbers have no order", fn, dtypes[d].name);
  const tensor *values = searched_values(L, fn, &a, sorted, d);
  if (!place_equal(sorted->store->place, values->store->place)) return raise(L, fn, ERR_DEVICES, (const tensor *[]){sorted, values}, 2);
  check_rows(L, sorted, values);
  bool right = opt_right(L, options);
  sorted = to_plain_later(L, fn, in_sorter_order(L, fn, options, sorted), dtype_compute(d));
  values = to_plain_later(L, fn, values, dtype_compute(d));
  tensor *out = push_tensor_later(L, fn, DT_int64, &values->shape, sorted->store->place);
  int st;
  TRY(L, sorted->store->place, st, op_search_later(sorted, values, right, out));
  return st == OK ? finish_op(L, false) : raise(L, fn, st, &sorted, 1);
}

/* ---- joining ---- */

/* The tensors of a call: the list at index 1. `t` is in a userdata on the stack. */
typedef struct joining {
  int n;
  const tensor **t;
  enum dtype dtype;                /* the dtype to which the tensors promote */
} joining;

/* Returns element k of the list at index 1. */
static const tensor *check_element(lua_State *L, const char *fn, int k) {
  lua_rawgeti(L, 1, k);
  const tensor *t = test_tensor(L, -1);
  if (!t) luaL_error(L, "%s: element %d: tensor expected", fn, k);
  if (tensor_is_gone(t)) luaL_error(L, "%s: element %d: %s", fn, k, push_gone(L, t));
  lua_pop(L, 1);
  return t;
}

/* Checks the list at index 1, which must contain live tensors on one device. If `later` is false, runs deferred ops that
** use the tensors. */
static joining check_list(lua_State *L, const char *fn, bool later) {
  if (!lua_istable(L, 1))
    luaL_error(L, "%s: table of tensors expected, got %s%s", fn, type_name(L, 1),
               test_tensor(L, 1) ? "; write {x, y}" : "");
  joining j = {.n = copy_list(L, 1)};
  if (j.n == 0) luaL_error(L, "%s: no tensors", fn);
  j.t = lua_newuserdatauv(L, (size_t)j.n * sizeof *j.t, 0);
  for (int k = 0; k < j.n; k++) {
    const tensor *t = j.t[k] = check_element(L, fn, k + 1);
    if (!later) make_ready(L, t, fn);
    if (!place_equal(j.t[0]->store->place, t->store->place)) raise(L, fn, ERR_DEVICES, (const tensor *[]){j.t[0], t}, 2);
    j.dtype = k == 0 ? t->dtype : dtype_promote(j.dtype, t->dtype);
  }
  return j;
}

static int raise_shapes(lua_State *L, const char *fn, const tensor *a, const tensor *b, int dim) {
  const char *ta = push_shape(L, &a->shape), *tb = push_shape(L, &b->shape);
  if (dim < 0) return luaL_error(L, "%s: shapes %s and %s differ", fn, ta, tb);
  return luaL_error(L, "%s: %s and %s differ outside dim %d", fn, ta, tb, dim + 1);
}

/* True if two shapes are equal in all dims but `dim`. */
static bool fits_beside(const shape *a, const shape *b, int dim) {
  bool fits = a->ndim == b->ndim;
  for (int d = 0; fits && d < a->ndim; d++) fits = d == dim || a->dim[d] == b->dim[d];
  return fits;
}

/* Returns the shape of the tensors joined along dim. If dim < 0, returns the shape that all tensors must have. */
static shape joined_shape(lua_State *L, const char *fn, const joining *j, int dim) {
  const tensor *first = j->t[0];
  shape s = first->shape;
  for (int k = 1; k < j->n; k++) {
    const tensor *t = j->t[k];
    if (!fits_beside(&t->shape, &s, dim)) raise_shapes(L, fn, first, t, dim);
    if (dim >= 0 && __builtin_add_overflow(s.dim[dim], t->shape.dim[dim], &s.dim[dim])) raise(L, fn, ERR_OVERFLOW, NULL, 0);
  }
  return s;
}

/* Copies the tensors side by side along dim into `all`. If `stacked` is true, the tensors do not have dim, and each tensor
** fills one index of dim. If `all` is fresh, no tensor shares its memory. Stops at the first error, and sets *failing to
** the tensor of this error. */
static int copy_parts(const joining *j, tensor all, int dim, bool stacked, bool fresh, const tensor **failing) {
  int64_t stride = all.stride[dim];
  int st = OK;
  if (stacked) view_select(&all, dim, 0);
  for (int k = 0; k < j->n && st == OK; k++) {
    const tensor *t = *failing = j->t[k];
    if (!stacked) all.shape.dim[dim] = t->shape.dim[dim];
    all.count = t->count;
    st = fresh && !open_deferral ? op_copy_apart(&all, t) : op_copy_later(&all, t);
    all.offset += stacked ? stride : t->shape.dim[dim] * stride;
  }
  return st;
}

/* Joins the tensors along dim into a result of shape s. */
static int join(lua_State *L, const char *fn, const joining *j, const shape *s, int options, int dim, bool stacked) {
  const tensor *t = j->t[0];
  tensor *out = options ? opt_out_later(L, options, fn) : NULL;
  bool fresh = out == NULL;
  out = push_result(L, fn, options, j->dtype, s, &t, 1);
  for (int k = 1; k < j->n && !fresh; k++)
    if (tensor_conflicts(out, t = j->t[k])) return raise(L, fn, ERR_OVERLAP, &t, 1);
  int st;
  TRY(L, t->store->place, st, copy_parts(j, *out, dim, stacked, fresh, &t));
  if (st != OK) return raise(L, fn, st, (const tensor *[]){out, t}, 2);
  op_params params = {.dim = dim};
  return finish_record(L, &(op_record){.name = stacked ? "stack" : "concat", .params = &params, .list = true, .in = {1},
                                       .in_place = !fresh});
}

/*** Joins tensors one after the other along a dim.
@function concat
@tparam {Tensor,...} tensors of one shape, except along dim; dtypes promote
@tparam[opt=1] int dim
@tparam[opt] table options `dim`, `out`
@treturn Tensor
*/
static int l_concat(lua_State *L) {
  int nargs, options = check_dim_option(L, "concat", dim_options, &nargs, 2);
  expect_arguments(L, "concat", nargs, 1, 2);
  joining j = check_list(L, "concat", !options);
  const shape *first = &j.t[0]->shape;
  if (first->ndim == 0) return luaL_error(L, "concat: 0-d tensors cannot be joined; use stack");
  int dim = nargs < 2 || lua_isnil(L, 2) ? 0 : check_dim_of(L, 2, "concat", first);
  shape s = joined_shape(L, "concat", &j, dim);
  return join(L, "concat", &j, &s, options, dim, false);
}

/*** Joins tensors of one shape along a new dim.
@function stack
@tparam {Tensor,...} tensors dtypes promote
@tparam[opt=1] int dim the new dim of the result
@tparam[opt] table options `dim`, `out`
@treturn Tensor
*/
static int l_stack(lua_State *L) {
  int nargs, options = check_dim_option(L, "stack", dim_options, &nargs, 2);
  expect_arguments(L, "stack", nargs, 1, 2);
  joining j = check_list(L, "stack", !options);
  tensor all = {.shape = joined_shape(L, "stack", &j, -1)};
  int dim = nargs < 2 || lua_isnil(L, 2) ? 0 : check_dim(L, 2, "stack", all.shape.ndim + 1);
  if (view_insert(&all, dim, j.n, 0) != OK) return raise(L, "stack", ERR_NDIM, NULL, 0);
  return join(L, "stack", &j, &all.shape, options, dim, true);
}

/* roll_dim(x, dim, back): x with its last `back` slices along dim before the other slices. It has no gradient. */
static int l_roll_dim(lua_State *L) {
  const char *fn = "roll";
  const tensor *x = check_tensor_later(L, 1, fn);
  int dim = check_dim_of(L, 2, fn, &x->shape), st;
  int64_t n = x->shape.dim[dim], back = check_integer(L, 3, fn, "back");
  if (back < 0 || back > n) return luaL_error(L, "roll: %I slices of dim %d are out of range", (LUAI_UACINT)back, dim + 1);
  tensor last = *x, first = *x;
  view_range(&last, dim, n - back, 1, back);
  view_range(&first, dim, 0, 1, n - back);
  const tensor *parts[] = {&last, &first};
  tensor *out = push_tensor_later(L, fn, x->dtype, &x->shape, x->store->place);
  const joining j = {.n = 2, .t = parts, .dtype = x->dtype};
  TRY(L, x->store->place, st, copy_parts(&j, *out, dim, false, true, &x));
  return st == OK ? finish_op(L, false) : raise(L, fn, st, &x, 1);
}

static const function_row functions[] = {
  {"concat", l_concat, 3}, {"stack", l_stack, 3}, {"roll_dim", l_roll_dim, INTERNAL}, {NULL, NULL, 0}
};

static const function_row methods[] = {
  {"take", l_take, 4}, {"gather", l_gather, 4}, {"take_along_axis", l_take_along_axis, 4},
  {"scatter", l_scatter, 4}, {"scatter_add", l_scatter_add, 4}, {"index_add", l_index_add, 4},
  {"nonzero", l_nonzero, 1}, {"argwhere", l_argwhere, 1}, {"searchsorted", l_searchsorted, 3}, {NULL, NULL, 0}
};

static const function_row in_place[] = {
  {"scatter_", l_scatter_, 4}, {"scatter_add_", l_scatter_add_, 4}, {"index_add_", l_index_add_, 4}, {NULL, NULL, 0}
};

void open_take(lua_State *L) {
  add_functions(L, functions);
  add_methods(L, methods);
  add_method_forms(L, in_place);
}
