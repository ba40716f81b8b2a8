/* Nodes of the graph: making them, and what the engine in Lua asks of them. */

#include "lua_node.h"

#include <stdlib.h>
#include <string.h>

#include "lua_register.h"

static const char node_class = 0, rule_class = 0;     /* registry keys of their metatables */

/* ---- nodes ---- */

node *test_node(lua_State *L, int i) {
  if (lua_type(L, i) != LUA_TUSERDATA || lua_rawlen(L, i) < sizeof(node)) return NULL;
  node *n = lua_touserdata(L, i);
  return n->class == &node_class ? n : NULL;
}

node *check_node(lua_State *L, int i) {
  node *n = test_node(L, i);
  if (!n) luaL_error(L, "autograd: argument %d: node expected, got %s", i, luaL_typename(L, i));
  return n;
}

rule *test_rule(lua_State *L, int i) {
  rule *r = lua_type(L, i) == LUA_TUSERDATA && lua_rawlen(L, i) == sizeof(rule) ? lua_touserdata(L, i) : NULL;
  return r && r->class == &rule_class ? r : NULL;
}

node *push_node(lua_State *L, const char *name, int nin, int nout, int dims) {
  size_t bytes = sizeof(node) + (size_t)(nin + nout) * sizeof(node_value) + (size_t)dims * 2 * sizeof(int64_t);
  node *n = lua_newuserdatauv(L, bytes, NODE_EDGES + nin);
  memset(n, 0, sizeof(node) + (size_t)(nin + nout) * sizeof(node_value));
  n->class = &node_class;
  n->name = name;
  n->nin = nin;
  n->nout = nout;
  return n;
}

/* The metatable has a finalizer, which costs as much as the rest of a node. */
void node_own(lua_State *L, int at) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &node_class);
  lua_setmetatable(L, at);
}

void node_set_tensor(node_value *v, const tensor *t, bool keep, bool changed, int64_t **room) {
  int ndim = t->shape.ndim;
  v->kind = VALUE_tensor;
  v->ndim = ndim;
  v->dims = *room;
  v->dtype = t->dtype;
  v->place = t->store->place;
  *room += 2 * ndim;
  for (int d = 0; d < ndim; d++) v->dims[d] = t->shape.dim[d];
  if (!keep) return;
  for (int d = 0; d < ndim; d++) v->dims[ndim + d] = t->stride[d];
  v->weak = t->weak;
  v->offset = t->offset;
  v->count = t->count;
  v->version = t->store->version - changed;
  v->store = t->store;
  storage_retain(v->store);
  v->store->kept++;
}

void node_set_number(lua_State *L, node_value *v, int i) {
  switch (lua_type(L, i)) {
    case LUA_TNUMBER:
      v->kind = lua_isinteger(L, i) ? VALUE_integer : VALUE_float;
      if (v->kind == VALUE_integer) v->integer = lua_tointeger(L, i);
      else v->number = lua_tonumber(L, i);
      break;
    case LUA_TBOOLEAN:
      v->kind = VALUE_boolean;
      v->integer = lua_toboolean(L, i);
      break;
    default: break;
  }
}

static void drop_kept(node *n) {
  for (int k = 0; k < n->nout + n->nin; k++) {
    storage *s = n->value[k].store;
    n->value[k].store = NULL;
    if (!s) continue;
    s->kept--;
    storage_drop(s);
  }
}

static int l_gc(lua_State *L) {
  node *n = test_node(L, 1);
  if (n) drop_kept(n);
  return 0;
}

/* ---- arguments ---- */

enum { DEEPEST = 8 };

/* Adds up the versions of tensors in the value at i, and (copy) replaces tables by copies: pushes the result. */
static void push_argument(lua_State *L, int i, bool copy, int depth, uint64_t *versions) {
  i = lua_absindex(L, i);
  const tensor *t = test_tensor(L, i);
  if (t && t->store) *versions += t->store->version;
  if (lua_type(L, i) != LUA_TTABLE || depth == DEEPEST) {
    lua_pushvalue(L, i);
    return;
  }
  luaL_checkstack(L, 8, NULL);
  if (copy) lua_newtable(L);
  else lua_pushvalue(L, i);
  for (lua_pushnil(L); lua_next(L, i);) {
    push_argument(L, -1, copy, depth + 1, versions);
    lua_remove(L, -2);
    if (copy) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, -4);
    } else lua_pop(L, 1);
  }
}

