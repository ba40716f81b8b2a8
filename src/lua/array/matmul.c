/* Matrix products: matmul, mm, bmm, mv, dot, vecdot, addmm and linear. */

#include <string.h>

#include "base/view.h"
#include "lua/args.h"
#include "lua/register.h"
#include "lua/state.h"
#include "op/matmul.h"

static const char *const product_options[] = {"out", NULL};
static const char *const vecdot_options[] = {"dim", NULL};
static const char *const addmm_options[] = {"alpha", "beta", "out", NULL};
static const scalar zero = {.f = 0, .i = 0}, one = {.f = 1, .i = 1};

/* ---- errors ---- */

/* Raises the error that the inner dims differ. The message suggests y.T if x:matmul(y.T) would be possible. */
static int raise_inner(lua_State *L, const char *fn, const tensor *a, const tensor *b) {
  int64_t k = a->shape.dim[a->shape.ndim - 1];
  bool fits = b->shape.ndim == 2 && b->shape.dim[1] == k;
  return luaL_error(L, "%s: inner dims differ: %s × %s%s", fn, push_shape(L, &a->shape), push_shape(L, &b->shape),
                    fits ? "; did you mean y.T?" : "");
}

static int raise_shapes(lua_State *L, const char *fn, const char *format, const shape *a, const shape *b) {
  lua_pushfstring(L, format, push_shape(L, a), push_shape(L, b));
  return luaL_error(L, "%s: %s", fn, lua_tostring(L, -1));
}

static int raise_product(lua_State *L, const char *fn, int status, const matmul_job *j, const tensor *out) {
  const tensor *all[] = {j->a, j->b, out};
  switch (status) {
    case ERR_INNER:     return raise_inner(L, fn, j->a, j->b);
    case ERR_RANK:      return luaL_error(L, "%s: a 0-d tensor has no rows or columns; use x:multiply(y)", fn);
    case ERR_DTYPE:     return luaL_error(L, "%s: not for bool; use x:to(\"int64\")", fn);
    case ERR_SCALAR:    return luaL_error(L, "%s: alpha and beta must be integers for %s", fn, dtypes[j->dtype].name);
    case ERR_OUT_SHAPE: return raise_shapes(L, fn, "out has shape %s, the result %s", &out->shape, &j->shape);
    case ERR_CAST: case ERR_READONLY: case ERR_OVERLAP: return raise(L, fn, status, &out, 1);
    default:            return raise(L, fn, status, all, out ? 3 : 2);
  }
}

/* ---- products ---- */

/* Pushes the result of a job whose inputs are checked: option out, or a new tensor. */
static tensor *push_result(lua_State *L, const char *fn, int options, const matmul_job *j) {
  tensor *out = opt_out_later(L, options, fn);
  if (out) push_out(L, options, fn, out);
  else out = push_tensor_later(L, fn, j->dtype, &j->shape, j->a->store->place);
  return out;
}

static void prepare(lua_State *L, const char *fn, matmul_job *j) {
  int st = matmul_prepare(j);
  if (st == ERR_BROADCAST)
    raise_shapes(L, fn, "the batch dims of %s and %s do not broadcast", &j->a->shape, &j->b->shape);
  if (st != OK) raise_product(L, fn, st, j, NULL);
}

/* Runs a product of arguments 1 and 2. dim: for vecdot, the dim as a negative number, which counts from the end. */
static int finish_product(lua_State *L, const char *fn, int options, matmul_job *j, int dim) {
  prepare(L, fn, j);
  tensor *out = push_result(L, fn, options, j);
  int st;
  TRY(L, out->store->place, st, product_run_later(fn, j, NULL, out, one, zero));
  if (st != OK) return raise_product(L, fn, st, j, out);
  bool vecdot = j->kind == MATMUL_vecdot;
  op_params params = {.dim = dim};
  return finish_record(L, &(op_record){.name = vecdot ? "vecdot" : "matmul", .params = &params, .nin = 2, .in = {1, 2},
                                       .in_place = options != 0});
}

static void check_count(lua_State *L, const char *fn, int nargs, int n) {
  if (nargs != n) raise_count(L, fn, n, n, nargs);
}

/* The products, and the numbers of dims that x and y must have (0: any number). */
static const struct product { const char *name; int ranks[2]; } products[] = {
  {"matmul", {0, 0}}, {"mm", {2, 2}}, {"bmm", {3, 3}}, {"mv", {2, 1}}, {"dot", {1, 1}},
};

