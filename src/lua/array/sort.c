/* Sorting along a dim: the functions and methods sort, argsort (the positions that sort a line of elements) and topk
** (the k largest elements of a line). The library's own Lua files also call select_ranks. */

#include "lua/args.h"
#include "lua/on_lines.h"
#include "lua/register.h"
#include "op/sort.h"

static void expect_at_most(lua_State *L, const char *fn, int nargs, int most) {
  while (nargs > most && lua_isnil(L, nargs)) nargs--;
  if (nargs > most) raise_most(L, fn, most, nargs);
}

/* Returns the 0-based dim at stack index i. Without this argument, returns the last dim, or 0 for a 0-d tensor, which
** counts as a line of one element. */
static int line_dim(lua_State *L, const char *fn, int nargs, int i, const tensor *x) {
  bool given = nargs >= i && !lua_isnil(L, i);
  if (given && lua_istable(L, i)) luaL_error(L, "%s: dim: one number expected, got a table", fn);
  if (given) return check_line_dim(L, i, fn, &x->shape);
  return x->shape.ndim > 0 ? x->shape.ndim - 1 : 0;
}

static const tensor *check_ordered(lua_State *L, const char *fn) {
  const tensor *x = check_tensor_later(L, 1, fn);
  if (dtype_kind(x->dtype) == KIND_COMPLEX)
    luaL_error(L, "%s: not for %s: complex numbers have no order; sort z:abs() or z:real()", fn, dtypes[x->dtype].name);
  return x;
}

/* Runs the job, which fills the tensors at the top of the stack. `results` is the number of these tensors. */
static int run_sort(lua_State *L, const char *fn, const sort_job *j, int results) {
  int st;
  TRY(L, j->in->store->place, st, sort_run_later(fn, j));
  if (st == ERR_OVERFLOW) return luaL_error(L, "%s: not for lines of more than 2^32 elements", fn);
  if (st != OK) return raise(L, fn, st, &j->in, 1);
  op_params params = {.dim = j->dim, .flag = j->descending, .number = {(double)j->keep}};
  finish_record(L, &(op_record){.name = fn, .params = &params, .nin = 1, .in = {1}, .nout = (short)results});
  return results;
}

/* x:sort(dim, {descending, stable}), or, if `positions` is set, x:argsort(…) with the same arguments. */
static int sort_or_argsort(lua_State *L, const char *fn, bool positions) {
  static const char *const known[] = {"dim", "descending", "stable", NULL};
  int nargs, options = check_dim_option(L, fn, known, &nargs, 2);
  sort_job j = {.in = check_ordered(L, fn)};
  expect_at_most(L, fn, nargs, 2);
  j.dim = line_dim(L, fn, nargs, 2, j.in);
  j.descending = options && opt_bool(L, options, fn, "descending", false);
  if (options) opt_bool(L, options, fn, "stable", true);
  j.keep = j.in->shape.ndim > 0 ? j.in->shape.dim[j.dim] : 1;
  tensor *out = push_tensor_later(L, fn, positions ? DT_int64 : j.in->dtype, &j.in->shape, j.in->store->place);
  if (positions) j.positions = out;
  else j.values = out;
  return run_sort(L, fn, &j, 1);
}

/*** Sorts the elements of each line along a dim. NaN counts as the greatest element. Equal elements, such as -0 and 0,
keep their order, even with `descending`.
@function sort
@tparam Tensor x any dtype but complex
@tparam[opt=-1] int dim
@tparam[opt] table options `dim`, `descending` (false), `stable` (accepted; sorting is always stable)
@treturn Tensor of x's shape and dtype
*/
static int l_sort(lua_State *L) { return sort_or_argsort(L, "sort", false); }

/*** Returns the positions that sort each line along a dim: `x:take_along_axis(x:argsort())` is `x:sort()`.
@function argsort
@tparam Tensor x any dtype but complex
@tparam[opt=-1] int dim
@tparam[opt] table options `dim`, `descending` (false), `stable` (accepted; sorting is always stable)
@treturn Tensor int64, of x's shape
*/
static int l_argsort(lua_State *L) { return sort_or_argsort(L, "argsort", true); }

/*** Returns the k largest elements of each line along a dim, the largest first, and their positions. NaN counts as the
largest element. Of equal elements the first ones are taken.
@function topk
@tparam Tensor x any dtype but complex, at least 1-d
@tparam int k the number of elements, from 0 to the length of dim
@tparam[opt=-1] int dim
@tparam[opt] table options `dim`, `largest` (true; false: the k smallest, the smallest first), `sorted` (accepted; the
  results are always sorted)
@treturn Tensor of x's shape, with k elements in dim
@treturn Tensor int64, of the same shape: positions in x
*/
static int l_topk(lua_State *L) {
  static const char *const known[] = {"dim", "largest", "sorted", NULL};
  const char *fn = "topk";
  int nargs, options = check_dim_option(L, fn, known, &nargs, 3);
  sort_job j = {.in = check_ordered(L, fn)};
  expect_at_most(L, fn, nargs, 3);
  j.keep = check_integer(L, 2, fn, "k");
  j.dim = line_dim(L, fn, nargs, 3, j.in);
  if (j.in->shape.ndim == 0) return call_on_lines(L, fn, l_topk, 1 << 1, 1);
  j.descending = !options || opt_bool(L, options, fn, "largest", true);
  if (options) opt_bool(L, options, fn, "sorted", true);
  shape s = j.in->shape;
  if (j.keep < 0 || j.keep > s.dim[j.dim])
    return luaL_error(L, "topk: k = %I is out of range for dim %d of shape %s", (LUAI_UACINT)j.keep, j.dim + 1,
                      push_shape(L, &s));
  s.dim[j.dim] = j.keep;
  j.values = push_tensor_later(L, fn, j.in->dtype, &s, j.in->store->place);
  j.positions = push_tensor_later(L, fn, DT_int64, &s, j.in->store->place);
  return run_sort(L, fn, &j, 2);
}

/* select_ranks(x, dim, first, count): the `count` elements from the 1-based rank `first` on of each line along a dim, in
** ascending order: of x's shape, with `count` elements in dim. Lines that contain NaN give NaN. For devices on the host.
** It has no gradient. */
static int l_select_ranks(lua_State *L) {
  const char *fn = "select_ranks";
  sort_job j = {.in = check_ordered(L, fn), .select = true};
  shape s = j.in->shape;
  j.dim = check_line_dim(L, 2, fn, &s);
  j.first = check_integer(L, 3, fn, "first") - 1;
  j.keep = check_integer(L, 4, fn, "count");
  if (s.ndim == 0 || j.first < 0 || j.keep < 0 || j.first > s.dim[j.dim] || j.keep > s.dim[j.dim] - j.first)
    return luaL_error(L, "select_ranks: %I ranks from %I are out of range for dim %d of shape %s", (LUAI_UACINT)j.keep,
                      (LUAI_UACINT)j.first + 1, j.dim + 1, push_shape(L, &s));
  s.dim[j.dim] = j.keep;
  j.values = push_tensor_later(L, fn, j.in->dtype, &s, j.in->store->place);
  return run_sort(L, fn, &j, 1);
}

static const function_row functions[] = {{"select_ranks", l_select_ranks, INTERNAL}, {NULL, NULL, 0}};
static const function_row methods[] = {
  {"sort", l_sort, 3}, {"argsort", l_argsort, 3}, {"topk", l_topk, 4}, {NULL, NULL, 0}
};

void open_sort(lua_State *L) {
  add_functions(L, functions);
  add_methods(L, methods);
}