void push_arguments(lua_State *L, int first, int last, uint64_t *versions) {
  lua_createtable(L, last - first + 1, 1);
  for (int i = first; i <= last; i++) {
    push_argument(L, i, true, 0, versions);
    lua_rawseti(L, -2, i - first + 1);
  }
  lua_pushinteger(L, last - first + 1);
  lua_setfield(L, -2, "n");
}

/* ---- what a rule gets ---- */

static int raise_changed(lua_State *L, const node *n) {
  return luaL_error(L, "backward: %s needs a tensor that was changed in place afterwards; change a :clone(), or write the "
                    "change without _", n->name);
}

/* The edge of what was kept: so that gradients of gradients find their way. */
static void attach(lua_State *L, int at, const node *n, int k) {
  const node_value *v = &n->value[k];
  tensor_userdata *u = lua_touserdata(L, -1);
  bool result = k < n->nout;
  if (!result && !v->needs) return;
  if (result) lua_pushvalue(L, at);
  else lua_getiuservalue(L, at, NODE_EDGES + k - n->nout);
  lua_setiuservalue(L, -2, 1);
  u->needs_grad = true;
  u->is_leaf = false;
  u->output = result ? k : v->output;
}

/* Pushes value k of the node at `at`; graph: as part of the graph. Is it a tensor made for that? */
static bool push_value(lua_State *L, int at, int k, bool graph) {
  const node *n = lua_touserdata(L, at);
  const node_value *v = &n->value[k];
  switch (v->kind) {
    case VALUE_integer: lua_pushinteger(L, v->integer); return false;
    case VALUE_float:   lua_pushnumber(L, v->number); return false;
    case VALUE_boolean: lua_pushboolean(L, (int)v->integer); return false;
    case VALUE_none:    lua_pushnil(L); return false;
    case VALUE_tensor:  break;
  }
  if (!v->store) luaL_error(L, "backward: %s kept nothing of this tensor", n->name);
  if (v->version != v->store->version) raise_changed(L, n);
  if (graph && k >= n->nout && v->needs && v->is_leaf) {
    lua_getiuservalue(L, at, NODE_EDGES + k - n->nout);
    const tensor *leaf = test_tensor(L, -1);
    if (leaf && leaf->store == v->store) return false;   /* else it was freed */
    lua_pop(L, 1);
  }
  tensor *t = push_empty(L);
  t->dtype = v->dtype;
  t->shape.ndim = v->ndim;
  for (int d = 0; d < v->ndim; d++) {
    t->shape.dim[d] = v->dims[d];
    t->stride[d] = v->dims[v->ndim + d];
  }
  t->offset = v->offset;
  t->count = v->count;
  t->weak = v->weak;
  t->store = v->store;
  storage_retain(t->store);
  if (graph && !v->is_leaf) attach(L, at, n, k);
  return true;
}

static void push_lengths(lua_State *L, const node_value *v) {
  lua_createtable(L, v->ndim, 0);
  for (int d = 0; d < v->ndim; d++) {
    lua_pushinteger(L, v->dims[d]);
    lua_rawseti(L, -2, d + 1);
  }
}

/* The reduced dims as a list, and input 1's shape with length 1 there. */
static void set_reduced(lua_State *L, const node *n, const node_value *in) {
  lua_newtable(L);
  for (int d = 0, k = 1; d < in->ndim; d++)
    if (n->params.dims >> d & 1) {
      lua_pushinteger(L, d + 1);
      lua_rawseti(L, -2, k++);
    }
  lua_setfield(L, -2, "dims");
  push_lengths(L, in);
  for (int d = 0; d < in->ndim; d++)
    if (n->params.dims >> d & 1) {
      lua_pushinteger(L, 1);
      lua_rawseti(L, -2, d + 1);
    }
  lua_setfield(L, -2, "kept");
}