static void check_ranks(lua_State *L, const struct product *p, const matmul_job *j) {
  const tensor *t[2] = {j->a, j->b};
  for (int i = 0; i < 2; i++)
    if (p->ranks[i] && t[i]->shape.ndim != p->ranks[i])
      luaL_error(L, "%s: argument %d: %d-d tensor expected, got %d-d; matmul takes any", p->name, i + 1, p->ranks[i],
                 t[i]->shape.ndim);
}

/***
Computes the matrix product (matrix multiplication). A 1-d x counts as a matrix with one row, and a 1-d y as a matrix
with one column; the result does not have the added dim. Dims before the last two are batch dims, which broadcast.
@function matmul
@tparam tensor x shape [..., m, k]
@tparam tensor y shape [..., k, n]; not bool
@tparam[opt] table options `out`: the tensor to write to
@treturn tensor shape [..., m, n]
@raise if inner dims differ, if batch dims do not broadcast, or for 0-d or bool tensors
*/
/***
Like matmul, for 2-d tensors only.
@function mm
@tparam tensor x [m, k]
@tparam tensor y [k, n]
@tparam[opt] table options `out`
@treturn tensor [m, n]
*/
/***
Like matmul, for 3-d tensors only.
@function bmm
@tparam tensor x [batch, m, k]
@tparam tensor y [batch, k, n]
@tparam[opt] table options `out`
@treturn tensor [batch, m, n]
*/
/***
Like matmul, for a matrix and a vector only.
@function mv
@tparam tensor x [m, k]
@tparam tensor y [k]
@tparam[opt] table options `out`
@treturn tensor [m]
*/
/***
Computes the dot product: the sum of the products of two vectors' elements.
@function dot
@tparam tensor x [k]
@tparam tensor y [k]
@tparam[opt] table options `out`
@treturn tensor 0-d
*/
static int l_product(lua_State *L) {
  const struct product *p = &products[lua_tointeger(L, lua_upvalueindex(1))];
  int nargs, options = check_options(L, p->name, product_options, &nargs);
  check_count(L, p->name, nargs, 2);
  matmul_job j = {.kind = MATMUL_matmul, .a = check_tensor_later(L, 1, p->name), .b = check_tensor_later(L, 2, p->name)};
  check_ranks(L, p, &j);
  return finish_product(L, p->name, options, &j, 0);
}

/***
Sums the products of the elements of x and y along a dim. If x is complex, its elements are conjugated first. The other
dims broadcast.
@function vecdot
@tparam tensor x
@tparam tensor y with the same length as x in that dim; not bool
@tparam[opt=-1] int dim as numbered in the tensor with more dims; a negative dim counts from the end of both tensors
@tparam[opt] table options `dim`
@treturn tensor without that dim
*/
static int l_vecdot(lua_State *L) {
  int nargs;
  check_dim_option(L, "vecdot", vecdot_options, &nargs, 3);
  if (nargs != 3) check_count(L, "vecdot", nargs, 2);
  const tensor *a = check_tensor_later(L, 1, "vecdot"), *b = check_tensor_later(L, 2, "vecdot");
  int least = a->shape.ndim < b->shape.ndim ? a->shape.ndim : b->shape.ndim;
  int most = a->shape.ndim + b->shape.ndim - least, from_end = 1;
  if (nargs == 3 && !lua_isnil(L, 3)) from_end = most - check_dim(L, 3, "vecdot", most);
  if (least > 0 && from_end > least)
    return luaL_error(L, "vecdot: dim %d is out of range for %d dims", -from_end, least);
  tensor x = *a, y = *b;
  if (least > 0) {
    view_move(&x, x.shape.ndim - from_end, x.shape.ndim - 1);
    view_move(&y, y.shape.ndim - from_end, y.shape.ndim - 1);
  }
  matmul_job j = {.kind = MATMUL_vecdot, .a = &x, .b = &y};
  return finish_product(L, "vecdot", 0, &j, -from_end);
}

/* ---- addmm ---- */

static scalar opt_factor(lua_State *L, int options, const char *fn, const char *name) {
  if (!options) return one;
  scalar s = one;
  int type = push_option(L, options, name);
  if (type == LUA_TNUMBER)
    s = (scalar){.f = lua_tonumber(L, -1), .i = lua_tointeger(L, -1), .is_float = !lua_isinteger(L, -1)};
  else if (type != LUA_TNIL)
    luaL_error(L, "%s: option %s: number expected, got %s", fn, name, type_name(L, -1));
  lua_pop(L, 1);
  return s;
}

