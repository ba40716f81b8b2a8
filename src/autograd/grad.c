/* The gradient properties and methods of tensors (requires_grad, grad, detach and others), and functions that the
** engine in Lua calls. */

#include "autograd/autograd.h"
#include "autograd/node.h"
#include "lua/interrupt.h"
#include "lua/register.h"
#include "op/random.h"

static void require_grad(lua_State *L, int i, const char *fn, bool flag) {
  check_tensor_later(L, i, fn);
  tensor_userdata *u = lua_touserdata(L, i);
  if (!u->is_leaf) {
    if (flag) return;
    luaL_error(L, "%s: only leaves can stop requiring gradients; use x:detach()", fn);
  }
  if (flag && (!can_need(u->tensor.dtype) || u->tensor.weak))
    luaL_error(L, "%s: only float and complex tensors can require gradients, this is %s%s", fn,
               u->tensor.weak ? "a number" : dtypes[u->tensor.dtype].name,
               u->tensor.weak ? "" : "; write 1.0 instead of 1, or {dtype = \"float32\"}");
  if (flag && u->tensor.apart) {             /* the tensor does not count as detached any more */
    u->tensor.apart = false;
    u->tensor.store->kept--;
  }
  u->needs_grad = flag;
  if (flag) start_recording();
}

int finish_made(lua_State *L, int options, const char *fn) {
  if (options && opt_bool(L, options, fn, MADE_OPTIONS, false)) require_grad(L, lua_gettop(L), fn, true);
  return 1;
}

static bool check_flag(lua_State *L, int i, const char *fn) {
  if (lua_type(L, i) != LUA_TBOOLEAN) luaL_error(L, "%s: boolean expected, got %s", fn, type_name(L, i));
  return lua_toboolean(L, i);
}

/***
Requests gradients for x: ops on x are recorded, and `y:backward()` adds gradients to `x.grad`.
@function requires_grad_
@tparam Tensor x float or complex
@tparam[opt=true] boolean flag
@treturn Tensor x
*/
static int l_requires_grad(lua_State *L) {
  check_tensor_later(L, 1, "requires_grad_");
  require_grad(L, 1, "requires_grad_", lua_isnoneornil(L, 2) || check_flag(L, 2, "requires_grad_"));
  lua_settop(L, 1);
  return 1;
}

/***
Returns a tensor that shares x's memory. No gradient flows through the result.
@function detach
@tparam Tensor x
@treturn Tensor
*/
static int l_detach(lua_State *L) {
  tensor *t = push_view(L, check_tensor_later(L, 1, "detach"));
  t->apart = true;
  t->store->kept++;
  return 1;
}

/***
Removes x from its graph: x becomes a leaf that needs no gradient.
@function detach_
@tparam Tensor x
@treturn Tensor x
*/
static int l_detach_in_place(lua_State *L) {
  check_tensor_later(L, 1, "detach_");
  lua_settop(L, 1);
  tensor_userdata *u = lua_touserdata(L, 1);
  if (!u->is_leaf) make_constant(L, 1, u);
  u->needs_grad = false;
  return 1;
}

/***
Makes backward store the gradient of x in `x.grad`, although x is no leaf.
@function retain_grad
@tparam Tensor x
*/
static int l_retain_grad(lua_State *L) {
  check_tensor_later(L, 1, "retain_grad");
  const tensor_userdata *u = lua_touserdata(L, 1);
  if (!u->needs_grad) return luaL_error(L, "retain_grad: this tensor needs no gradient");
  if (u->is_leaf) return 0;
  lua_getiuservalue(L, 1, 1);
  if (lua_getiuservalue(L, -1, NODE_GRADIENTS) == LUA_TTABLE) return 0;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_setiuservalue(L, -2, NODE_GRADIENTS);
  return 0;
}

/* ---- properties ---- */

static int get_requires_grad(lua_State *L) {
  check_tensor_later(L, 1, "requires_grad");
  lua_pushboolean(L, ((tensor_userdata *)lua_touserdata(L, 1))->needs_grad);
  return 1;
}