static void set_order(lua_State *L, const node *n, const node_value *in) {
  lua_createtable(L, in->ndim, 0);
  for (int d = 0; d < in->ndim; d++) {
    lua_pushinteger(L, d + 1);
    lua_rawseti(L, -2, n->order[d] + 1);
  }
  lua_setfield(L, -2, "back");
}

/* shapes and needs, of each input */
static void set_inputs(lua_State *L, const node *n) {
  lua_createtable(L, n->nin, 0);
  lua_createtable(L, n->nin, 0);
  for (int k = 0; k < n->nin; k++) {
    const node_value *v = &n->value[n->nout + k];
    if (v->kind == VALUE_tensor) push_lengths(L, v);
    else lua_pushboolean(L, 0);
    lua_rawseti(L, -3, k + 1);
    lua_pushboolean(L, v->needs);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -3, "needs");
  lua_setfield(L, -2, "shapes");
}

static void set_true(lua_State *L, const char *name) {
  lua_pushboolean(L, 1);
  lua_setfield(L, -2, name);
}

/* Parameters of the call, as a table. */
static void push_params(lua_State *L, int at) {
  const node *n = lua_touserdata(L, at);
  const op_params *p = &n->params;
  const node_value *in = &n->value[n->nout];
  lua_createtable(L, 2, 8);
  push_lengths(L, in);
  lua_setfield(L, -2, "shape");
  set_reduced(L, n, in);
  if (n->ordered) set_order(L, n, in);
  if (n->nin > 1) set_inputs(L, n);
  lua_pushinteger(L, p->dim < 0 ? p->dim : p->dim + 1);
  lua_setfield(L, -2, "dim");
  if (p->keepdim) set_true(L, "keepdim");
  if (p->flag) set_true(L, "flag");
  for (int k = 0; k < 2; k++) {
    lua_pushnumber(L, p->number[k]);
    lua_rawseti(L, -2, k + 1);
  }
  if (lua_getiuservalue(L, at, NODE_ARGUMENTS) == LUA_TTABLE) {
    uint64_t versions = 0;
    push_argument(L, -1, false, 0, &versions);
    lua_pop(L, 1);
    if (versions != n->versions) raise_changed(L, n);
  }
  lua_setfield(L, -2, "args");
}

/* Pushes what a rule's letters say, one value each. Returns those that are tensors of their own, as bits. */
static unsigned push_kept(lua_State *L, int at, const char *letters, bool graph) {
  const node *n = lua_touserdata(L, at);
  unsigned own = 0;
  for (int i = 0; letters[i]; i++) {
    char c = letters[i];
    if (c == 'p') push_params(L, at);
    else if (c == 's') push_lengths(L, &n->value[n->nout]);
    else {
      int k = c == 'o' ? 0 : c <= '9' ? c - '1' : n->nout + (c == 'w' ? 3 : c - 'x');
      if (push_value(L, at, k, graph)) own |= 1u << i;
    }
  }
  return own;
}

/* apply(node, k, g, graph): the rule's function of input k (0: of all) called with g and what its letters say. The tensors
** made for that end with it, so that the memory goes. */
static int l_apply(lua_State *L) {
  check_node(L, 1);
  int k = (int)lua_tointeger(L, 2);
  lua_settop(L, 4);
  lua_getiuservalue(L, 1, NODE_RULE);
  const rule *r = test_rule(L, 5);
  if (!r || k < 0 || k > MAX_IN) return luaL_error(L, "autograd: no rule");
  luaL_checkstack(L, 2 * RULE_LETTERS + LUA_MINSTACK, NULL);
  unsigned own = push_kept(L, 1, r->needs[k], lua_toboolean(L, 4));
  int count = lua_gettop(L) - 5, result = 6 + count;
  lua_getiuservalue(L, 5, 1);
  if (k) lua_rawgeti(L, -1, k);
  else lua_getfield(L, -1, "all");
  lua_rawgeti(L, -1, 2);
  lua_replace(L, result);
  lua_settop(L, result);
  lua_pushvalue(L, 3);
  for (int i = 0; i < count; i++) lua_pushvalue(L, 6 + i);
  lua_call(L, 1 + count, 1);
  for (int i = 0; i < count && k > 0 && !lua_toboolean(L, 4); i++)
    if (own >> i & 1 && !lua_rawequal(L, 6 + i, result)) tensor_drop(lua_touserdata(L, 6 + i));
  return 1;
}

