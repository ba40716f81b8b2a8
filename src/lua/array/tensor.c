/* The class of tensors: the finalizer, simple properties such as x.dtype, comparisons, and the error for calling a
** property. */

#include <string.h>

#include "base/loan.h"
#include "lua/args.h"
#include "lua/interrupt.h"
#include "lua/register.h"

/* Scripts can call this function through debug.getmetatable, so the argument may be anything. */
static int l_gc(lua_State *L) {
  tensor *t = test_tensor(L, 1);
  if (!t) return 0;
  tensor_userdata *u = lua_touserdata(L, 1);
  scope_forget(u);
  tensor_drop(t);
  u->class = NULL;
  return 0;
}

/***
Frees this tensor at once. Its memory is freed with the last tensor that shares it. Freeing twice is harmless. `free`
does nothing in a finalizer or debug hook that interrupted an operation, because the operation may use this tensor. The
collector then frees the tensor when nothing refers to it any more.
@function free
@tparam tensor x
*/
static int l_free(lua_State *L) {
  tensor *t = test_tensor(L, 1);
  if (!t) {
    const char *type = type_name(L, 1);              /* read before push_colon pushes a string, which would become
                                                     ** argument 1 if the argument is missing */
    return luaL_error(L, "free: tensor expected, got %s%s", type, push_colon(L, "free"));
  }
  if (!is_interrupting(L)) tensor_drop(t);
  return 0;
}

/***
True if v is a tensor.
@function is_tensor
@param v anything
@treturn boolean
*/
static int l_is_tensor(lua_State *L) {
  lua_pushboolean(L, test_tensor(L, 1) != NULL);
  return 1;
}

/* gone(x): returns nil unless x is a tensor that can no longer be used. For such a tensor returns a reason, such as
** "this tensor was freed", and one of the words "freed", "revoked" and "lost". */
static int l_gone(lua_State *L) {
  const tensor *t = test_tensor(L, 1);
  if (!t || !tensor_is_gone(t)) {
    lua_pushnil(L);
    return 1;
  }
  push_gone(L, t);
  lua_pushstring(L, !t->store ? "freed" : storage_is_revoked(t->store) ? "revoked" : "lost");
  return 2;
}

/* dtype_of(x): returns the name of a tensor's dtype. Returns nil for other values, and for a tensor that was freed,
** revoked or lost. */
static int l_dtype_of(lua_State *L) {
  const tensor *t = test_tensor(L, 1);
  if (t && !tensor_is_gone(t)) lua_pushstring(L, dtypes[t->dtype].name);
  else lua_pushnil(L);
  return 1;
}

/* is_overlapping(x): true if several elements share one memory location. */
static int l_is_overlapping(lua_State *L) {
  lua_pushboolean(L, tensor_is_overlapping(check_tensor_later(L, 1, "is_overlapping")));
  return 1;
}

/* ---- properties: x.dtype … ---- */

static int get_strides(lua_State *L) {
  const tensor *t = check_tensor_later(L, 1, "strides");
  lua_createtable(L, t->shape.ndim, 0);
  for (int d = 0; d < t->shape.ndim; d++) {
    lua_pushinteger(L, t->stride[d]);
    lua_rawseti(L, -2, d + 1);
  }
  return 1;
}

static int get_ndim(lua_State *L) { lua_pushinteger(L, check_tensor_later(L, 1, "ndim")->shape.ndim); return 1; }
static int get_size(lua_State *L) { lua_pushinteger(L, check_tensor_later(L, 1, "size")->count); return 1; }
static int get_dtype(lua_State *L) { lua_pushstring(L, dtypes[check_tensor_later(L, 1, "dtype")->dtype].name); return 1; }
static int get_device(lua_State *L) { push_place(L, check_tensor_later(L, 1, "device")->store->place); return 1; }

/* #x: returns the length of the first dim. */
static int l_len(lua_State *L) {
  const tensor *t = check_tensor_later(L, 1, "#");
  if (t->shape.ndim == 0) return luaL_error(L, "#: a 0-d tensor has no length");
  lua_pushinteger(L, t->shape.dim[0]);
  return 1;
}

static bool is_one_element(lua_State *L, int i) {
  const tensor *t = test_tensor(L, i);
  return lua_type(L, i) == LUA_TNUMBER || (t && !tensor_is_gone(t) && t->count == 1);
}

static int l_no_order(lua_State *L) {
  const char *cure = is_one_element(L, 1) && is_one_element(L, 2) ? ", or x:item(), the number of one element" : "";
  return luaL_error(L, "tensors are not ordered; use x:less(y), x:less_equal(y), x:greater(y), x:greater_equal(y)%s",
                    cure);
}

