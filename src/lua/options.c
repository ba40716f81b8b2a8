/* Reads the table of options that may be the last argument of a Lua function. */

#include <string.h>

#include "lua/args.h"

bool is_options(lua_State *L, int i) {
  if (!is_plain_table(L, i)) return false;
  lua_pushnil(L);
  if (!lua_next(L, i)) return false;
  bool named = lua_type(L, -2) == LUA_TSTRING;
  lua_pop(L, 2);
  return named;
}

static int unknown_option(lua_State *L, const char *fn, const char *name, const char *const *known) {
  lua_newtable(L);
  int names = lua_gettop(L);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int k = 0; known[k]; k++) {
    if (k) luaL_addstring(&b, ", ");
    luaL_addstring(&b, known[k]);
  }
  luaL_pushresult(&b);
  const char *all = lua_tostring(L, -1);
  for (int k = 0; known[k]; k++) {
    lua_pushboolean(L, 1);
    lua_setfield(L, names, known[k]);
  }
  return luaL_error(L, "%s: unknown option \"%s\"; known: %s%s", fn, name, all, push_help(L, "option", name, names));
}

static void check_name(lua_State *L, int i, const char *fn, const char *const *known) {
  if (lua_type(L, i) != LUA_TSTRING) luaL_error(L, "%s: a table is either options (names) or a list, not both", fn);
  const char *name = lua_tostring(L, i);
  int k = 0;
  while (known[k] && strcmp(known[k], name) != 0) k++;
  if (!known[k]) unknown_option(L, fn, name, known);
}

/* True if the value at the top must stay alive while an operation uses it. Option out is an exception, because
** push_out checks the option again. */
static bool must_stay(lua_State *L) {
  int type = lua_type(L, -1);
  return type != LUA_TNUMBER && type != LUA_TBOOLEAN && strcmp(lua_tostring(L, -2), "out") != 0;
}

/* Replaces the table at index i by a shallow copy. The copy keeps the options alive even if a finalizer changes the
** original table during the operation. */
static void copy_table(lua_State *L, int i) {
  lua_newtable(L);
  int copy = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, i);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, copy);
  }
  lua_replace(L, i);
}

int check_options(lua_State *L, const char *fn, const char *const *known, int *nargs) {
  check_dot(L, fn);
  int last = count_arguments(L);
  *nargs = last;
  if (last == 0 || !is_options(L, last)) return 0;
  bool copy = false;
  for (lua_pushnil(L); lua_next(L, last); lua_pop(L, 1)) {
    check_name(L, -2, fn, known);
    copy |= must_stay(L);
  }
  if (copy) copy_table(L, last);
  *nargs = last - 1;
  return last;
}

int copy_list(lua_State *L, int i) {
  int n = (int)lua_rawlen(L, i);
  lua_createtable(L, n, 0);
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, i, k);
    lua_rawseti(L, -2, k);
  }
  lua_replace(L, i);
  return n;
}

int push_option(lua_State *L, int options, const char *name) {
  if (options) {
    lua_pushstring(L, name);
    return lua_rawget(L, options);
  }
  lua_pushnil(L);
  return LUA_TNIL;
}

int check_dim_option(lua_State *L, const char *fn, const char *const *known, int *nargs, int i) {
  int options = check_options(L, fn, known, nargs);
  bool named = push_option(L, options, "dim") != LUA_TNIL;
  if (named && *nargs >= i) luaL_error(L, "%s: dim is given twice", fn);
  if (!named || *nargs < i - 1) {
    lua_pop(L, 1);
    return options;
  }
  lua_insert(L, options);
  ++*nargs;
  return options + 1;
}

enum dtype opt_dtype(lua_State *L, int options, const char *fn, enum dtype otherwise) {
  if (!options) return otherwise;
  push_option(L, options, "dtype");
  enum dtype d = lua_isnil(L, -1) ? otherwise : check_dtype(L, -1, fn);
  lua_pop(L, 1);
  return d;
}

place opt_place(lua_State *L, int options, const char *fn, place otherwise) {
  if (!options) return otherwise;
  push_option(L, options, "device");
  place p = lua_isnil(L, -1) ? otherwise : check_place(L, -1, fn);
  lua_pop(L, 1);
  return p;
}

tensor *top_out(lua_State *L, const char *fn) {
  if (lua_isnil(L, -1)) return NULL;
  tensor *t = test_tensor(L, -1);
  if (!t) luaL_error(L, "%s: option out: tensor expected, got %s", fn, type_name(L, -1));
  if (tensor_is_gone(t)) luaL_error(L, "%s: option out: %s", fn, push_gone(L, t));
  check_constant(L, fn, -1);
  if (recorder()) recorder()->check_write(L, fn, 0);
  return t;
}

tensor *opt_out_later(lua_State *L, int options, const char *fn) {
  if (!options) return NULL;
  push_option(L, options, "out");
  tensor *t = top_out(L, fn);
  lua_pop(L, 1);
  return t;
}

void push_out(lua_State *L, int options, const char *fn, const tensor *out) {
  push_option(L, options, "out");
  const tensor *now = test_tensor(L, -1);
  if (now != out || tensor_is_gone(now)) luaL_error(L, "%s: option out: a finalizer changed it meanwhile", fn);
}

bool opt_bool(lua_State *L, int options, const char *fn, const char *name, bool otherwise) {
  if (!options) return otherwise;
  int type = push_option(L, options, name);
  if (type != LUA_TNIL && type != LUA_TBOOLEAN)
    luaL_error(L, "%s: option %s: boolean expected, got %s", fn, name, type_name(L, -1));
  bool value = type == LUA_TNIL ? otherwise : lua_toboolean(L, -1);
  lua_pop(L, 1);
  return value;
}