/* ---- what the engine asks ---- */

/* rule(node): the row of its rule, or nil; its name; its inputs' number; where retain_grad wants its gradients, or nil. */
static int l_rule(lua_State *L) {
  node *n = check_node(L, 1);
  if (lua_getiuservalue(L, 1, NODE_RULE) == LUA_TUSERDATA) lua_getiuservalue(L, -1, 1);
  lua_pushstring(L, n->name);
  lua_pushinteger(L, n->nin);
  lua_getiuservalue(L, 1, NODE_GRADIENTS);
  return 4;
}

/* edge(node, k): where input k's gradient goes: nil (nowhere), a leaf, or a node and, of several, which of its results. */
static int l_edge(lua_State *L) {
  node *n = lua_touserdata(L, 1);
  int k = (int)lua_tointeger(L, 2) - 1;
  if (!n || k < 0 || k >= n->nin || !n->value[n->nout + k].needs) return 0;
  const node_value *v = &n->value[n->nout + k];
  lua_getiuservalue(L, 1, NODE_EDGES + k);
  if (v->is_leaf || check_node(L, -1)->nout == 1) return 1;
  lua_pushinteger(L, v->output + 1);
  return 2;
}

/* fits(node, k, g): is g of input k's shape, dtype and device? Else also what it should be. */
static int l_fits(lua_State *L) {
  const node *n = check_node(L, 1);
  const node_value *v = &n->value[n->nout + lua_tointeger(L, 2) - 1];
  const tensor *g = check_tensor(L, 3, n->name);
  bool fits = g->shape.ndim == v->ndim && g->dtype == v->dtype && place_equal(g->store->place, v->place);
  for (int d = 0; fits && d < v->ndim; d++) fits = g->shape.dim[d] == v->dims[d];
  lua_pushboolean(L, fits);
  if (fits) return 1;
  push_lengths(L, v);
  lua_pushstring(L, dtypes[v->dtype].name);
  push_place(L, v->place);
  return 4;
}

/* result(node, k): shape, dtype and device of result k. */
static int l_result(lua_State *L) {
  const node *n = check_node(L, 1);
  const node_value *v = &n->value[lua_tointeger(L, 2) - 1];
  push_lengths(L, v);
  lua_pushstring(L, dtypes[v->dtype].name);
  push_place(L, v->place);
  return 3;
}

/* let_go(node): everything it keeps, and its edges. */
static int l_let_go(lua_State *L) {
  node *n = check_node(L, 1);
  n->used = true;
  drop_kept(n);
  for (int k = 0; k < n->nin; k++) {
    lua_pushnil(L);
    lua_setiuservalue(L, 1, NODE_EDGES + k);
  }
  lua_pushnil(L);
  lua_setiuservalue(L, 1, NODE_ARGUMENTS);
  return 0;
}

/* gradients(node): where retain_grad keeps those of its results; gradients(node, table) sets it. */
static int l_gradients(lua_State *L) {
  check_node(L, 1);
  if (lua_gettop(L) == 1) return lua_getiuservalue(L, 1, NODE_GRADIENTS), 1;
  lua_settop(L, 2);
  lua_setiuservalue(L, 1, NODE_GRADIENTS);
  return 0;
}

typedef struct seen { node *n; lua_Integer at; bool wanted; } seen;

static int compare_seq(const void *a, const void *b) {
  uint64_t x = ((const seen *)a)->n->seq, y = ((const seen *)b)->n->seq;
  return x < y ? 1 : x > y ? -1 : 0;
}