/* Pushes the script's line that contains the comparison, such as "train.lua:12", and a key for this line. Returns the
** line. If Lua does not know the line, line and key are "?". At the prompt each input is line 1 of its own chunk, so
** the key then contains the chunk's address. */
static const char *push_caller(lua_State *L) {
  lua_Debug ar;
  if (!lua_getstack(L, 1, &ar) || !lua_getinfo(L, "Slf", &ar) || ar.currentline < 0) {
    lua_pushliteral(L, "?");
    lua_pushvalue(L, -1);
    return "?";
  }
  const void *chunk = strcmp(ar.source, "=stdin") == 0 ? lua_topointer(L, -1) : NULL;
  const char *caller = lua_pushfstring(L, "%s:%d", ar.short_src, ar.currentline);
  lua_pushfstring(L, "%s:%p", caller, chunk);
  return caller;
}

/* Warns once for each line of a script. The address of `lines` is the registry key of the table of lines for which a
** warning was given. */
static void warn_equal(lua_State *L) {
  static const char lines = 0;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lines) == LUA_TNIL) {
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &lines);
    lua_replace(L, 3);
  }
  const char *caller = push_caller(L);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, 3) != LUA_TNIL) return;
  lua_pop(L, 1);
  lua_pushboolean(L, 1);
  lua_rawset(L, 3);
  const char *rest = ": == asks whether these are the same tensor; values: lt.equal_all(x, y), x:equal(y)";
  lua_warning(L, lua_pushfstring(L, "%s%s", caller, rest), 0);
}

/* x == y for two different tensors is false, as for all userdata. Most likely the script was meant to compare the
** elements, so the function warns. */
static int l_equal(lua_State *L) {
  lua_settop(L, 2);
  if (test_tensor(L, 1) && test_tensor(L, 2)) warn_equal(L);
  lua_pushboolean(L, 0);
  return 1;
}

/* ---- x:size(1) ---- */

/* Raises the error for a call of a number. In PyTorch and Torch7 some properties of tensors are methods, such as size.
** If a script calls such a property, the message says what to write instead. Otherwise the message is Lua's own. */
static int l_call_number(lua_State *L) {
  lua_Debug ar = {.name = NULL};
  if (lua_getstack(L, 0, &ar)) lua_getinfo(L, "n", &ar);
  const tensor *t = test_tensor(L, 2);
  bool named = ar.name && *ar.namewhat, of_tensor = t && !tensor_is_gone(t);
  /* in a tail call, such as return x:size(1), Lua has no name for the called value */
  bool tail = !named && of_tensor && t->count == lua_tointeger(L, 1);
  if (tail || (named && of_tensor && strcmp(ar.name, "size") == 0 && strcmp(ar.namewhat, "method") == 0))
    return luaL_error(L, "size: x.size is the number of elements; the length of dim i is x.shape[i]");
  if (!named) return luaL_error(L, "attempt to call a number value");
  if (of_tensor && strcmp(ar.namewhat, "method") == 0)
    return luaL_error(L, "%s: x.%s is a number, not a method; leave out the parentheses", ar.name, ar.name);
  return luaL_error(L, "attempt to call a number value (%s '%s')", ar.namewhat, ar.name);
}

/* Gives numbers a metatable for the error of l_call_number, unless numbers already have one. Scripts do not see the
** metatable, because getmetatable returns false. */
static void open_number(lua_State *L) {
  lua_pushinteger(L, 0);
  if (lua_getmetatable(L, -1)) {
    lua_pop(L, 2);
    return;
  }
  lua_newtable(L);
  lua_pushcfunction(L, l_call_number);
  lua_setfield(L, -2, "__call");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}

static const function_row functions[] = {
  {"is_tensor", l_is_tensor, 1}, {"gone", l_gone, INTERNAL}, {"dtype_of", l_dtype_of, INTERNAL},
  {"is_overlapping", l_is_overlapping, INTERNAL}, {NULL, NULL, 0}
};

static const function_row methods[] = {{"free", l_free, 1}, {NULL, NULL, 0}};

static const luaL_Reg properties[] = {
  {"strides", get_strides}, {"ndim", get_ndim}, {"size", get_size}, {"dtype", get_dtype}, {"device", get_device},
  {NULL, NULL}
};

static const luaL_Reg metamethods[] = {
  {"__gc", l_gc}, {"__close", l_free}, {"__len", l_len}, {"__lt", l_no_order}, {"__le", l_no_order},
  {"__eq", l_equal}, {NULL, NULL}
};

void open_tensor(lua_State *L) {
  add_functions(L, functions);
  add_methods(L, methods);
  add_properties(L, properties);
  add_metamethods(L, metamethods);
  open_number(L);
}
