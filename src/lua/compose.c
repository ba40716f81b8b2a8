/* Wraps the library's functions that are written in Lua, before scripts get them. Errors of a wrapped function name
** the function that the script called and the script's own line, as errors of C functions do. */

#include "lua/compose.h"

#include <lauxlib.h>
#include <string.h>

#include "base/text.h"
#include "lua/args.h"
#include "lua/register.h"

/* Returns the part of the message after the "file:line: " that Lua prepended, or the whole message without such a
** prefix. */
static const char *skip_position(const char *message) {
  for (const char *p = strchr(message, ':'); p; p = strchr(p + 1, ':')) {
    size_t digits = strspn(p + 1, "0123456789");
    if (digits && p[1 + digits] == ':' && p[2 + digits] == ' ') return p + digits + 3;
  }
  return message;
}

/* Returns the part of the message after the function's name: ": the size …" for "reshape: the size …". Returns
** NULL if the message names no function. */
static const char *skip_name(const char *message) {
  const char *p = message;
  while (text_is_alnum(*p) || *p == '_') p++;
  return p > message && p[0] == ':' && p[1] == ' ' ? p : NULL;
}

/* Runs after the call: returns the call's results, or raises its error in the form of a C function's error. */
static int finish_call(lua_State *L, int status, lua_KContext ctx) {
  (void)ctx;
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L);
  if (status == LUA_ERRMEM || lua_type(L, -1) != LUA_TSTRING) return lua_error(L);
  const char *message = skip_position(lua_tostring(L, -1)), *rest = skip_name(message);
  if (rest) return luaL_error(L, "%s%s", lua_tostring(L, lua_upvalueindex(2)), rest);
  return luaL_error(L, "%s", message);
}

/* Handles a call without arguments. If `name` is a method, the script probably wrote x.name() for x:name(), so raises
** an error. A function written in Lua could not distinguish this call from a call with nil. */
static void check_none(lua_State *L, const char *name) {
  const char *help = push_colon(L, name);
  if (*help) luaL_error(L, "%s: argument 1: tensor expected, got no value%s", name, help);
  lua_settop(L, 0);
}

/* Calls a Lua function for a script. Upvalues: the function, its name, the greatest number of its arguments or ANY, and
** whether it has named parameters. */
static int l_composed(lua_State *L) {
  const char *name = lua_tostring(L, lua_upvalueindex(2));
  int most = (int)lua_tointeger(L, lua_upvalueindex(3));
  if (lua_gettop(L) == 0 && lua_toboolean(L, lua_upvalueindex(4))) check_none(L, name);
  check_dot(L, name);
  if (most != ANY) check_most(L, name, most);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  return finish_call(L, lua_pcallk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, 0, finish_call), 0);
}

/* Returns the greatest number of arguments that the Lua function at index i takes: the number of its named parameters,
** or ANY. *names_any becomes true if the function has named parameters. */
static int most_arguments(lua_State *L, int i, bool *names_any) {
  lua_Debug ar;
  lua_pushvalue(L, i);
  lua_getinfo(L, ">u", &ar);
  *names_any = ar.nparams > 0;
  return ar.isvararg ? ANY : ar.nparams;
}

/* most_arguments(f): returns the greatest number of arguments of a function written in Lua. Returns -1 for any number,
** and for a C function. */
static int l_most_arguments(lua_State *L) {
  bool names_any;
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushinteger(L, lua_iscfunction(L, 1) ? ANY : most_arguments(L, 1, &names_any));
  return 1;
}

/* composition(name, f): returns the function that scripts call instead of f. Errors of this function begin with
** `name`. If f is not a function written in Lua, returns f itself. */
static int l_composition(lua_State *L) {
  lua_settop(L, 2);
  if (!lua_isfunction(L, 2) || lua_iscfunction(L, 2)) return 1;
  bool names_any;
  int most = most_arguments(L, 2, &names_any);
  lua_insert(L, 1);
  lua_pushinteger(L, most);
  lua_pushboolean(L, names_any);
  lua_pushcclosure(L, l_composed, 4);
  return 1;
}

bool is_composition(lua_State *L, lua_Debug *ar) {
  lua_getinfo(L, "f", ar);
  bool is = lua_tocfunction(L, -1) == l_composed;
  lua_pop(L, 1);
  return is;
}

static const function_row functions[] = {
  {"composition", l_composition, INTERNAL}, {"most_arguments", l_most_arguments, INTERNAL}, {NULL, NULL, 0}
};

void open_compose(lua_State *L) { add_functions(L, functions); }
