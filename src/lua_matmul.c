/* Matrix products. */

#include "lua_args.h"
#include "lua_tensor.h"
#include "op_matmul.h"

static const char *const product_options[] = {"out", NULL};
static const scalar zero = {.f = 0, .i = 0}, one = {.f = 1, .i = 1};

/* Would y.T fit? Then it is what was meant, as in x @ y.T. */
static int raise_inner(lua_State *L, const char *fn, const tensor *a, const tensor *b) {
  int64_t k = a->shape.dim[a->shape.ndim - 1];
  bool fits = b->shape.ndim == 2 && b->shape.dim[1] == k;
  push_shape(L, &a->shape);
  push_shape(L, &b->shape);
  return luaL_error(L, "%s: inner dims differ: %s × %s%s", fn, lua_tostring(L, -2), lua_tostring(L, -1),
                    fits ? "; did you mean y.T?" : "");
}

static int raise_product(lua_State *L, const char *fn, int status, const matmul_job *j, const tensor *out) {
  const tensor *t[2] = {j->a, j->b};
  switch (status) {
    case ERR_INNER: return raise_inner(L, fn, j->a, j->b);
    case ERR_RANK:  return luaL_error(L, "%s: a 0-d tensor has no rows or columns; use x:multiply(y)", fn);
    case ERR_DTYPE: return luaL_error(L, "%s: not for bool; use x:to(\"int64\")", fn);
    case ERR_BROADCAST:
      push_shape(L, &j->a->shape);
      push_shape(L, &j->b->shape);
      return luaL_error(L, "%s: the batch dims of %s and %s do not broadcast", fn, lua_tostring(L, -2),
                        lua_tostring(L, -1));
    case ERR_OUT_SHAPE:
      push_shape(L, &out->shape);
      push_shape(L, &j->shape);
      return luaL_error(L, "%s: out has shape %s, the result %s", fn, lua_tostring(L, -2), lua_tostring(L, -1));
    case ERR_CAST: case ERR_READONLY: case ERR_OVERLAP: t[0] = out; return raise(L, fn, status, t, 2);
    default: return raise(L, fn, status, t, 2);
  }
}

/* Arguments 1 and 2 as the job's tensors, and its result on the stack: option out, or fresh. */
static tensor *prepare(lua_State *L, const char *fn, int options, matmul_job *j) {
  j->a = check_tensor(L, 1, fn);
  j->b = check_tensor(L, 2, fn);
  int st = matmul_prepare(j);
  if (st != OK) raise_product(L, fn, st, j, NULL);
  tensor *out = opt_out(L, options, fn);
  if (out) lua_getfield(L, options, "out");
  else out = push_tensor(L, fn, j->dtype, &j->shape, j->a->store->place);
  return out;
}

static int product(lua_State *L, const char *fn, enum matmul_kind kind) {
  int nargs, options = check_options(L, fn, product_options, &nargs);
  if (nargs != 2) return luaL_error(L, "%s: 2 arguments expected, got %d", fn, nargs);
  matmul_job j = {.kind = kind};
  tensor *out = prepare(L, fn, options, &j);
  int st = matmul_run(&j, out, one, zero);
  return st == OK ? finish_op(L, options != 0) : raise_product(L, fn, st, &j, out);
}

static int l_matmul(lua_State *L) { return product(L, "matmul", MATMUL_matmul); }

static const luaL_Reg methods[] = {{"matmul", l_matmul}, {NULL, NULL}};

void open_matmul(lua_State *L) { add_methods(L, methods); }
