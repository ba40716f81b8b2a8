/* Attention as one call, as lua/luatensor/nn/functional/attention.lua asks for it. */

#include "base/dispatch.h"
#include "lua/args.h"
#include "lua/register.h"

/* Where q is, and all else must be. */
static place place_of(lua_State *L) { return check_tensor(L, 1, "attention")->store->place; }

/* The operand at stack index i, [batch, heads, rows, width], rows contiguous. The stride of a single row or element may
** be anything, but BLAS wants rows that do not overlap. */
static attention_operand checked_operand(lua_State *L, int i, const attention_call *c, int64_t rows, int64_t width) {
  const tensor *t = check_tensor(L, i, "attention");
  const int64_t *n = t->shape.dim;
  bool fits = t->shape.ndim == 4 && t->dtype == c->dtype && n[0] == c->batch && n[1] == c->heads && n[2] == rows &&
              n[3] == width && (t->stride[3] == 1 || width == 1) && (t->stride[2] >= width || rows == 1) &&
              place_equal(t->store->place, place_of(L));
  luaL_argcheck(L, fits, i, "no operand of this attention");
  return (attention_operand){tensor_data(t), t->stride[0], t->stride[1], rows == 1 ? width : t->stride[2]};
}

/* The mask at i, broadcast to [batch, heads, queries, keys]; nil: none. */
static void set_mask(lua_State *L, int i, attention_call *c) {
  if (lua_isnoneornil(L, i)) return;
  const tensor *t = check_tensor(L, i, "attention");
  const int64_t *n = t->shape.dim;
  bool fits = t->shape.ndim == 4 && n[0] == c->batch && n[1] == c->heads && n[2] == c->queries && n[3] == c->keys &&
              (t->dtype == DT_bool || t->dtype == c->dtype) && place_equal(t->store->place, place_of(L));
  luaL_argcheck(L, fits, i, "no mask of this attention");
  c->mask = tensor_data(t);
  c->mask_dtype = t->dtype;
  for (int d = 0; d < 4; d++) c->mask_stride[d] = t->stride[d];
}

/* What q, k and v at 1 to 3 say of a call with these parameters at 4 … 6: scale, causal, mask. */
static place start(lua_State *L, attention_call *c) {
  const tensor *q = check_tensor(L, 1, "attention"), *k = check_tensor(L, 2, "attention"), *v = check_tensor(L, 3, "attention");
  luaL_argcheck(L, q->shape.ndim == 4 && k->shape.ndim == 4 && v->shape.ndim == 4 && q->count && k->count && v->count, 1,
                "4-d tensors expected");
  *c = (attention_call){.dtype = q->dtype, .batch = q->shape.dim[0], .heads = q->shape.dim[1], .queries = q->shape.dim[2],
                        .width = q->shape.dim[3], .keys = k->shape.dim[2], .out_width = v->shape.dim[3],
                        .scale = luaL_checknumber(L, 4), .causal = lua_toboolean(L, 5)};
  c->q = checked_operand(L, 1, c, c->queries, c->width);
  c->k = checked_operand(L, 2, c, c->keys, c->width);
  c->v = checked_operand(L, 3, c, c->keys, c->out_width);
  set_mask(L, 6, c);
  return q->store->place;
}

static void *log_sums(lua_State *L, int i, const attention_call *c) {
  if (lua_isnoneornil(L, i)) return NULL;
  const tensor *t = check_tensor(L, i, "attention");
  bool fits = t->dtype == c->dtype && t->count == c->batch * c->heads * c->queries && tensor_is_contiguous(t) &&
              place_equal(t->store->place, place_of(L));
  luaL_argcheck(L, fits, i, "no sums of this attention");
  return tensor_data(t);
}

static int finish(lua_State *L, const attention_call *c, place where) {
  int st;
  TRY(L, where, st, device_attention(where, c));
  return st == OK ? 0 : raise(L, "attention", st, (const tensor *[]){check_tensor(L, 1, "attention")}, 1);
}

/* attention(q, k, v, scale, causal, mask, o, log_sums): writes o and, where they are wanted, the sums. */
static int l_attention(lua_State *L) {
  attention_call c;
  place where = start(L, &c);
  c.o = checked_operand(L, 7, &c, c.queries, c.out_width);
  c.log_sums = log_sums(L, 8, &c);
  return finish(L, &c, where);
}

/* attention_back(q, k, v, scale, causal, mask, o, log_sums, dout, dq, dk, dv): writes the last three. */
static int l_back(lua_State *L) {
  attention_call c;
  place where = start(L, &c);
  c.back = true;
  c.o = checked_operand(L, 7, &c, c.queries, c.out_width);
  c.log_sums = log_sums(L, 8, &c);
  c.dout = checked_operand(L, 9, &c, c.queries, c.out_width);
  c.dq = checked_operand(L, 10, &c, c.queries, c.width);
  c.dk = checked_operand(L, 11, &c, c.keys, c.width);
  c.dv = checked_operand(L, 12, &c, c.keys, c.out_width);
  return finish(L, &c, where);
}

static const function_row functions[] = {
  {"attention", l_attention, ANY}, {"attention_back", l_back, ANY}, {NULL, NULL, 0}
};

void open_attention(lua_State *L) {
  add_functions(L, functions);
}
