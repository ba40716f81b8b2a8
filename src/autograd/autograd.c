/* Autograd's recorder: makes a node for each op on tensors that need gradients. lua/luatensor/autograd/engine.lua runs
** the backward pass. */

#include <string.h>

#include "autograd/node.h"
#include "autograd/autograd.h"
#include "lua/collect.h"
#include "lua/mode.h"
#include "lua/register.h"

static const char state_key = 0;

grad_state *push_state(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key);
  return lua_touserdata(L, -1);
}

/* ---- recording ---- */

static int count_inputs(lua_State *L, const op_record *r) {
  return r->list ? (int)lua_rawlen(L, r->in[0]) : r->nin;
}

/* Returns input k, or NULL if input k is no tensor. (Tensors are the only userdata that ops take.) The list of inputs
** or the stack keeps the tensor alive. */
static tensor_userdata *input(lua_State *L, const op_record *r, int k) {
  if (!r->list) return lua_touserdata(L, r->in[k]);
  lua_rawgeti(L, r->in[0], k + 1);
  tensor_userdata *u = test_userdata(L, -1);
  lua_pop(L, 1);
  return u;
}

/* True if an input needs a gradient. *dims becomes the sum of the numbers of dims of all inputs. */
static bool is_recorded(lua_State *L, const op_record *r, int nin, int *dims) {
  bool needs = false;
  *dims = 0;
  for (int k = 0; k < nin; k++) {
    const tensor_userdata *u = input(L, r, k);
    if (!u) continue;
    *dims += u->tensor.shape.ndim;
    needs |= u->needs_grad;
  }
  return needs;
}

/* Pushes the destination of the gradient of u, which is input k: u itself if u is a leaf, else the node of u. */
static void push_edge(lua_State *L, const op_record *r, int k, const tensor_userdata *u) {
  if (r->list) lua_rawgeti(L, r->in[0], k + 1);
  int at = r->list ? lua_gettop(L) : r->in[k];
  if (u->is_leaf) lua_pushvalue(L, at);
  else lua_getiuservalue(L, at, 1);
  if (r->list) lua_remove(L, at);
}

/* Returns a bit mask of the inputs whose gradients are wanted: bit k stands for input k. */
static unsigned wanted_inputs(const node *n) {
  unsigned wanted = 0;
  for (int k = 0; k < n->nin && k < MAX_IN; k++) wanted |= (unsigned)n->value[n->nout + k].needs << k;
  return wanted;
}

/* Returns a bit mask of the values that the rule needs for the gradients of the inputs in bit mask `wanted`. Bit k
** stands for value k: first the nout results, then the inputs. If rule is NULL, no value is needed. *params becomes
** true if the rule needs the parameters of the call, else false. */
static uint64_t needed_values(const rule *rule, unsigned wanted, int nout, bool *params) {
  uint64_t mask = 0;
  *params = false;
  for (int k = 0; rule && k <= rule->n; k++) {
    if (k == 0 ? !rule->all : !(wanted >> (k - 1) & 1)) continue;
    for (const char *c = rule->needs[k]; *c; c++) {
      if (*c == 'p') *params = true;
      else if (*c == 's') continue;
      else if (*c == 'o') mask |= 1;
      else if (*c >= '1' && *c <= '9') mask |= (uint64_t)1 << (*c - '1');
      else mask |= (uint64_t)1 << (nout + (*c == 'w' ? 3 : *c - 'x'));
    }
  }
  return mask;
}

/* Sets the edges of the node at stack index `at`: the destinations of the gradients of the node's inputs. */
static void set_edges(lua_State *L, const op_record *r, int at, node *n) {
  for (int k = 0; k < n->nin; k++) {
    const tensor_userdata *u = input(L, r, k);
    if (!u || !u->needs_grad) continue;
    node_value *v = &n->value[n->nout + k];
    v->needs = true;
    v->is_leaf = u->is_leaf;
    v->output = u->output;
    push_edge(L, r, k, u);
    lua_setiuservalue(L, at, NODE_EDGES + k);
  }
}

static tensor *result_at(lua_State *L, int i) { return &((tensor_userdata *)lua_touserdata(L, i))->tensor; }

