/* Makes rules of gradients, and pushes the values that the letters of a rule request. The rules themselves are in
** lua/luatensor/gradients. */

#include <string.h>

#include "autograd/autograd.h"
#include "autograd/node.h"
#include "base/loan.h"
#include "lua/register.h"

static const char rule_class = 0;
_Static_assert(sizeof(rule) != sizeof(tensor_userdata), "tensors are told by their size");

rule *test_rule(lua_State *L, int i) {
  rule *r = lua_type(L, i) == LUA_TUSERDATA && lua_rawlen(L, i) == sizeof(rule) ? lua_touserdata(L, i) : NULL;
  return r && r->class == &rule_class ? r : NULL;
}

/* ---- the arguments of a rule ---- */

static int raise_changed(lua_State *L, const node *n) {
  return luaL_error(L, "backward: %s needs a tensor that was changed in place afterwards; change a :clone(), or write the "
                    "change without _", n->name);
}

/* Connects the tensor at the top, which is value k of the node at `at`, with the graph, so that gradients of
** gradients flow through the tensor, too. */
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

/* Pushes a tensor without storage: item i of the table at stack index `spares`, or a new one. */
static tensor *push_spare(lua_State *L, int spares, int i) {
  if (spares && lua_rawgeti(L, spares, i) == LUA_TUSERDATA) return &((tensor_userdata *)lua_touserdata(L, -1))->tensor;
  if (spares) lua_pop(L, 1);
  tensor *t = push_empty(L);
  if (!spares) return t;
  lua_pushvalue(L, -1);
  lua_rawseti(L, spares, i);
  return t;
}

/* Pushes value k of the node at stack index `at`. graph: gradients flow through the value. If `spares` is not 0, a
** tensor reuses item i of the table at this stack index. Returns true if the value is a tensor. */
static bool push_value(lua_State *L, int at, int k, bool graph, int spares, int i) {
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
  if (storage_is_revoked(v->store))
    luaL_error(L, "backward: %s needs a tensor whose memory the host has taken back", n->name);
  if (v->version != v->store->version) raise_changed(L, n);
  if (graph && k >= n->nout && v->needs && v->is_leaf) {
    lua_getiuservalue(L, at, NODE_EDGES + k - n->nout);
    const tensor *leaf = test_tensor(L, -1);
    if (leaf && leaf->store == v->store) return true;    /* otherwise the leaf was freed or has other memory now */
    lua_pop(L, 1);
  }
  tensor *t = push_spare(L, spares, i);
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

/* Sets two fields of the table at the top: `dims` to the list of reduced dims, and `kept` to the shape of input 1
** with length 1 in the reduced dims. */
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

/* Sets two fields of the table at the top: `shapes` to a list of the inputs' shapes (false for numbers), and `needs`
** to a list of booleans: true for each input that needs a gradient. */
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

/* Pushes the parameters of the node's call as a table, which a rule gets for the letter p. */
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
    if (argument_versions(L, -1) != n->versions) raise_changed(L, n);
  }
  lua_setfield(L, -2, "args");
}

int push_kept(lua_State *L, int at, const char *letters, bool graph, int spares) {
  const node *n = lua_touserdata(L, at);
  int used = 0;
  luaL_checkstack(L, RULE_LETTERS + LUA_MINSTACK, NULL);
  for (; *letters; letters++) {
    char c = *letters;
    if (c == 'p') push_params(L, at);
    else if (c == 's') push_lengths(L, &n->value[n->nout]);
    else {
      int k = c == 'o' ? 0 : c <= '9' ? c - '1' : n->nout + (c == 'w' ? 3 : c - 'x');
      if (k >= n->nout + n->nin) luaL_error(L, "autograd: %s has nothing that \"%c\" stands for", n->name, c);
      used += push_value(L, at, k, graph, spares, used + 1);
    }
  }
  return used;
}

/* ---- making rules ---- */

/* Reads the letters of a rule, such as "xyo", which are item 1 of the table at the top. */
static void read_letters(lua_State *L, char *letters) {
  lua_rawgeti(L, -1, 1);
  size_t length;
  const char *text = luaL_checklstring(L, -1, &length);
  if (length >= RULE_LETTERS || strspn(text, "xyzwosp123456789") != length)
    luaL_error(L, "autograd: \"%s\": letters x y z w o s p expected", text);
  memcpy(letters, text, length + 1);
  lua_pop(L, 1);
}

/* new_rule(row): returns a rule whose letters are read from the row. */
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

static const luaL_Reg engine[] = {{"new_rule", l_new_rule}, {NULL, NULL}};

void open_rule(lua_State *L) { add_library(L, "autograd", engine); }
