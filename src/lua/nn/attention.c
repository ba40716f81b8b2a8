/* The forward and the backward pass of attention, for lua/luatensor/nn/functional/attention.lua. */

#include "lua/args.h"
#include "lua/register.h"
#include "op/nn/attention.h"

/* The stack indices of the tensors. scale and causal are at 4 and 5. */
static const int argument[ATTENTION_TENSORS] = {
  [ATTENTION_q] = 1, [ATTENTION_k] = 2, [ATTENTION_v] = 3, [ATTENTION_mask] = 6, [ATTENTION_o] = 7, [ATTENTION_log_sums] = 8,
  [ATTENTION_dout] = 9, [ATTENTION_dq] = 10, [ATTENTION_dk] = 11, [ATTENTION_dv] = 12
};

static bool may_lack(enum attention_tensor k) { return k == ATTENTION_mask || k == ATTENTION_log_sums; }

static int run(lua_State *L, bool back) {
  attention_job j = {.back = back, .scale = luaL_checknumber(L, 4), .causal = lua_toboolean(L, 5)};
  enum attention_tensor wrong;
  for (int k = 0; k < (back ? ATTENTION_TENSORS : ATTENTION_dout); k++)
    if (!may_lack((enum attention_tensor)k) || !lua_isnoneornil(L, argument[k]))
      j.at[k] = check_tensor_later(L, argument[k], "attention");
  place where = j.at[ATTENTION_q]->store->place;
  int st;
  TRY(L, where, st, attention_run_later(&j, &wrong));
  if (st == OK) return 0;
  if (st == ERR_INNER)
    return luaL_argerror(L, argument[wrong], wrong == ATTENTION_mask ? "no mask of this attention" :
                         wrong == ATTENTION_log_sums ? "no sums of this attention" : "no operand of this attention");
  return raise(L, "attention", st, (const tensor *[]){j.at[ATTENTION_q]}, 1);
}

/* attention(q, k, v, scale, causal, mask, o, log_sums): writes the result to o. Unless log_sums is nil, writes to
** log_sums the log-sum-exp of each row of scores. */
static int l_attention(lua_State *L) { return run(L, false); }

/* attention_back(q, k, v, scale, causal, mask, o, log_sums, dout, dq, dk, dv): writes dq, dk and dv. */
static int l_back(lua_State *L) { return run(L, true); }

/* has_attention(x, back, causal, batch, heads, queries, keys, width, out_width): true if attention and, if `back` is
** true, attention_back should compute an attention of tensors with x's dtype on x's device. */
static int l_has_attention(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "has_attention");
  int64_t size[6];
  for (int i = 0; i < 6; i++) size[i] = luaL_checkinteger(L, 4 + i);
  attention_call c = {.dtype = x->dtype, .back = lua_toboolean(L, 2), .causal = lua_toboolean(L, 3), .batch = size[0],
                      .heads = size[1], .queries = size[2], .keys = size[3], .width = size[4], .out_width = size[5]};
  lua_pushboolean(L, attention_is_fused(x->store->place, &c));
  return 1;
}

static const function_row functions[] = {
  {"attention", l_attention, INTERNAL}, {"attention_back", l_back, INTERNAL},
  {"has_attention", l_has_attention, INTERNAL}, {NULL, NULL, 0}
};

void open_attention(lua_State *L) {
  add_functions(L, functions);
}
