/* Cross entropy whose targets are classes, for nn.functional.cross_entropy, which has checked the arguments. */

#include "lua/args.h"
#include "lua/array/index.h"
#include "lua/register.h"
#include "op/nn/cross_entropy.h"

static const char *const fn = "cross_entropy";

static const char *const reductions_of[] = {
  [CROSS_ENTROPY_none] = "none", [CROSS_ENTROPY_mean] = "mean", [CROSS_ENTROPY_sum] = "sum", NULL
};

/* Reads the arguments from stack index i on: logits, classes, reduction, ignored class. */
static void check_job(lua_State *L, int i, cross_entropy_job *j) {
  *j = (cross_entropy_job){.x = check_tensor_later(L, i, fn), .classes = check_tensor_later(L, i + 1, fn),
                           .reduction = (enum cross_entropy_reduction)luaL_checkoption(L, i + 2, "mean", reductions_of),
                           .ignores = !lua_isnoneornil(L, i + 3)};
  if (j->ignores) j->ignored = check_integer(L, i + 3, fn, "ignore_index");
  int st = cross_entropy_prepare(j);
  if (st == ERR_RANK) luaL_error(L, "%s: logits of shape [N, C] expected", fn);
  if (st == ERR_INNER) luaL_error(L, "%s: as many classes as rows expected", fn);
  if (st != OK) raise(L, fn, st, (const tensor *[]){j->x, j->classes}, 2);
}

/* cross_entropy(logits, classes, reduction, ignored): returns the losses [N], or their sum or mean. logits are [N, C],
** classes [N] are integers, and ignored may be nil. If a class is out of bounds, returns nil and the error message; on
** a GPU the next wait raises the error. */
static int l_cross_entropy(lua_State *L) {
  cross_entropy_job j;
  lua_settop(L, 4);
  check_job(L, 1, &j);
  place where = j.x->store->place;
  tensor *out = push_tensor_later(L, fn, j.compute, &j.losses, where);
  tensor *sums = push_tensor_later(L, fn, j.compute, &j.sums, where);
  int64_t bad;
  int st;
  TRY(L, where, st, cross_entropy_run_later(&j, out, sums, &bad));
  if (st == ERR_INDEX) {
    lua_pushnil(L);
    lua_pushfstring(L, "class %I is out of range: classes are 1 … %I", (LUAI_UACINT)bad, (LUAI_UACINT)j.x->shape.dim[1]);
    return 2;
  }
  if (st != OK) return raise(L, fn, st, &j.x, 1);
  if (j.x->dtype != j.compute) {
    push_copy_later(L, fn, out, j.x->dtype);
    lua_insert(L, -2);
  }
  /* the ignored class has 64 bits, but op_params has doubles, so each half of 32 bits is passed as a double */
  op_params p = {.dim = (int)j.reduction, .flag = j.ignores, .number = {(double)(j.ignored >> 32), (double)(uint32_t)j.ignored}};
  finish_record(L, &(op_record){.name = fn, .params = &p, .nin = 2, .in = {1, 2}, .nout = 2});
  tensor_drop(sums);
  lua_pop(L, 1);
  return 1;
}

/* cross_entropy_gradient(g, sums, logits, classes, reduction, ignored): returns the gradient of the logits, where g
** is the gradient of the result, and sums was computed by the forward call. The other arguments are those of
** cross_entropy. */
static int l_gradient(lua_State *L) {
  cross_entropy_job j;
  lua_settop(L, 6);
  const tensor *g = check_tensor_later(L, 1, fn), *sums = check_tensor_later(L, 2, fn);
  check_job(L, 3, &j);
  place where = j.x->store->place;
  tensor *out = push_tensor_later(L, fn, j.x->dtype, &j.x->shape, where);
  int st;
  TRY(L, where, st, cross_entropy_back_later(&j, g, sums, out));
  if (st == ERR_INNER) return luaL_error(L, "%s: the kept sums are of another call", fn);
  if (st != OK) return raise(L, fn, st == ERR_INDEX ? ERR_LATE : st, &j.x, 1);
  return finish_op(L, false);
}

static const function_row functions[] = {
  {"cross_entropy", l_cross_entropy, INTERNAL}, {"cross_entropy_gradient", l_gradient, INTERNAL}, {NULL, NULL, 0}
};

void open_cross_entropy(lua_State *L) { add_functions(L, functions); }