static int get_is_leaf(lua_State *L) {
  check_tensor_later(L, 1, "is_leaf");
  lua_pushboolean(L, ((tensor_userdata *)lua_touserdata(L, 1))->is_leaf);
  return 1;
}

/* x.grad_fn: the name of the op that made x, or nil if x is a leaf. */
static int get_grad_fn(lua_State *L) {
  check_tensor_later(L, 1, "grad_fn");
  if (((tensor_userdata *)lua_touserdata(L, 1))->is_leaf) return 0;
  lua_getiuservalue(L, 1, 1);
  lua_pushstring(L, check_node(L, -1)->name);
  return 1;
}

/* is_differentiable(x): true if x is the result of an op, and no backward pass has used its node yet. */
static int l_is_differentiable(lua_State *L) {
  check_tensor_later(L, 1, "is_differentiable");
  if (((tensor_userdata *)lua_touserdata(L, 1))->is_leaf) return 0;
  lua_getiuservalue(L, 1, 1);
  lua_pushboolean(L, !check_node(L, -1)->used);
  return 1;
}

/* Pushes x.grad, where x is the tensor at stack index 1. */
static int push_grad(lua_State *L) {
  check_tensor_later(L, 1, "grad");
  const tensor_userdata *u = lua_touserdata(L, 1);
  lua_getiuservalue(L, 1, 1);
  if (u->is_leaf) return 1;
  if (lua_getiuservalue(L, -1, NODE_GRADIENTS) == LUA_TTABLE) lua_rawgeti(L, -1, u->output + 1);
  return 1;
}

static int get_grad(lua_State *L) {
  push_grad(L);
  tensor_userdata *g = test_userdata(L, -1);
  if (g) g->held = false;                    /* the script now has a reference, so backward must not free the
                                             ** gradient */
  return 1;
}

/* gradient(x): returns x.grad. Unlike the property, the function leaves `held` set, so that backward may free the
** gradient later. Therefore callers must not keep a reference. */
static int l_gradient(lua_State *L) { return push_grad(L); }

int set_requires_grad(lua_State *L) {
  require_grad(L, 1, "requires_grad", check_flag(L, 3, "requires_grad"));
  return 0;
}

static int raise_gradient(lua_State *L, const tensor *x, const tensor *g) {
  return luaL_error(L, "grad: a gradient of %s %s on %s is not one of a tensor of %s %s on %s", dtypes[g->dtype].name,
                    push_shape(L, &g->shape), push_place(L, g->store->place), dtypes[x->dtype].name,
                    push_shape(L, &x->shape), push_place(L, x->store->place));
}

void note_gradient(lua_State *L, int leaf) {
  if (!random_is_captured()) return;
  lua_pushvalue(L, leaf);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &captured_uses) == LUA_TTABLE) {
    lua_pushvalue(L, -2);
    if (lua_rawget(L, -2) == LUA_TNIL) {
      lua_pushvalue(L, -3);
      lua_getiuservalue(L, -1, 1);
      const tensor_userdata *old = test_userdata(L, -1);
      if (!old || !old->tensor.store) {
        lua_pop(L, 1);
        lua_pushboolean(L, false);
      }
      lua_rawset(L, -4);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
}

/* x.grad = g, where g may be nil. An old gradient that no script has seen is freed at once. */
int set_grad(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "grad");
  tensor_userdata *u = lua_touserdata(L, 1);
  if (!u->is_leaf) return luaL_error(L, "grad: only leaves have a gradient that can be set; use retain_grad to see it");
  if (!lua_isnil(L, 3)) {
    const tensor *g = test_tensor(L, 3);
    if (!g || tensor_is_gone(g)) return luaL_error(L, "grad: a tensor or nil expected, got %s", type_name(L, 3));
    if (!shape_equal(&g->shape, &x->shape) || g->dtype != x->dtype || !place_equal(g->store->place, x->store->place))
      return raise_gradient(L, x, g);
  }
  lua_settop(L, 3);
  note_gradient(L, 1);
  lua_getiuservalue(L, 1, 1);
  tensor_userdata *old = test_userdata(L, 4), *new = test_userdata(L, 3);
  if (new) new->held = false;
  if (old && old->held && !is_interrupting(L)) tensor_drop(&old->tensor);
  lua_settop(L, 3);
  lua_setiuservalue(L, 1, 1);
  return 0;
}