/* Stores the shapes of all results and inputs in the node, and the values of inputs that are numbers. The node also
** keeps the elements of value k if bit k of `needed` is set. */
static void set_values(lua_State *L, const op_record *r, int out, node *n, uint64_t needed) {
  int64_t *room = (int64_t *)(void *)&n->value[n->nin + n->nout];
  const storage *written = r->in_place ? result_at(L, out)->store : NULL;
  for (int k = 0; k < n->nout; k++) node_set_tensor(&n->value[k], result_at(L, out + k), needed >> k & 1, false, &room);
  for (int k = 0; k < n->nin; k++) {
    const tensor_userdata *u = input(L, r, k);
    int value = n->nout + k;
    bool keep = value < 64 && needed >> value & 1;
    if (u && u->tensor.store) node_set_tensor(&n->value[value], &u->tensor, keep, u->tensor.store == written, &room);
    else if (!u && !r->list) node_set_number(L, &n->value[value], r->in[k]);
    else if (!u) {
      lua_rawgeti(L, r->in[0], k + 1);
      node_set_number(L, &n->value[value], lua_gettop(L));
      lua_pop(L, 1);
    }
  }
}

static void set_params(lua_State *L, const op_record *r, int at, node *n, bool needed) {
  if (!needed) return;
  if (r->params) {
    n->params = *r->params;
    n->ordered = r->params->order != NULL;
    for (int d = 0; n->ordered && d < n->value[n->nout].ndim; d++) n->order[d] = (int8_t)r->params->order[d];
    n->params.order = NULL;
  }
  if (!r->first) return;
  push_arguments(L, r->first, r->last, &n->versions);
  lua_setiuservalue(L, at, NODE_ARGUMENTS);
}

/* Makes the results, from stack index `out` on, refer to the node at stack index `at`. */
static void attach_results(lua_State *L, int at, int out, const node *n) {
  for (int k = 0; k < n->nout; k++) {
    tensor_userdata *u = lua_touserdata(L, out + k);
    if (!can_need(u->tensor.dtype)) continue;
    lua_pushvalue(L, at);
    lua_setiuservalue(L, out + k, 1);
    u->needs_grad = true;
    u->is_leaf = false;
    u->output = k;
  }
}

void make_constant(lua_State *L, int i, tensor_userdata *u) {
  lua_pushnil(L);
  lua_setiuservalue(L, i, 1);
  u->needs_grad = false;
  u->is_leaf = true;
}

static bool any_can_need(lua_State *L, int out, int nout) {
  for (int k = 0; k < nout; k++)
    if (can_need(result_at(L, out + k)->dtype)) return true;
  return false;
}

/* Pushes input k if it is a tensor or an item of a list, else nil. */
static void push_input(lua_State *L, const op_record *r, int k) {
  if (r->list) lua_rawgeti(L, r->in[0], k + 1);
  else if (lua_touserdata(L, r->in[k])) lua_pushvalue(L, r->in[k]);
  else lua_pushnil(L);
}

/* Calls watch.record(node, name, in_place, {result …}, {input …}) if this state has a watcher. in_place is a
** boolean. */
static void tell_watch(lua_State *L, const op_record *r, int at, int out, const node *n) {
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  if (!mode_push(L, MODE_watch)) return;
  int nin = count_inputs(L, r);
  lua_getfield(L, -1, "record");
  lua_pushvalue(L, at);
  lua_pushstring(L, n->name);
  lua_pushboolean(L, r->in_place);
  lua_createtable(L, n->nout, 0);
  for (int k = 0; k < n->nout; k++) {
    lua_pushvalue(L, out + k);
    lua_rawseti(L, -2, k + 1);
  }
  lua_createtable(L, nin, 0);
  for (int k = 0; k < nin; k++) {
    push_input(L, r, k);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  }
  lua_call(L, 5, 0);
}

/* Records an op: makes its node and attaches the results, from stack index `out` on, to the node. Leaves on the stack:
** … the results, the state, the rules, the rule, the node. */
static void push_recorded(lua_State *L, const op_record *r, int out, int nin, int dims) {
  int nout = lua_gettop(L) + 1 - out;
  grad_state *s = push_state(L);
  lua_getiuservalue(L, -1, STATE_RULES);
  lua_getfield(L, -1, r->name);
  const rule *rule = test_rule(L, -1);
  for (int k = 0; k < nout; k++) dims += result_at(L, out + k)->shape.ndim;
  node *n = push_node(L, r->name, nin, nout, dims);
  int at = lua_gettop(L);
  lua_pushvalue(L, at - 1);
  lua_setiuservalue(L, at, NODE_RULE);
  n->seq = ++s->seq;
  set_edges(L, r, at, n);
  bool params;
  uint64_t needed = needed_values(rule, wanted_inputs(n), nout, &params);
  if (needed) node_own(L, at);
  set_values(L, r, out, n, needed);
  set_params(L, r, at, n, params);
  attach_results(L, at, out, n);
  tell_watch(L, r, at, out, n);
}

