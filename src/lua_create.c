/* Creation from shapes. */

#include "lua_args.h"
#include "lua_tensor.h"

static const char *const create_options[] = {"dtype", "device", NULL};

/* zeros(shape…), ones, empty: the same arguments; upvalue: value, or nil for none. */
static int l_constant(lua_State *L) {
  const char *fn = lua_tostring(L, lua_upvalueindex(1));
  int nargs, options = check_options(L, fn, create_options, &nargs);
  shape s;
  check_shape(L, 1, nargs, fn, &s);
  enum dtype d = opt_dtype(L, options, fn, dtype_default_float());
  tensor *t = push_tensor(L, fn, d, &s, opt_place(L, options, fn, default_place()));
  if (!lua_isnil(L, lua_upvalueindex(2)))
    op_fill(t, (scalar){.i = lua_tointeger(L, lua_upvalueindex(2)), .f = lua_tonumber(L, lua_upvalueindex(2))});
  return finish_op(L, false);
}

static void add_constant(lua_State *L, const char *name, int value) {
  lua_pushstring(L, name);
  if (value < 0) lua_pushnil(L);
  else lua_pushinteger(L, value);
  lua_pushcclosure(L, l_constant, 2);
  lua_setfield(L, 1, name);
}

void open_create(lua_State *L) {
  add_constant(L, "zeros", 0);
  add_constant(L, "ones", 1);
  add_constant(L, "empty", -1);
}
