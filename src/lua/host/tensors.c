/* Makes tensors for a host, describes tensors to a host, and checks a host's arguments. */

#include "io/dlpack.h"
#include "lua/args.h"
#include "lua/host/host.h"

/* Checks at compile time that the numbers of dtypes in luatensor.h agree with the rows of DTYPES. */
#define AS_IN_HEADER(name, store, compute, accum, kind, digits, exponent, numpy, code) \
  _Static_assert(LUATENSOR_##name == ((code) << 8 | 8 * sizeof(store)), #name " of luatensor.h");
DTYPES(AS_IN_HEADER)
_Static_assert((int)LUATENSOR_MAX_DIMS == (int)MAX_DIMS, "dims of luatensor.h");

static int number_of(enum dtype d) { return dtypes[d].dlpack << 8 | 8 * dtype_size(d); }

int api_dtype(lua_State *L, const char *fn, int number) {
  enum dtype d = dlpack_dtype(number >> 8, number & 0xff);
  if (d == DT_none) luaL_error(L, "%s: %d is no dtype of luatensor.h", fn, number);
  return d;
}

void *api_new_tensor(lua_State *L, int dtype, int ndim, const int64_t *lengths) {
  const char *fn = "new_tensor";
  shape s = {.ndim = ndim};
  enum dtype d = (enum dtype)api_dtype(L, fn, dtype);
  if (ndim < 0 || ndim > MAX_DIMS) luaL_error(L, "%s: %d dims; 0 to %d expected", fn, ndim, MAX_DIMS);
  for (int k = 0; k < ndim; k++) {
    if (lengths[k] < 0) luaL_error(L, "%s: size %I is negative", fn, (LUAI_UACINT)lengths[k]);
    s.dim[k] = lengths[k];
  }
  luaL_checkstack(L, LUA_MINSTACK, fn);
  if (place_is_captured(host_place())) raise_device(L, fn, ERR_CAPTURE, host_place());
  tensor *t = push_tensor(L, fn, d, &s, host_place());
  t->store->exported = true;
  return tensor_data(t);
}

int api_is_tensor(lua_State *L, int index) { return test_tensor(L, index) != NULL; }

/* ---- reading ---- */

static void describe(const tensor *t, luatensor_array *a) {
  *a = (luatensor_array){.data = tensor_data(t), .dtype = number_of(t->dtype), .ndim = t->shape.ndim, .count = t->count,
                         .contiguous = tensor_is_contiguous(t)};
  for (int k = 0; k < t->shape.ndim; k++) {
    a->shape[k] = t->shape.dim[k];
    a->stride[k] = t->stride[k];
  }
}

/* Pushes the reason why C must not get this live tensor's address. Returns NULL if C may get the address. */
static const char *push_refusal(lua_State *L, const tensor_userdata *u, int flags) {
  const tensor *t = &u->tensor;
  if (!place_is_host(t->store->place))
    return lua_pushfstring(L, "a tensor in the host's memory expected, this one is on %s; use x:to(\"%s\")",
                           push_place(L, t->store->place), host_place().device->name);
  if (place_is_captured(t->store->place)) return lua_pushliteral(L, "while a graph is captured, its elements have no values");
  if (u->needs_grad) return lua_pushliteral(L, "gradients do not pass to C functions; use x:detach()");
  if ((flags & LUATENSOR_contiguous) && !tensor_is_contiguous(t))
    return lua_pushliteral(L, "a contiguous tensor expected; use x:contiguous()");
  if ((flags & LUATENSOR_write) && tensor_is_overlapping(t))
    return lua_pushliteral(L, "several elements of this tensor share one place, so it cannot be written; use x:clone()");
  return NULL;
}

/* Fills *a. If C may write to the tensor, also increases its version, so that backward raises an error if a gradient
** needs the old elements. */
static void grant(const tensor *t, int flags, luatensor_array *a) {
  if (flags & LUATENSOR_write) t->store->version++;
  t->store->exported = true;
  describe(t, a);
}

int api_read(lua_State *L, int index, int flags, luatensor_array *a) {
  luaL_checkstack(L, LUA_MINSTACK, "read");
  int top = lua_gettop(L);
  const tensor *t = test_tensor(L, index);
  const char *why;
  if (!t) why = lua_pushfstring(L, "tensor expected, got %s", type_name(L, index));
  else if (tensor_is_gone(t)) why = push_gone(L, t);
  else make_ready(L, t, "read"), why = push_refusal(L, lua_touserdata(L, index), flags);
  if (!why) {
    grant(t, flags, a);
    return 1;
  }
  lua_insert(L, top + 1);                /* keeps the reason, and removes the strings of which it was made */
  lua_settop(L, top + 1);
  return 0;
}

/* ---- arguments ---- */

/* Pushes a description of the wanted tensor, such as "float32 tensor of 2 dims". */
static const char *push_wanted(lua_State *L, int dtype, int ndim) {
  const char *of = dtype == LUATENSOR_any ? "" : lua_pushfstring(L, "%s ", dtypes[api_dtype(L, "check", dtype)].name);
  if (ndim < 0) return lua_pushfstring(L, "%stensor", of);
  return lua_pushfstring(L, "%stensor of %d dim%s", of, ndim, ndim == 1 ? "" : "s");
}

/* Pushes a message that argument `arg` is not the wanted tensor. Returns NULL if the argument is the wanted tensor. */
static const char *push_mismatch(lua_State *L, int arg, int dtype, int ndim) {
  const tensor *t = test_tensor(L, arg);
  if (!t) return lua_pushfstring(L, "%s expected, got %s", push_wanted(L, dtype, ndim), type_name(L, arg));
  if (tensor_is_gone(t)) return push_gone(L, t);
  make_ready(L, t, "check");
  bool other = dtype != LUATENSOR_any && dtype != number_of(t->dtype);
  if (!other && (ndim < 0 || ndim == t->shape.ndim)) return NULL;
  const char *wanted = push_wanted(L, dtype, ndim), *shape = push_shape(L, &t->shape);
  const char *cure = other ? lua_pushfstring(L, "; use x:to(\"%s\")", dtypes[api_dtype(L, "check", dtype)].name) : "";
  return lua_pushfstring(L, "%s expected, got %s of shape %s%s", wanted, dtypes[t->dtype].name, shape, cure);
}

void api_check(lua_State *L, int arg, int dtype, int ndim, int flags, luatensor_array *a) {
  luaL_checkstack(L, LUA_MINSTACK, "check");
  const char *wrong = push_mismatch(L, arg, dtype, ndim);
  if (!wrong) wrong = push_refusal(L, lua_touserdata(L, arg), flags);
  if (wrong) luaL_argerror(L, arg, wrong);
  grant(test_tensor(L, arg), flags, a);
}
