/* The backward pass (the walk) visits the nodes of the graph. A node sums its incoming gradients, its rule computes
** the gradients of its inputs, and these gradients are passed on. Rare cases are handled in Lua
** (luatensor/autograd/engine.lua).
**
** Unless create_graph is set, the walk owns every gradient in flight (`held`): no script can see such a gradient, so
** the walk frees the gradient after its use. If several inputs take the same gradient, each gets a view of its own,
** so that the memory may be written to if its reference count is 1. */

#include "autograd/autograd.h"
#include "autograd/node.h"
#include "lua/collect.h"
#include "lua/mode.h"
#include "lua/register.h"

typedef struct walk {
  bool graph;                  /* create_graph: operations on gradients are recorded, too */
  bool retain;                 /* retain_graph: nodes keep their values */
  bool custom;                 /* this node's rule belongs to a script, which may keep its arguments and results */
  bool moved;                  /* this node's gradient was passed on unchanged */
  scope *made;                 /* the tensors that a rule makes while it runs */
} walk;

/* The stack indices of a walk. FIT, TO_LEAF, KEEP, ADD and ADD_IN_PLACE are functions of the engine. CAPTURED
** (gradients by node), CAPTURES and WANTED (sets of nodes and leaves), CHECK (a function) and AFTER (functions by the
** number of a node) are nil if the caller does not use them. */
enum {
  NODES = 1, RUN, ENGINE, SOURCE, OUTPUT, FIRST, GRADIENTS, CAPTURED, CAPTURES, WANTED, CHECK, AFTER, FIT, TO_LEAF,
  KEEP, ADD, ADD_IN_PLACE, SPARES,
  NODE, G, ROW, LET_GO, VISIT = LET_GO       /* for the visit of a node; higher indices belong to the visiting
                                             ** function */
};

static tensor_userdata *tensor_at(lua_State *L, int i) { return lua_touserdata(L, i); }

static bool is_sole(const tensor *t) { return storage_has_one_user(t->store) && tensor_is_contiguous(t); }

/* ---- sums ---- */

/* Pops tensors a and g; pushes a + g, computed by the function at stack index `add`. */
static void push_sum(lua_State *L, int add) {
  lua_pushvalue(L, add);
  lua_insert(L, -3);
  lua_call(L, 2, 1);
}

/* Pops g, the tensor at the top, and then a, which is a tensor or nil. Pushes a + g, or g if a is nil. Only the walk
** refers to the sum unless create_graph is set. */
static void add_up(lua_State *L, const walk *w) {
  if (lua_isnil(L, -2)) {
    lua_remove(L, -2);
    return;
  }
  if (w->graph) {
    push_sum(L, ADD);
    return;
  }
  tensor *a = &tensor_at(L, -2)->tensor, *g = &tensor_at(L, -1)->tensor;
  bool into_g = !is_sole(a) && is_sole(g);
  if (into_g) lua_insert(L, -2);
  lua_pushvalue(L, -2);                      /* both operands stay on the stack until they are dropped */
  lua_pushvalue(L, -2);
  push_sum(L, into_g || is_sole(a) ? ADD_IN_PLACE : ADD);
  tensor_userdata *sum = tensor_at(L, -1);
  if (sum != tensor_at(L, -2)) tensor_drop(&tensor_at(L, -2)->tensor);
  if (sum != tensor_at(L, -3)) tensor_drop(&tensor_at(L, -3)->tensor);
  sum->held = true;
  lua_replace(L, -3);
  lua_pop(L, 1);
}

/* ---- destinations of gradients ---- */

/* Pops the tensor at the top and makes it the leaf's gradient, which was nil or freed. If other tensors share its
** memory, or if it is not contiguous, a copy becomes the gradient. */
static void set_leaf(lua_State *L, int leaf) {
  tensor_userdata *g = tensor_at(L, -1);
  if (!is_sole(&g->tensor)) {
    tensor *copy = push_tensor_later(L, "backward", g->tensor.dtype, &g->tensor.shape, g->tensor.store->place);
    int st;
    TRY(L, copy->store->place, st, op_copy_later(copy, &g->tensor));
    if (st != OK) raise(L, "backward", st, (const tensor *[]){copy, &g->tensor}, 2);
    tensor_drop(&g->tensor);
    tensor_at(L, -1)->held = true;
    lua_remove(L, -2);
  }
  lua_setiuservalue(L, leaf, 1);
}