static void record(lua_State *L, const op_record *r) {
  int nin = count_inputs(L, r), dims;
  bool recorded = is_recorded(L, r, nin, &dims);
  if (!recorded && !r->in_place) return;
  int top = lua_gettop(L), nout = r->nout ? r->nout : 1, out = top - nout + 1;
  tensor_userdata *first = lua_touserdata(L, out);
  if (!recorded && !first->needs_grad) return;
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  if (!mode_is_recording(L)) return;
  if (!recorded && !first->is_leaf) make_constant(L, out, first);
  else if (recorded && any_can_need(L, out, nout)) push_recorded(L, r, out, nin, dims);
  lua_settop(L, top);
}

/* ---- writing in place ---- */

/* True if one of the arguments first … last needs a gradient. Lists of tensors are searched, too. */
static bool any_needs(lua_State *L, int first, int last) {
  for (int i = first; i <= last; i++) {
    const tensor_userdata *u = test_userdata(L, i);
    if (u && u->needs_grad) return true;
    if (!lua_istable(L, i)) continue;
    for (lua_Integer k = 1, n = (lua_Integer)lua_rawlen(L, i); k <= n; k++) {
      lua_rawgeti(L, i, k);
      u = test_userdata(L, -1);
      lua_pop(L, 1);
      if (u && u->needs_grad) return true;
    }
  }
  return false;
}

/* Returns the number of other tensors that share t's memory and would share its gradient. */
static int count_shared(const tensor *t) { return t->store->refs - t->store->kept - !t->apart; }

/* True if tensors other than garbage share t's memory. A young collection frees recent garbage first. If tensors still
** share the memory, a full collection runs in any mode of the collector, because garbage must not make the caller raise
** an error. */
static bool is_shared(lua_State *L, const tensor *t) {
  if (count_shared(t) == 0) return false;
  collect_step(L);
  if (count_shared(t) == 0) return false;
  lua_gc(L, LUA_GCCOLLECT);
  return count_shared(t) > 0;
}

static void check_write(lua_State *L, const char *fn, int target) {
  int top = lua_gettop(L);
  const tensor_userdata *u = target ? test_userdata(L, target) : test_userdata(L, top);
  if (!u || !u->tensor.store || !can_need(u->tensor.dtype) || !mode_is_recording(L)) return;
  bool others = any_needs(L, 1, target ? top : top - 1);
  if (!u->needs_grad && !others) return;
  if (!target)
    luaL_error(L, "%s: option out: gradients do not pass through it; leave it out, or use lt.no_grad(fn)", fn);
  if (u->needs_grad && u->is_leaf)
    luaL_error(L, "%s: a leaf that requires gradients cannot change in place; use lt.no_grad(fn)", fn);
  if (is_shared(L, &u->tensor))
    luaL_error(L, "%s: views or a base of this tensor share its memory, and gradients would pass by them; change a "
               ":clone(), or use lt.no_grad(fn)", fn);
}

/* Returns a bit mask of the inputs whose gradients are wanted: bit k stands for input k. */
static unsigned wanted_of_record(lua_State *L, const op_record *r) {
  unsigned wanted = 0;
  for (int k = 0; k < r->nin; k++) {
    const tensor_userdata *u = input(L, r, k);
    wanted |= (unsigned)(u && u->needs_grad) << k;
  }
  return wanted;
}

/* Returns a bit mask of the values that the rule of this op needs for the gradients of the wanted inputs. */
static uint64_t needed_by_rule(lua_State *L, const op_record *r, unsigned wanted) {
  bool params;
  push_state(L);
  lua_getiuservalue(L, -1, STATE_RULES);
  lua_getfield(L, -1, r->name);
  uint64_t needed = needed_values(test_rule(L, -1), wanted, 1, &params);
  lua_pop(L, 3);
  return needed;
}

/* Pushes a copy of the tensor at stack index i. Gradients of the copy go to the same node as gradients of the
** original. */
static void push_twin(lua_State *L, const char *fn, int i) {
  const tensor_userdata *u = lua_touserdata(L, i);
  tensor *copy = push_tensor_later(L, fn, u->tensor.dtype, &u->tensor.shape, u->tensor.store->place);
  int st;
  TRY(L, copy->store->place, st, op_copy_later(copy, &u->tensor));
  if (st != OK) raise(L, fn, st, (const tensor *[]){copy, &u->tensor}, 2);
  tensor_userdata *twin = lua_touserdata(L, -1);
  twin->needs_grad = u->needs_grad;
  twin->is_leaf = u->is_leaf;
  twin->output = u->output;
  if (u->is_leaf) return;
  lua_getiuservalue(L, i, 1);
  lua_setiuservalue(L, -2, 1);
}

