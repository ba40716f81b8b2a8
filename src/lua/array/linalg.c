/* The functions of lt.linalg that LAPACK, or a GPU's library, computes. lua/luatensor/array/linalg.lua builds further
** functions from these functions. */

#include <string.h>

#include "base/view.h"
#include "lua/args.h"
#include "lua/register.h"
#include "op/linalg.h"

/* ---- errors ---- */

static int raise_shape(lua_State *L, const char *fn, const char *what, const tensor *t) {
  return luaL_error(L, "%s: %s, got shape %s", fn, what, push_shape(L, &t->shape));
}

static int raise_pair(lua_State *L, const char *fn, const char *what, const linalg_job *j) {
  return luaL_error(L, "%s: %s: %s and %s", fn, what, push_shape(L, &j->a->shape), push_shape(L, &j->b->shape));
}

static int raise_matrix(lua_State *L, const char *fn, const linalg_job *j) {
  char text[OPAQUE_WORDS];
  linalg_words(text, sizeof text, fn, j);
  return luaL_error(L, "%s", text);
}

static int raise_linalg(lua_State *L, const char *fn, int status, const linalg_job *j) {
  const tensor *t[] = {j->a, j->b, j->pivots};
  switch (status) {
    case ERR_RANK:
      if (j->a->shape.ndim < 2) return raise_shape(L, fn, "a matrix or a batch of them expected", j->a);
      return raise_shape(L, fn, "a vector, a matrix or a batch of them expected on the right", j->b);
    case ERR_SQUARE:    return raise_shape(L, fn, "square matrices expected", j->a);
    case ERR_INNER:     return raise_pair(L, fn, "the numbers of rows differ", j);
    case ERR_BROADCAST: return raise_pair(L, fn, "the batch dims do not broadcast", j);
    case ERR_DTYPE:     return luaL_error(L, "%s: not for %s; use x:to(\"float32\")", fn, dtypes[j->dtype].name);
    case ERR_OVERFLOW:  return raise_shape(L, fn, "the matrices are too large for LAPACK", j->a);
    case ERR_MATRIX:    return raise_matrix(L, fn, j);
    default:            return raise(L, fn, status, t, j->pivots ? 3 : j->b ? 2 : 1);
  }
}

/* ---- calls ---- */

/* Pushes a new tensor for result r. If r->columns is set, the tensor's matrices are column-major. */
static tensor *push_result(lua_State *L, const char *fn, const linalg_result *r, place where) {
  shape s = r->shape;
  int last = s.ndim - 1;
  if (!r->columns) return push_tensor_later(L, fn, r->dtype, &s, where);
  s.dim[last] = r->shape.dim[last - 1];
  s.dim[last - 1] = r->shape.dim[last];
  tensor *t = push_tensor_later(L, fn, r->dtype, &s, where);
  view_swap(t, last - 1, last);
  return t;
}

/* Prepares the job, pushes new tensors for its results, and runs it. Returns the number of results. */
static int finish(lua_State *L, const char *fn, linalg_job *j) {
  int st = linalg_prepare(j);
  if (st != OK) return raise_linalg(L, fn, st, j);
  place where = j->a->store->place;
  tensor *out[LINALG_RESULTS];
  luaL_checkstack(L, LINALG_RESULTS + LUA_MINSTACK, NULL);
  for (int i = 0; i < j->nout; i++) out[i] = push_result(L, fn, &j->out[i], where);
  TRY(L, where, st, linalg_run_later(fn, j, out));
  if (st != OK) return raise_linalg(L, fn, st, j);
  op_params params = {.flag = j->upper};
  finish_record(L, &(op_record){.name = fn, .params = &params, .nin = j->pivots ? 3 : j->b ? 2 : 1, .in = {1, 2, 3},
                                .nout = (short)j->nout});
  return j->nout;
}

/* Reads argument 1, the only tensor, and checks that all options are in `known`. Returns the stack index of the
** options, or 0. */
static int begin(lua_State *L, const char *fn, const char *const *known, linalg_job *j) {
  int nargs, options = check_options(L, fn, known, &nargs);
  j->a = check_tensor_later(L, 1, fn);
  if (nargs != 1) luaL_error(L, "%s: 1 argument and options expected, got %d%s", fn, nargs, push_positions(L, fn, 2, nargs));
  return options;
}

/* Functions of one tensor without options, and the op that each of them runs. vectors: the results include
** eigenvectors. */
static const struct plain { const char *name; enum linalg_op op; bool vectors; } plains[] = {
  {"inv", LINALG_inv, false}, {"det", LINALG_det, false}, {"slogdet", LINALG_slogdet, false},
  {"svdvals", LINALG_svd, false}, {"eig", LINALG_eig, true}, {"eigvals", LINALG_eig, false},
  {"lu_factor", LINALG_lu, false},
};