/* True if the tensor is still a leaf whose memory was not freed, and has the shape, dtype and device of its gradient
** g. */
static bool is_plain_leaf(const tensor_userdata *leaf, const tensor *g) {
  const tensor *x = &leaf->tensor;
  return leaf->is_leaf && !tensor_is_gone(x) && x->dtype == g->dtype && shape_equal(&x->shape, &g->shape)
      && place_equal(x->store->place, g->store->place);
}

/* Pops a leaf and g, and adds g to the leaf's gradient. */
static void add_to_leaf(lua_State *L, const walk *w) {
  int leaf = lua_gettop(L) - 1, g = leaf + 1;
  note_gradient(L, leaf);
  if (!w->graph && is_plain_leaf(tensor_at(L, leaf), &tensor_at(L, g)->tensor)) {
    lua_getiuservalue(L, leaf, 1);
    const tensor_userdata *old = tensor_at(L, -1);
    if (!old || !old->tensor.store) {
      lua_pop(L, 1);
      set_leaf(L, leaf);
      lua_settop(L, leaf - 1);
      return;
    }
    if (!old->needs_grad && !tensor_is_gone(&old->tensor) && is_sole(&old->tensor)) {
      lua_pushvalue(L, g);
      push_sum(L, ADD_IN_PLACE);
      tensor_drop(&tensor_at(L, g)->tensor);
      lua_settop(L, leaf - 1);
      return;
    }
  }
  lua_pushvalue(L, TO_LEAF);
  lua_pushvalue(L, leaf);
  lua_pushvalue(L, g);
  lua_pushboolean(L, w->graph);
  lua_call(L, 3, 0);
  if (!w->graph) tensor_drop(&tensor_at(L, g)->tensor);
  lua_settop(L, leaf - 1);
}

/* Pops a key and g, and adds g to the entry of table `sums` for the key. */
static void add_at(lua_State *L, const walk *w, int sums) {
  lua_pushvalue(L, -2);
  lua_insert(L, -2);
  lua_pushvalue(L, -2);
  lua_rawget(L, sums);
  lua_insert(L, -2);
  add_up(L, w);
  lua_rawset(L, sums);
  lua_pop(L, 1);
}

/* Pops a node with several results and g, the gradient of result `output`, and adds g to that result's gradient. */
static void add_to_result(lua_State *L, const walk *w, int output) {
  lua_pushvalue(L, -2);
  if (lua_rawget(L, GRADIENTS) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -3);
    lua_pushvalue(L, -2);
    lua_rawset(L, GRADIENTS);
  }
  lua_insert(L, -2);
  lua_pushinteger(L, output + 1);
  lua_insert(L, -2);
  add_at(L, w, lua_gettop(L) - 2);
  lua_pop(L, 2);
}

/* Pops a destination (a leaf, or the node of result `output`) and a gradient, and adds the gradient to the
** destination's sum of gradients. */
static void deliver(lua_State *L, const walk *w, int output) {
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  if (!w->graph) tensor_at(L, -1)->held = true;
  const node *n = test_node(L, -2);
  if (n && n->nout > 1) add_to_result(L, w, output);
  else if (n) add_at(L, w, GRADIENTS);
  else if (lua_istable(L, CAPTURED)) add_at(L, w, CAPTURED);
  else add_to_leaf(L, w);
}

/* ---- a node ---- */

/* True if input k of the node needs a gradient, and table WANTED contains the gradient's destination. If there is no
** such table, all gradients are wanted. */
static bool is_wanted(lua_State *L, const node *n, int k) {
  if (!n->value[n->nout + k].needs) return false;
  if (lua_isnil(L, WANTED)) return true;
  lua_getiuservalue(L, NODE, NODE_EDGES + k);
  bool wanted = lua_rawget(L, WANTED) != LUA_TNIL;
  lua_pop(L, 1);
  return wanted;
}

