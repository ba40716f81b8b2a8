/* Makes the nodes of the graph, and defines functions by which the engine in Lua reads nodes. */

#include "autograd/node.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/autograd.h"
#include "lua/register.h"

static const char node_class = 0;          /* the address is the registry key of the metatable */

/* ---- nodes ---- */

node *test_node(lua_State *L, int i) {
  if (lua_type(L, i) != LUA_TUSERDATA || lua_rawlen(L, i) < sizeof(node)) return NULL;
  node *n = lua_touserdata(L, i);
  return n->class == &node_class ? n : NULL;
}

node *check_node(lua_State *L, int i) {
  node *n = test_node(L, i);
  if (!n) luaL_error(L, "autograd: argument %d: node expected, got %s", i, type_name(L, i));
  return n;
}

node *push_node(lua_State *L, const char *name, int nin, int nout, int dims) {
  if (nin > USHRT_MAX - NODE_EDGES)
    luaL_error(L, "%s: gradients of at most %d tensors at once; use lt.no_grad(fn)", name, USHRT_MAX - NODE_EDGES);
  size_t bytes = sizeof(node) + (size_t)(nin + nout) * sizeof(node_value) + (size_t)dims * 2 * sizeof(int64_t);
  if (bytes == sizeof(tensor_userdata)) bytes++;          /* one byte more, because tensors are recognised by their size
                                                          ** and a mark at their end */
  node *n = lua_newuserdatauv(L, bytes, NODE_EDGES + nin);
  memset(n, 0, sizeof(node) + (size_t)(nin + nout) * sizeof(node_value));
  n->class = &node_class;
  n->name = name;
  n->nin = nin;
  n->nout = nout;
  return n;
}

/* Gives the node a metatable with a finalizer. This takes as long as making the rest of a node, so only nodes that keep
** storages get one. */
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

/* Adds the versions of the tensors in the value at stack index i to *versions, and pushes the value. With `copy`,
** tables are copied, up to DEEPEST levels. */
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