/* Reads x, a, b and the options, and computes beta * x + alpha * a @ b. in_place: the result is written to x. */
static int addmm(lua_State *L, const char *fn, bool in_place) {
  int nargs, options = check_options(L, fn, addmm_options, &nargs);
  check_count(L, fn, nargs, 3);
  tensor *input = check_tensor_later(L, 1, fn);
  matmul_job j = {.kind = MATMUL_matmul, .a = check_tensor_later(L, 2, fn), .b = check_tensor_later(L, 3, fn)};
  if (j.a->shape.ndim != 2 || j.b->shape.ndim != 2)
    return raise_shapes(L, fn, "2-d matrices expected, got %s and %s", &j.a->shape, &j.b->shape);
  scalar alpha = opt_factor(L, options, fn, "alpha"), beta = opt_factor(L, options, fn, "beta");
  prepare(L, fn, &j);
  if (!place_equal(input->store->place, j.a->store->place))
    return raise(L, fn, ERR_DEVICES, (const tensor *[]){input, j.a}, 2);
  if (input->dtype == DT_bool) return raise_product(L, fn, ERR_DTYPE, &j, NULL);
  j.dtype = dtype_promote(j.dtype, input->dtype);
  bool given = opt_out_later(L, options, fn) != NULL;
  if (given && in_place) return luaL_error(L, "%s: option out: the result goes into x", fn);
  tensor *out = in_place ? input : push_result(L, fn, options, &j);
  if (in_place) lua_pushvalue(L, 1);
  if (in_place) check_in_place(L, fn);
  int st;
  TRY(L, out->store->place, st, product_run_later(fn, &j, input, out, alpha, beta));
  if (st == ERR_BROADCAST) return raise_shapes(L, fn, "%s does not broadcast to %s", &input->shape, &j.shape);
  if (st != OK) return raise_product(L, fn, st, &j, out);
  op_params params = {.number = {beta.f, alpha.f}};
  return finish_record(L, &(op_record){.name = "addmm", .params = &params, .nin = 3, .in = {1, 2, 3},
                                       .in_place = in_place || given});
}

/***
Computes beta * x + alpha * a @ b in one pass.
@function addmm
@tparam tensor x broadcasts to [m, n]
@tparam tensor a [m, k]
@tparam tensor b [k, n]
@tparam[opt] table options `alpha` (1), `beta` (1; if beta is 0, x is not read), `out`
@treturn tensor [m, n]
*/
static int l_addmm(lua_State *L) { return addmm(L, "addmm", false); }
static int l_addmm_in_place(lua_State *L) { return addmm(L, "addmm_", true); }

/* ---- linear ---- */

/* Pushes and returns a message if linear's arguments are wrong; otherwise returns NULL. */
static const char *linear_fault(lua_State *L, const tensor *const t[3]) {
  static const char *const names[] = {"the input", "the weight", "the bias"};
  for (int i = 0; i < 3; i++) {
    if (i == 2 && !lua_toboolean(L, 3)) break;
    if (!t[i]) return lua_pushfstring(L, "%s: tensor expected, got %s", names[i], type_name(L, i + 1));
    if (tensor_is_gone(t[i])) return lua_pushfstring(L, "%s: %s", names[i], push_gone(L, t[i]));
    if (t[i]->dtype != t[0]->dtype)
      return lua_pushfstring(L, "the input is %s, %s %s; use :to(\"%s\")", dtypes[t[0]->dtype].name, names[i],
                             dtypes[t[i]->dtype].name, dtypes[t[i]->dtype].name);
    if (t[i]->dtype == DT_bool) return lua_pushfstring(L, "%s: not for bool", names[i]);
    if (!place_equal(t[i]->store->place, t[0]->store->place))
      return lua_pushfstring(L, "the input is on %s, %s on %s", push_place(L, t[0]->store->place), names[i],
                             push_place(L, t[i]->store->place));
  }
  const shape *x = &t[0]->shape, *w = &t[1]->shape, *b = t[2] ? &t[2]->shape : NULL;
  if (w->ndim != 2)
    return lua_pushfstring(L, "the weight: [outputs, inputs] expected, its shape is %s", push_shape(L, w));
  if (x->ndim == 0 || x->dim[x->ndim - 1] != w->dim[1])
    return lua_pushfstring(L, "the input's last dim must be %I, its shape is %s", (LUAI_UACINT)w->dim[1],
                           push_shape(L, x));
  if (b && (b->ndim != 1 || b->dim[0] != w->dim[0]))
    return lua_pushfstring(L, "the bias: [%I] expected, its shape is %s", (LUAI_UACINT)w->dim[0], push_shape(L, b));
  return NULL;
}