/* Makes the walk the owner of a rule's result, the tensor at the top of the stack. If a script or another gradient in
** flight refers to this tensor, a view replaces it. last: the node's gradient is not used any more, so a rule may
** return that gradient itself. */
static void own(lua_State *L, walk *w, bool last) {
  tensor_userdata *u = tensor_at(L, -1);
  if (!u->held && !w->custom) return;
  if (last && !w->custom && lua_rawequal(L, -1, G)) {
    w->moved = true;
    return;
  }
  push_view(L, &u->tensor);
  lua_replace(L, -2);
}

static bool fits(const node_value *v, const tensor *g) {
  bool same = g->shape.ndim == v->ndim && g->dtype == v->dtype && place_equal(g->store->place, v->place);
  for (int d = 0; same && d < v->ndim; d++) same = g->shape.dim[d] == v->dims[d];
  return same;
}

/* Converts the gradient at the top to v's shape, dtype and device. */
static void fit(lua_State *L, const walk *w, const node_value *v) {
  int g = lua_gettop(L);
  scope *made = w->graph ? NULL : scope_open(L, w->made);
  lua_pushvalue(L, FIT);
  lua_pushvalue(L, g);
  push_lengths(L, v);
  lua_pushstring(L, dtypes[v->dtype].name);
  push_place(L, v->place);
  lua_call(L, 4, 1);
  scope_close(L, made, g + 1);
  if (!w->graph && !lua_rawequal(L, g, g + 1)) tensor_drop(&tensor_at(L, g)->tensor);
  lua_replace(L, g);
}

/* Pops the gradient of input k and adds it to the sum of its destination; nil adds nothing. last: the node's gradient
** is not used any more. */
static void pass(lua_State *L, walk *w, const node *n, int k, bool last) {
  const node_value *v = &n->value[n->nout + k];
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return;
  }
  check_tensor_later(L, -1, n->name);
  if (!w->graph) own(L, w, last);
  if (!fits(v, &tensor_at(L, -1)->tensor)) fit(L, w, v);
  if (!lua_isnil(L, CHECK)) {
    lua_pushvalue(L, CHECK);
    lua_pushvalue(L, NODE);
    lua_pushvalue(L, -3);
    lua_call(L, 2, 0);
  }
  lua_getiuservalue(L, NODE, NODE_EDGES + k);
  lua_insert(L, -2);
  deliver(L, w, v->output);
}

/* Frees the first `used` tensors in table SPARES, through which a rule read the node's kept values. If one of them is
** the rule's result, this tensor is removed from the table instead. */
static void drop_spares(lua_State *L, int used, int result) {
  for (int i = 1; i <= used; i++) {
    lua_rawgeti(L, SPARES, i);
    if (lua_rawequal(L, -1, result)) {
      lua_pushnil(L);
      lua_rawseti(L, SPARES, i);
    } else tensor_drop(&tensor_at(L, -1)->tensor);
    lua_pop(L, 1);
  }
}

/* Replaces the rule {letters, f} at the top of the stack by f's result for the node's gradient. Unless create_graph is
** set or the rule belongs to a script, frees all other tensors that f makes, and the tensors by which f reads the
** node's kept values. A rule for one input (`one`) takes the tensors for kept values from table SPARES. */
static void apply(lua_State *L, const walk *w, const char *letters, bool one) {
  int at = lua_gettop(L), spares = one && !w->graph ? SPARES : 0;
  scope *made = w->graph || w->custom ? NULL : scope_open(L, w->made);
  lua_rawgeti(L, at, 2);
  lua_replace(L, at);
  lua_pushvalue(L, G);
  int used = push_kept(L, NODE, letters, w->graph, spares);
  lua_call(L, lua_gettop(L) - at, 1);
  scope_close(L, made, at);
  if (spares) drop_spares(L, used, at);
}