/* Adds the nodes that the edges of list[i] lead to, where this walk has not seen them. Not beyond those in `stops`. */
static lua_Integer add_edges(lua_State *L, int list, int stops, lua_Integer i, lua_Integer count, uint64_t mark) {
  lua_rawgeti(L, list, i);
  node *n = lua_touserdata(L, -1);
  if (stops) {
    lua_pushvalue(L, -1);
    bool stop = lua_rawget(L, stops) != LUA_TNIL;
    lua_pop(L, 1);
    if (stop) { lua_pop(L, 1); return count; }
  }
  if (n->used)
    luaL_error(L, "backward: the graph was used already; backward(…, {retain_graph = true}) keeps it");
  for (int k = 0; k < n->nin; k++) {
    const node_value *v = &n->value[n->nout + k];
    if (!v->needs || v->is_leaf) continue;
    lua_getiuservalue(L, -1, NODE_EDGES + k);
    node *m = lua_touserdata(L, -1);
    if (m->mark == mark) { lua_pop(L, 1); continue; }
    m->mark = mark;
    lua_rawseti(L, list, ++count);
  }
  lua_pop(L, 1);
  return count;
}

/* order(node, stops): the nodes that a gradient passes on its way from this one, those that were made last first. */
static int l_order(lua_State *L) {
  static uint64_t marks;                     /* one thread runs a state; others may skip numbers, which does no harm */
  node *first = check_node(L, 1);
  int stops = lua_istable(L, 2) ? 2 : 0;
  uint64_t mark = __atomic_add_fetch(&marks, 1, __ATOMIC_RELAXED);
  lua_settop(L, 2);
  lua_newtable(L);
  lua_pushvalue(L, 1);
  lua_rawseti(L, 3, 1);
  first->mark = mark;
  lua_Integer count = 1;
  for (lua_Integer i = 1; i <= count; i++) count = add_edges(L, 3, stops, i, count, mark);
  seen *all = lua_newuserdatauv(L, (size_t)count * sizeof *all, 0);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, 3, i);
    all[i - 1] = (seen){.n = lua_touserdata(L, -1), .at = i};
    lua_pop(L, 1);
  }
  qsort(all, (size_t)count, sizeof *all, compare_seq);
  lua_createtable(L, (int)count, 0);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, 3, all[i - 1].at);
    lua_rawseti(L, -2, i);
  }
  return 1;
}

/* ---- rules ---- */

/* Reads the letters of the rule in the table at the top: "xyo". */
static void read_letters(lua_State *L, char *letters) {
  lua_rawgeti(L, -1, 1);
  size_t length;
  const char *text = luaL_checklstring(L, -1, &length);
  if (length >= RULE_LETTERS || strspn(text, "xyzwosp123456789") != length)
    luaL_error(L, "autograd: \"%s\": letters x y z w o s p expected", text);
  memcpy(letters, text, length + 1);
  lua_pop(L, 1);
}

/* new_rule(row): the row's letters, for the recorder. */
static int l_new_rule(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  rule *r = lua_newuserdatauv(L, sizeof *r, 1);
  memset(r, 0, sizeof *r);
  r->class = &rule_class;
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  for (int k = 1; k <= MAX_IN; k++) {
    if (lua_rawgeti(L, 1, k) == LUA_TTABLE) {
      read_letters(L, r->needs[k]);
      r->n = k;
    }
    lua_pop(L, 1);
  }
  if (lua_getfield(L, 1, "all") == LUA_TTABLE) {
    read_letters(L, r->needs[0]);
    r->all = true;
  }
  lua_pop(L, 1);
  return 1;
}

static const luaL_Reg functions[] = {
  {"apply", l_apply}, {"rule", l_rule}, {"edge", l_edge}, {"fits", l_fits}, {"result", l_result}, {"let_go", l_let_go},
  {"gradients", l_gradients}, {"order", l_order}, {"new_rule", l_new_rule}, {NULL, NULL}
};

void open_node(lua_State *L, int table) {
  lua_pushvalue(L, table);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushcfunction(L, l_gc);
  lua_setfield(L, -2, "__gc");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &node_class);
}