/***
Computes the inverses of square matrices.
@function linalg.inv
@tparam Tensor x [..., n, n], float32, float64 or complex; integers become the default float
@treturn Tensor [..., n, n]
@raise if a matrix is singular
*/
/***
Computes the determinants of square matrices.
@function linalg.det
@tparam Tensor x [..., n, n]
@treturn Tensor [...]; 1 for matrices of shape [0, 0], 0 for singular ones
*/
/***
Computes the sign and the logarithm of determinants, even if the determinants overflow or underflow.
@function linalg.slogdet
@tparam Tensor x [..., n, n]
@treturn Tensor [...]: -1, 0 or 1; for complex matrices det / |det|
@treturn Tensor [...]: log(|det|), -inf for singular matrices
*/
/***
Computes the singular values in descending order.
@function linalg.svdvals
@tparam Tensor x [..., m, n]
@treturn Tensor [..., min(m, n)], real
*/
/***
Computes eigenvalues and eigenvectors of square matrices that need not be symmetric: x V = V diag(values), where V has the
eigenvectors as columns.

Gradients require that all eigenvalues differ, and that the loss does not change if an eigenvector is multiplied by a
factor of absolute value 1.
@function linalg.eig
@tparam Tensor x [..., n, n]
@treturn Tensor eigenvalues [..., n], complex, in no particular order
@treturn Tensor eigenvectors [..., n, n], complex: columns of length 1
*/
/***
Computes the eigenvalues of square matrices that need not be symmetric.
@function linalg.eigvals
@tparam Tensor x [..., n, n]
@treturn Tensor [..., n], complex, in no particular order
*/
/***
Computes an LU factorization in the form that lu_solve takes.
@function linalg.lu_factor
@tparam Tensor x [..., m, n]
@treturn Tensor [..., m, n]: U on and above the diagonal, L below it; the ones on L's diagonal are
not stored
@treturn Tensor pivots [..., min(m, n)], int32: row i was swapped with row pivots[i], for i = 1, 2, …
*/
static int l_plain(lua_State *L) {
  const struct plain *p = &plains[lua_tointeger(L, lua_upvalueindex(1))];
  linalg_job j = {.op = p->op, .vectors = p->vectors};
  check_most(L, p->name, 1);
  j.a = check_tensor_later(L, 1, p->name);
  return finish(L, p->name, &j);
}

static const char *const upper_options[] = {"upper", NULL};

/***
Computes the Cholesky factors of symmetric (complex: Hermitian) matrices that are positive definite. Only one triangle
is read; the gradient goes to both triangles.
@function linalg.cholesky
@tparam Tensor x [..., n, n]
@tparam[opt] table options `upper`: reads the upper triangle and gives U with x = Uᴴ U
@treturn Tensor [..., n, n]: L with x = L Lᴴ
@raise if a matrix is not positive definite
*/
static int l_cholesky(lua_State *L) {
  linalg_job j = {.op = LINALG_cholesky};
  int options = begin(L, "cholesky", upper_options, &j);
  j.upper = opt_bool(L, options, "cholesky", "upper", false);
  return finish(L, "cholesky", &j);
}

static int eigh(lua_State *L, const char *fn, bool vectors) {
  linalg_job j = {.op = LINALG_eigh, .vectors = vectors};
  int options = begin(L, fn, upper_options, &j);
  j.upper = opt_bool(L, options, fn, "upper", false);
  return finish(L, fn, &j);
}

/***
Computes eigenvalues and eigenvectors of symmetric (complex: Hermitian) matrices: x = V diag(values) Vᴴ, where V has the
eigenvectors as columns. Only one triangle of x is read.

Gradients go to both triangles. They require that all eigenvalues differ, and that the loss does not change if an
eigenvector is multiplied by a factor of absolute value 1.
@function linalg.eigh
@tparam Tensor x [..., n, n]
@tparam[opt] table options `upper`: reads the upper triangle instead of the lower one
@treturn Tensor eigenvalues [..., n], real, ascending
@treturn Tensor eigenvectors [..., n, n]: orthonormal columns
*/
static int l_eigh(lua_State *L) { return eigh(L, "eigh", true); }

/***
Computes the eigenvalues of symmetric (complex: Hermitian) matrices. Only one triangle is read; the gradient goes to
both triangles.
@function linalg.eigvalsh
@tparam Tensor x [..., n, n]
@tparam[opt] table options `upper`: reads the upper triangle instead of the lower one
@treturn Tensor [..., n], real, ascending
*/
static int l_eigvalsh(lua_State *L) { return eigh(L, "eigvalsh", false); }