/* linear(x, weight, bias): returns x Wᵀ + b. If the arguments are wrong, returns nil and a message.
** nn.functional.linear adds the script's line to this message. */
static int l_linear(lua_State *L) {
  lua_settop(L, 3);
  const tensor *t[3] = {test_tensor(L, 1), test_tensor(L, 2), test_tensor(L, 3)};
  const char *fault = linear_fault(L, t);
  if (fault) return lua_pushnil(L), lua_pushstring(L, fault), 2;
  lua_settop(L, 3);
  tensor turned = *t[1];
  view_move(&turned, 0, 1);
  matmul_job j = {.kind = MATMUL_matmul, .a = t[0], .b = &turned};
  prepare(L, "linear", &j);
  tensor *out = push_tensor_later(L, "linear", j.dtype, &j.shape, j.a->store->place);
  int st;
  TRY(L, out->store->place, st, product_run_later("linear", &j, t[2], out, one, t[2] ? one : zero));
  if (st != OK) return raise_product(L, "linear", st, &j, out);
  return finish_record(L, &(op_record){.name = "linear", .nin = t[2] ? 3 : 2, .in = {1, 2, 3}});
}

/* ---- precision ---- */

static const char *const precisions[] = {"ieee", "bf16x9", "tf32"};      /* in the order of enum precision */

/* Raises an error if no device on this machine has the precision. All devices have "ieee", and "tf32" means "ieee" on
** devices that do not round. */
static void check_available(lua_State *L, enum precision p) {
  char reason[512] = "no NVIDIA GPU is available";
  const device *d;
  if (p != PRECISION_bf16x9) return;
  for (int k = 0; (d = device_kind(k)); k++) {
    if (!d->lacks_precision || d->count() == 0) continue;
    d->lacks_precision(p, reason, sizeof reason);
    if (!reason[0]) return;
  }
  luaL_error(L, "set_matmul_precision: \"%s\" needs cuBLAS 12.9 or newer: %s", precisions[p], reason);
}

/***
Sets the precision of float32 products, for the whole process. "ieee": every product and sum is rounded to float32.
"tf32": a GPU may round the inputs to 10 bits of mantissa, because its tensor cores multiply such numbers several times
faster. The errors are about 1e-3 of the magnitudes. "bf16x9": cuBLAS may split each input into three bfloat16 numbers and
add their nine products in float32, on GPUs of compute capability 10.x. The errors are about those of float32. On the CPU,
and for other dtypes, all are the same.
@function set_matmul_precision
@string precision "ieee" (initially), "tf32" or "bf16x9"
@raise if the precision is "bf16x9" and there is no cuBLAS 12.9 or newer
*/
static int l_set_precision(lua_State *L) {
  static const char expected[] = "set_matmul_precision: \"ieee\", \"tf32\" or \"bf16x9\" expected, got ";
  check_no_sandbox(L, "set_matmul_precision");
  if (lua_type(L, 1) != LUA_TSTRING) return luaL_error(L, "%s%s", expected, type_name(L, 1));
  for (int p = PRECISION_ieee; p <= PRECISION_tf32; p++)
    if (strcmp(lua_tostring(L, 1), precisions[p]) == 0) {
      check_available(L, (enum precision)p);
      matmul_set_precision((enum precision)p);
      return 0;
    }
  return luaL_error(L, "%s\"%s\"", expected, lua_tostring(L, 1));
}

/*** Returns the precision of float32 matrix products on GPUs.
@function get_matmul_precision
@treturn string the precision of float32 products: "ieee", "tf32" or "bf16x9"
*/
static int l_get_precision(lua_State *L) {
  lua_pushstring(L, precisions[matmul_precision()]);
  return 1;
}

static const function_row functions[] = {
  {"linear", l_linear, INTERNAL}, {"set_matmul_precision", l_set_precision, 1},
  {"get_matmul_precision", l_get_precision, 0}, {NULL, NULL, 0}
};
static const function_row methods[] = {{"vecdot", l_vecdot, 4}, {"addmm", l_addmm, 4}, {NULL, NULL, 0}};
static const function_row in_place[] = {{"addmm_", l_addmm_in_place, 4}, {NULL, NULL, 0}};

void open_matmul(lua_State *L) {
  add_functions(L, functions);
  add_methods(L, methods);
  add_method_forms(L, in_place);
  for (size_t i = 0; i < sizeof products / sizeof *products; i++)
    for (int table = 1; table <= 2; table++) {
      lua_pushinteger(L, (lua_Integer)i);
      lua_pushcclosure(L, l_product, 1);
      lua_setfield(L, table, products[i].name);
    }
}
