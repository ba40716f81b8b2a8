/* Cross entropy: what nn.functional.cross_entropy calls for classes. Its arguments were checked there. */

#include "base/dispatch.h"
#include "lua/args.h"
#include "lua/array/index.h"
#include "lua/register.h"

static const char *const fn = "cross_entropy";

static const char *const reductions_of[] = {
  [CROSS_ENTROPY_none] = "none", [CROSS_ENTROPY_mean] = "mean", [CROSS_ENTROPY_sum] = "sum", NULL
};

/* Logits at stack index i, classes, reduction, ignored after it. */
static void check_call(lua_State *L, int i, cross_entropy_call *c, place *where) {
  const tensor *x = check_tensor(L, i, fn), *classes = check_tensor(L, i + 1, fn);
  if (x->shape.ndim != 2 || dtype_kind(x->dtype) != KIND_FLOAT) luaL_error(L, "%s: logits of shape [N, C] expected", fn);
  if (classes->shape.ndim != 1 || classes->count != x->shape.dim[0] || dtype_kind(classes->dtype) == KIND_FLOAT)
    luaL_error(L, "%s: as many classes as rows expected", fn);
  if (!place_equal(x->store->place, classes->store->place)) raise(L, fn, ERR_DEVICES, (const tensor *[]){x, classes}, 2);
  c->reduction = (enum cross_entropy_reduction)luaL_checkoption(L, i + 2, "mean", reductions_of);
  c->ignores = !lua_isnoneornil(L, i + 3);
  c->ignored = c->ignores ? check_integer(L, i + 3, fn, "ignore_index") : 0;
  c->compute = (enum dtype)dtypes[x->dtype].compute;
  c->rows = x->shape.dim[0];
  c->n = x->shape.dim[1];
  x = to_plain(L, fn, x, x->dtype);
  c->in = (operand){.data = tensor_data(x), .dtype = x->dtype};
  c->classes = tensor_data(to_plain(L, fn, classes, DT_int64));
  *where = x->store->place;
}

/* cross_entropy(logits, classes, reduction, ignored): the losses [N], their sum or their mean; logits [N, C], classes [N] of
** integers; ignored may be nil. A class that there is not: nil and what is wrong with it (on a GPU the next wait says so). */
static int l_cross_entropy(lua_State *L) {
  int64_t bad;
  cross_entropy_call c = {.bad = &bad};
  place where;
  lua_settop(L, 4);
  check_call(L, 1, &c, &where);
  const tensor *x = check_tensor(L, 1, fn);
  shape all = {1, {c.rows}}, one = {0, {0}}, kept = {1, {2 * c.rows + 1}};
  tensor *out = push_tensor(L, fn, c.compute, c.reduction == CROSS_ENTROPY_none ? &all : &one, where);
  tensor *sums = push_tensor(L, fn, c.compute, &kept, where);
  c.losses = tensor_data(out);
  c.sums = tensor_data(sums);
  int st;
  TRY(L, where, st, device_cross_entropy(where, &c));
  if (st == ERR_INDEX) {
    lua_pushnil(L);
    lua_pushfstring(L, "class %I is out of range: classes are 1 … %I", (LUAI_UACINT)bad, (LUAI_UACINT)c.n);
    return 2;
  }
  if (st != OK) return raise(L, fn, st, &x, 1);
  if (x->dtype != c.compute) {
    push_copy(L, fn, out, x->dtype);
    lua_insert(L, -2);
  }
  /* a double holds half of an integer */
  op_params p = {.dim = (int)c.reduction, .flag = c.ignores, .number = {(double)(c.ignored >> 32), (double)(uint32_t)c.ignored}};
  finish_record(L, &(op_record){.name = fn, .params = &p, .nin = 2, .in = {1, 2}, .nout = 2});
  tensor_drop(sums);
  lua_pop(L, 1);
  return 1;
}

/* cross_entropy_gradient(g, sums, logits, classes, reduction, ignored): that of the logits, by what the call kept. */
static int l_gradient(lua_State *L) {
  int64_t bad;
  cross_entropy_call c = {.backward = true, .bad = &bad};
  place where;
  lua_settop(L, 6);
  const tensor *g = check_tensor(L, 1, fn), *sums = check_tensor(L, 2, fn), *x = check_tensor(L, 3, fn);
  check_call(L, 3, &c, &where);
  int64_t losses = c.reduction == CROSS_ENTROPY_none ? c.rows : 1;
  if (sums->count != 2 * c.rows + 1 || sums->dtype != c.compute || g->count != losses)
    return luaL_error(L, "%s: what the call kept is of another one", fn);
  c.losses = tensor_data(to_plain(L, fn, g, c.compute));
  c.sums = tensor_data(to_plain(L, fn, sums, c.compute));
  tensor *out = push_tensor(L, fn, x->dtype, &x->shape, where);
  c.out = (operand){.data = tensor_data(out), .dtype = out->dtype};
  int st;
  TRY(L, where, st, device_cross_entropy(where, &c));
  if (st != OK) return raise(L, fn, st == ERR_INDEX ? ERR_LATE : st, &x, 1);
  return finish_op(L, false);
}

static const function_row functions[] = {
  {"cross_entropy", l_cross_entropy, ANY}, {"cross_entropy_gradient", l_gradient, ANY}, {NULL, NULL, 0}
};

void open_cross_entropy(lua_State *L) { add_functions(L, functions); }