/* ---- for the engine ---- */

/* source(x): returns the destination of x's gradient: nil, x itself if x is a leaf, or x's node. If the node has
** several results, the second value is the number of the result. */
static int l_source(lua_State *L) {
  check_tensor_later(L, 1, "autograd");
  const tensor_userdata *u = lua_touserdata(L, 1);
  lua_settop(L, 1);
  if (!u->needs_grad) return 0;
  if (u->is_leaf) return 1;
  lua_getiuservalue(L, 1, 1);
  if (check_node(L, -1)->nout == 1) return 1;
  lua_pushinteger(L, u->output + 1);
  return 2;
}

/* sole(x): true if no other tensor shares x's memory, and x is contiguous. */
static int l_sole(lua_State *L) {
  const tensor *t = check_tensor_later(L, 1, "autograd");
  lua_pushboolean(L, storage_has_one_user(t->store) && tensor_is_contiguous(t));
  return 1;
}

/* alias(x): returns a view of x's memory that is not a part of the graph. */
static int l_alias(lua_State *L) {
  push_view(L, check_tensor_later(L, 1, "autograd"));
  return 1;
}

/* set_apart(x): marks x as detached, like a result of x:detach(). Other tensors may share x's memory, but they do not
** share its gradient. */
static int l_set_apart(lua_State *L) {
  tensor *t = check_tensor_later(L, 1, "autograd");
  if (t->apart) return 0;
  t->apart = true;
  t->store->kept++;
  return 0;
}

/* become(x, y): gives the leaf x the memory, shape, dtype and device of y. */
static int l_become(lua_State *L) {
  tensor *x = check_tensor_later(L, 1, "autograd"), *y = check_tensor_later(L, 2, "autograd");
  if (!((tensor_userdata *)lua_touserdata(L, 1))->is_leaf) return luaL_error(L, "only leaves can be moved");
  check_no_interrupt(L, "to");
  tensor t = *y;
  t.apart = false;
  storage_retain(t.store);
  tensor_drop(x);
  *x = t;
  return 0;
}

/* is_complex(x): returns true for a tensor of complex numbers and for a complex number. */
static int l_is_complex(lua_State *L) {
  const tensor *t = test_tensor(L, 1);
  lua_pushboolean(L, t && dtype_kind(t->dtype) == KIND_COMPLEX);
  return 1;
}

/* version(x): returns the number of in-place writes to x's memory. */
static int l_version(lua_State *L) {
  lua_pushinteger(L, check_tensor_later(L, 1, "autograd")->store->version);
  return 1;
}

static const luaL_Reg engine[] = {
  {"source", l_source}, {"sole", l_sole}, {"gradient", l_gradient}, {"alias", l_alias}, {"set_apart", l_set_apart}, {"become", l_become},
  {"is_complex", l_is_complex}, {"is_differentiable", l_is_differentiable},
  {"version", l_version}, {NULL, NULL}
};

static const function_row methods[] = {{"detach", l_detach, 1}, {NULL, NULL, 0}};

static const function_row in_place[] = {
  {"requires_grad_", l_requires_grad, 2}, {"detach_", l_detach_in_place, 1}, {"retain_grad", l_retain_grad, 1},
  {NULL, NULL, 0}
};

static const luaL_Reg properties[] = {
  {"requires_grad", get_requires_grad}, {"is_leaf", get_is_leaf}, {"grad_fn", get_grad_fn}, {"grad", get_grad},
  {NULL, NULL}
};

void open_grad(lua_State *L) {
  add_library(L, "autograd", engine);
  add_methods(L, methods);
  add_method_forms(L, in_place);
  add_properties(L, properties);
}