uint64_t argument_versions(lua_State *L, int i) {
  uint64_t versions = 0;
  push_argument(L, i, false, 0, &versions);
  lua_pop(L, 1);
  return versions;
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

void push_lengths(lua_State *L, const node_value *v) {
  lua_createtable(L, v->ndim, 0);
  for (int d = 0; d < v->ndim; d++) {
    lua_pushinteger(L, v->dims[d]);
    lua_rawseti(L, -2, d + 1);
  }
}

/* ---- for the engine ---- */

/* rule(node): returns the argument of new_rule that defines the node's rule (or nil), the op's name, the number of
** inputs, and the table in which backward keeps the node's gradients for retain_grad (or nil). */
static int l_rule(lua_State *L) {
  node *n = check_node(L, 1);
  if (lua_getiuservalue(L, 1, NODE_RULE) == LUA_TUSERDATA) lua_getiuservalue(L, -1, 1);
  lua_pushstring(L, n->name);
  lua_pushinteger(L, n->nin);
  lua_getiuservalue(L, 1, NODE_GRADIENTS);
  return 4;
}

/* edge(node, k): returns the destination of the gradient of input k: nil, a leaf, or a node. If the node has several
** results, the second value is the number of the result. */
static int l_edge(lua_State *L) {
  const node *n = check_node(L, 1);
  lua_Integer at = lua_tointeger(L, 2);
  if (at < 1 || at > n->nin || !n->value[n->nout + at - 1].needs) return 0;
  int k = (int)at - 1;
  const node_value *v = &n->value[n->nout + k];
  lua_getiuservalue(L, 1, NODE_EDGES + k);
  if (v->is_leaf || check_node(L, -1)->nout == 1) return 1;
  lua_pushinteger(L, v->output + 1);
  return 2;
}

/* result(node, k): returns shape, dtype and device of result k. */
static int l_result(lua_State *L) {
  const node *n = check_node(L, 1);
  lua_Integer k = lua_tointeger(L, 2);
  if (k < 1 || k > n->nout) return luaL_error(L, "autograd: argument 2: %s has no such result", n->name);
  const node_value *v = &n->value[k - 1];
  push_lengths(L, v);
  lua_pushstring(L, dtypes[v->dtype].name);
  push_place(L, v->place);
  return 3;
}

void node_let_go(lua_State *L, int at) {
  node *n = lua_touserdata(L, at);
  n->used = true;
  drop_kept(n);
  for (int k = 0; k < n->nin; k++) {
    if (!n->value[n->nout + k].needs) continue;
    lua_pushnil(L);
    lua_setiuservalue(L, at, NODE_EDGES + k);
  }
  lua_pushnil(L);
  lua_setiuservalue(L, at, NODE_ARGUMENTS);
}

typedef struct seen { node *n; lua_Integer at; } seen;

static int compare_seq(const void *a, const void *b) {
  uint64_t x = ((const seen *)a)->n->seq, y = ((const seen *)b)->n->seq;
  return x < y ? 1 : x > y ? -1 : 0;
}

/* True if the value at the top is a key of the table at index `barriers`. If `barriers` is 0, there is no table. */
static bool is_barrier(lua_State *L, int barriers) {
  if (!barriers) return false;
  lua_pushvalue(L, -1);
  bool found = lua_rawget(L, barriers) != LUA_TNIL;
  lua_pop(L, 1);
  return found;
}

/* True if the edge of input k of the node at the top leads to a leaf that is no barrier. */
static bool is_other_leaf(lua_State *L, int barriers, int k) {
  lua_getiuservalue(L, -1, NODE_EDGES + k);
  bool other = !is_barrier(L, barriers);
  lua_pop(L, 1);
  return other;
}

/* Follows the edges of node list[i], unless the node is a barrier. Appends each node that an edge leads to and that
** this traversal, number `mark`, has not seen. *others becomes true if an edge leads to a leaf that is no barrier.
** Returns the new length of the list. */
static lua_Integer add_edges(lua_State *L, int list, int barriers, lua_Integer i, lua_Integer count, uint64_t mark,
                             bool *others) {
  lua_rawgeti(L, list, i);
  node *n = lua_touserdata(L, -1);
  if (is_barrier(L, barriers)) {
    lua_pop(L, 1);
    return count;
  }
  if (n->used && n->failed)
    luaL_error(L, "backward: an earlier backward of this graph failed, and let go of a part of it; compute it again");
  if (n->used)
    luaL_error(L, "backward: the graph was used already; give {retain_graph = true} to what used it first: backward, "
               "lt.grad, lt.value_and_grad or lt.autograd.grad");
  for (int k = 0; k < n->nin; k++) {
    const node_value *v = &n->value[n->nout + k];
    if (!v->needs) continue;
    if (v->is_leaf) {
      *others = *others || is_other_leaf(L, barriers, k);
      continue;
    }
    lua_getiuservalue(L, -1, NODE_EDGES + k);
    node *m = lua_touserdata(L, -1);
    if (m->mark == mark) { lua_pop(L, 1); continue; }
    m->mark = mark;
    lua_rawseti(L, list, ++count);
  }
  lua_pop(L, 1);
  return count;
}

/* order(node, barriers): returns the nodes that a gradient reaches from this node, the most recently made first. The
** traversal stops at `barriers`, a set of leaves and nodes. The second result is true if a path ends at a leaf that
** is no barrier. */
static int l_order(lua_State *L) {
  static uint64_t marks;                     /* the number of traversals in all Lua states, so the numbers that one
                                             ** state uses may have gaps */
  node *first = check_node(L, 1);
  int barriers = lua_istable(L, 2) ? 2 : 0;
  bool others = false;
  uint64_t mark = __atomic_add_fetch(&marks, 1, __ATOMIC_RELAXED);
  lua_settop(L, 2);
  lua_newtable(L);
  lua_pushvalue(L, 1);
  lua_rawseti(L, 3, 1);
  first->mark = mark;
  lua_Integer count = 1;
  for (lua_Integer i = 1; i <= count; i++) count = add_edges(L, 3, barriers, i, count, mark, &others);
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
  lua_pushboolean(L, others);
  return 2;
}

static const luaL_Reg engine[] = {
  {"rule", l_rule}, {"edge", l_edge}, {"result", l_result}, {"order", l_order}, {NULL, NULL}
};

void open_node(lua_State *L) {
  add_library(L, "autograd", engine);
  add_class(L, &node_class, NULL, (const luaL_Reg[]){{"__gc", l_gc}, {NULL, NULL}}, NULL);
}