/***
Computes the QR factorization x = Q R: Q has orthonormal columns, R is upper triangular. Mode "complete" has no gradient
if x has more rows than columns. The gradient is not finite if the first min(m, n) columns are linearly dependent.
@function linalg.qr
@tparam Tensor x [..., m, n]
@tparam[opt] table options `mode`: "reduced" (default; Q [..., m, k], R [..., k, n], k = min(m, n)) or "complete" (Q
  [..., m, m], R [..., m, n])
@treturn Tensor Q
@treturn Tensor R
*/
static int l_qr(lua_State *L) {
  static const char *const known[] = {"mode", NULL};
  linalg_job j = {.op = LINALG_qr};
  int options = begin(L, "qr", known, &j);
  int type = push_option(L, options, "mode");
  const char *mode = type == LUA_TSTRING ? lua_tostring(L, -1) : type == LUA_TNIL ? "reduced" : type_name(L, -1);
  j.full = strcmp(mode, "complete") == 0;
  if (!j.full && strcmp(mode, "reduced") != 0)
    return luaL_error(L, "qr: option mode: \"reduced\" or \"complete\" expected, got %s", mode);
  return finish(L, "qr", &j);
}

/***
Computes the singular value decomposition x = U diag(S) Vh, where U has orthonormal columns and Vh orthonormal rows.

Gradients require `full_matrices` = false, and that all singular values differ. The loss must not change if a column
of U and the corresponding column of the conjugate transpose of Vh are multiplied by the same factor of absolute value
1.
@function linalg.svd
@tparam Tensor x [..., m, n]
@tparam[opt] table options `full_matrices` (default true): U [..., m, m] and Vh [..., n, n]; else [..., m, k] and [...,
  k, n], k = min(m, n)
@treturn Tensor U
@treturn Tensor S [..., k], real, descending
@treturn Tensor Vh
*/
static int l_svd(lua_State *L) {
  static const char *const known[] = {"full_matrices", NULL};
  linalg_job j = {.op = LINALG_svd, .vectors = true};
  int options = begin(L, "svd", known, &j);
  j.full = opt_bool(L, options, "svd", "full_matrices", true);
  return finish(L, "svd", &j);
}

/***
Solves a x = b for x, by LU factorization.
@function linalg.solve
@tparam Tensor a [..., n, n]
@tparam Tensor b [n], one vector, or [..., n, k]; batch dims broadcast
@treturn Tensor [..., n] or [..., n, k]
@raise if a matrix is singular
*/
static int l_solve(lua_State *L) {
  linalg_job j = {.op = LINALG_solve, .a = check_tensor_later(L, 1, "solve"), .b = check_tensor_later(L, 2, "solve")};
  return finish(L, "solve", &j);
}

/* ---- internal functions ---- */

/* lua/luatensor/array/linalg.lua calls these functions and checks their arguments. */

/* lu(x): returns L and U packed into one matrix, and for each row its 1-based position in x. */
static int l_lu(lua_State *L) {
  linalg_job j = {.op = LINALG_lu, .a = check_tensor_later(L, 1, "lu"), .full = true};
  return finish(L, "lu", &j);
}

/* lu_solve(lu, pivots, b): solves a x = b, where lu and pivots are the results of lu_factor(a). pivots must be int32,
** contiguous and in range, and must have the same batch dims as the result. */
static int l_lu_solve(lua_State *L) {
  linalg_job j = {.op = LINALG_lu_solve, .a = check_tensor_later(L, 1, "lu_solve")};
  j.b = check_tensor_later(L, 3, "lu_solve");
  j.pivots = check_tensor_later(L, 2, "lu_solve");
  return finish(L, "lu_solve", &j);
}

/* lstsq(a, b, rtol): solves least-squares problems as op/linalg.h describes. */
static int l_lstsq(lua_State *L) {
  linalg_job j = {.op = LINALG_lstsq, .a = check_tensor_later(L, 1, "lstsq"), .b = check_tensor_later(L, 2, "lstsq")};
  j.rtol = luaL_checknumber(L, 3);
  return finish(L, "lstsq", &j);
}

static const function_row functions[] = {
  {"cholesky", l_cholesky, 2}, {"eigh", l_eigh, 2}, {"eigvalsh", l_eigvalsh, 2}, {"qr", l_qr, 2}, {"svd", l_svd, 2},
  {"solve", l_solve, 2}, {NULL, NULL, 0}
};
static const luaL_Reg parts[] = {{"lu", l_lu}, {"lu_solve", l_lu_solve}, {"lstsq", l_lstsq}, {NULL, NULL}};

void open_linalg(lua_State *L) {
  push_library(L, functions);
  for (size_t i = 0; i < sizeof plains / sizeof *plains; i++) {
    lua_pushinteger(L, (lua_Integer)i);
    lua_pushcclosure(L, l_plain, 1);
    lua_setfield(L, -2, plains[i].name);
  }
  lua_setfield(L, MODULE, "linalg");
  luaL_newlib(L, parts);
  add_internal(L, "linalg_parts");
}