/* Passes on the gradients of all inputs, which one call of the rule computes together. */
static void pass_all(lua_State *L, walk *w, const rule *r) {
  const node *n = lua_touserdata(L, NODE);
  lua_getfield(L, ROW, "let_go");
  lua_replace(L, LET_GO);
  w->custom = !lua_isnil(L, LET_GO);
  lua_getfield(L, ROW, "all");
  apply(L, w, r->needs[0], false);
  luaL_checktype(L, -1, LUA_TTABLE);
  for (int k = 0; k < n->nin; k++) {
    if (!is_wanted(L, n, k)) continue;
    lua_rawgeti(L, VISIT + 1, k + 1);
    pass(L, w, n, k, false);
  }
}

static void pass_each(lua_State *L, walk *w, const rule *r) {
  const node *n = lua_touserdata(L, NODE);
  int last = n->nin - 1;
  while (last >= 0 && !is_wanted(L, n, last)) last--;
  for (int k = 0; k <= last; k++) {
    if (!is_wanted(L, n, k)) continue;
    if (lua_rawgeti(L, ROW, k + 1) != LUA_TTABLE)
      luaL_error(L, "backward: %s has no gradient for argument %d", n->name, k + 1);
    apply(L, w, r->needs[k + 1], true);
    pass(L, w, n, k, k == last);
  }
}

/* Frees the node's gradient after its use. The gradient is a table if the node has several results. */
static void drop_gradient(lua_State *L) {
  if (lua_type(L, G) != LUA_TTABLE) {
    tensor_drop(&tensor_at(L, G)->tensor);
    return;
  }
  for (lua_pushnil(L); lua_next(L, G); lua_pop(L, 1)) tensor_drop(&tensor_at(L, -1)->tensor);
}

/* Pushes a view of the gradient at stack index G, or a table of views if the node has several results. */
static void push_gradient_view(lua_State *L) {
  if (lua_type(L, G) != LUA_TTABLE) {
    push_view(L, &tensor_at(L, G)->tensor);
    return;
  }
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, G);) {
    push_view(L, &tensor_at(L, -1)->tensor);
    lua_remove(L, -2);
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
}

/* Stores the node's gradient in table CAPTURED if table CAPTURES contains the node. Returns false if the walk must
** continue with the node's inputs. */
static bool capture(lua_State *L, const walk *w) {
  if (lua_isnil(L, CAPTURED)) return false;
  lua_pushvalue(L, NODE);
  if (lua_rawget(L, CAPTURES) == LUA_TNIL) return false;
  lua_pushvalue(L, NODE);
  lua_rawget(L, WANTED);
  bool goes_on = lua_toboolean(L, -1);
  lua_pushvalue(L, NODE);
  if (goes_on && !w->graph) push_gradient_view(L);
  else lua_pushvalue(L, G);
  lua_rawset(L, CAPTURED);
  return !goes_on;
}

static void keep_gradient(lua_State *L, const walk *w) {
  if (lua_getiuservalue(L, NODE, NODE_GRADIENTS) != LUA_TTABLE) {
    lua_settop(L, VISIT);
    return;
  }
  lua_pushvalue(L, KEEP);
  lua_insert(L, -2);
  lua_pushvalue(L, G);
  lua_pushboolean(L, w->graph);
  lua_call(L, 3, 0);
}

/* Visits a node: passes the sum of its gradients on to its inputs. */
static void visit(lua_State *L, walk *w) {
  w->custom = w->moved = false;
  lua_settop(L, VISIT);
  keep_gradient(L, w);
  if (capture(L, w)) return;
  lua_settop(L, VISIT);
  lua_getiuservalue(L, NODE, NODE_RULE);
  const rule *r = test_rule(L, -1);
  if (!r) luaL_error(L, "backward: %s has no gradient yet", ((node *)lua_touserdata(L, NODE))->name);
  lua_getiuservalue(L, -1, 1);
  lua_replace(L, ROW);
  lua_settop(L, VISIT);
  if (r->all) pass_all(L, w, r);
  else pass_each(L, w, r);
  lua_settop(L, VISIT);
  if (!w->retain) {
    node_let_go(L, NODE);
    if (w->custom) lua_call(L, 0, 0);
  }
  if (!w->graph && !w->custom && !w->moved) drop_gradient(L);
}