static void keep_overwritten(lua_State *L, op_record *r, int target) {
  unsigned wanted = wanted_of_record(L, r);
  if (!wanted || !mode_is_recording(L)) return;
  luaL_checkstack(L, r->nin + LUA_MINSTACK, NULL);
  const tensor *written = result_at(L, target);
  uint64_t needed = needed_by_rule(L, r, wanted);
  int in[MAX_IN];
  memcpy(in, r->in, sizeof in);
  for (int k = 0; k < r->nin; k++) {
    const tensor_userdata *u = test_userdata(L, in[k]);
    if (!u || u->tensor.store != written->store || (u->needs_grad && u->is_leaf)) continue;
    if (!(needed >> (1 + k) & 1)) continue;
    int same = 0;
    while (lua_touserdata(L, in[same]) != u) same++;
    if (same < k && r->in[same] != in[same]) {
      r->in[k] = r->in[same];
      continue;
    }
    push_twin(L, r->name, in[k]);
    r->in[k] = lua_gettop(L);
  }
}

static void check_nothing_needs(lua_State *L, const char *fn, int first, int last) {
  if (mode_is_recording(L) && any_needs(L, first, last))
    luaL_error(L, "%s: gradients do not pass through kernels; use lt.no_grad(fn), or lt.autograd_function to give it one",
               fn);
}

void start_recording(void) {
  static const op_recorder autograd = {record, check_write, keep_overwritten, check_nothing_needs};
  __atomic_store_n(&the_recorder, &autograd, __ATOMIC_RELAXED);
}

/* ---- for the engine ---- */

/* mode(): returns true if operations are recorded. */
static int l_mode(lua_State *L) {
  lua_pushboolean(L, mode_is_recording(L));
  return 1;
}

/* set_rule(name, rule): sets the rule of the op `name`. rule is a result of new_rule. */
static int l_set_rule(lua_State *L) {
  if (!test_rule(L, 2)) return luaL_error(L, "autograd: rule expected");
  push_state(L);
  lua_getiuservalue(L, -1, STATE_RULES);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_rawset(L, -3);
  return 0;
}

/* new_node(name, rule, inputs, results): makes a node for a script's function, and attaches the results to the node.
** Does nothing if no input needs a gradient. The rule's letters, except p, select the values that the node keeps. */
static int l_new_node(lua_State *L) {
  luaL_checktype(L, 3, LUA_TTABLE);
  luaL_checktype(L, 4, LUA_TTABLE);
  int nin = (int)lua_rawlen(L, 3), nout = (int)lua_rawlen(L, 4), dims;
  op_record r = {.name = luaL_checkstring(L, 1), .list = true, .in = {3}};
  luaL_checkstack(L, nout + LUA_MINSTACK, NULL);
  if (!is_recorded(L, &r, nin, &dims)) return 0;
  for (int k = 1; k <= nout; k++) {
    lua_rawgeti(L, 4, k);
    dims += check_tensor_later(L, 4 + k, "autograd")->shape.ndim;
  }
  node *n = push_node(L, r.name, nin, nout, dims);
  int at = lua_gettop(L);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, at, NODE_RULE);
  n->seq = ++push_state(L)->seq;
  set_edges(L, &r, at, n);
  bool params;
  uint64_t needed = needed_values(test_rule(L, 2), wanted_inputs(n), nout, &params);
  if (needed) node_own(L, at);
  set_values(L, &r, 5, n, needed);
  attach_results(L, at, 5, n);
  tell_watch(L, &r, at, 5, n);
  return 0;
}

static const luaL_Reg engine[] = {
  {"mode", l_mode}, {"set_rule", l_set_rule}, {"new_node", l_new_node}, {NULL, NULL}
};

void open_autograd(lua_State *L) {
  grad_state *s = lua_newuserdatauv(L, sizeof *s, STATE_VALUES);
  *s = (grad_state){.seq = 0};
  lua_newtable(L);
  lua_setiuservalue(L, -2, STATE_RULES);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &state_key);
  add_library(L, "autograd", engine);
}