/* Pushes the gradient of the node at stack index NODE, and removes it from table GRADIENTS. If the node has no gradient,
** pushes nil and returns false. */
static bool take_gradient(lua_State *L) {
  lua_pushvalue(L, NODE);
  if (lua_rawget(L, GRADIENTS) == LUA_TNIL) return false;
  lua_pushvalue(L, NODE);
  lua_pushnil(L);
  lua_rawset(L, GRADIENTS);
  return true;                 /* the pushed gradient is at stack index G */
}

/* Calls the function that table AFTER has for node number i, if there is one. */
static void call_after(lua_State *L, lua_Integer i) {
  if (lua_isnil(L, AFTER)) return;
  lua_settop(L, NODE - 1);
  if (lua_rawgeti(L, AFTER, i) != LUA_TNIL) lua_call(L, 0, 0);
}

static bool flag_of(lua_State *L, int at, const char *name) {
  lua_getfield(L, at, name);
  bool flag = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return flag;
}

static int walk_nodes(lua_State *L) {
  static const char *const of_run[] = {"captured", "captures", "wanted", "check", "after"};
  static const char *const of_engine[] = {"to_fit", "to_leaf", "keep", "add", "add_in_place"};
  luaL_checkstack(L, VISIT + LUA_MINSTACK, NULL);
  collect_grown(L, tensor_at(L, FIRST)->tensor.store->place);
  walk w = {.graph = flag_of(L, RUN, "graph"), .retain = flag_of(L, RUN, "retain"), .made = &push_state(L)->made};
  lua_pop(L, 1);
  lua_createtable(L, 0, 32);
  for (int i = 0; i < 5; i++) lua_getfield(L, RUN, of_run[i]);
  for (int i = 0; i < 5; i++) lua_getfield(L, ENGINE, of_engine[i]);
  lua_createtable(L, RULE_INPUTS, 0);
  lua_pushvalue(L, SOURCE);
  lua_pushvalue(L, FIRST);
  deliver(L, &w, (int)lua_tointeger(L, OUTPUT) - 1);
  lua_pushnil(L);
  lua_replace(L, FIRST);
  for (lua_Integer i = 1, n = (lua_Integer)lua_rawlen(L, NODES); i <= n; i++) {
    lua_settop(L, NODE - 1);
    lua_rawgeti(L, NODES, i);
    if (take_gradient(L)) visit(L, &w);
    lua_pushnil(L);
    lua_rawseti(L, NODES, i);
    call_after(L, i);
  }
  return 0;
}

/* walk(nodes, run, engine, source, output, g): the backward pass from `source`, a leaf or result number `output` of a
** node. g is the gradient of `source`; `nodes` is the list that `order` returns. The fields of run are graph, retain,
** captured, captures, wanted, check and after. */
static int l_walk(lua_State *L) {
  lua_settop(L, FIRST);
  check_tensor_later(L, FIRST, "backward");
  if (!test_tensor(L, SOURCE)) check_node(L, SOURCE);
  bool graph = flag_of(L, RUN, "graph");
  scope *outer = scope_current();
  lua_pushvalue(L, SOURCE);
  lua_insert(L, 1);
  guard *g = mode_record(L, graph);
  lua_pushcfunction(L, walk_nodes);
  lua_insert(L, 3);                          /* the stack is: guard, source, walk_nodes, its arguments */
  int failed = lua_pcall(L, FIRST, 0, 0);
  mode_end(g);
  if (!failed) return 0;
  scope_leave(outer);
  node *n = test_node(L, 2);
  if (n) n->failed = true;
  return lua_error(L);
}

static const luaL_Reg functions[] = {{"walk", l_walk}, {NULL, NULL}};

void open_backward(lua_State *L) { add_library(L, "autograd", functions); }
