/* Names for error messages: the names of values' types, and suggestions for unknown names. */

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lua/args.h"
#include "lua/register.h"

/* ---- types ---- */

/* True if the table at index i is a module of nn: the module has a table `_known`, and its class has a name. */
static bool is_module(lua_State *L, int i) {
  lua_pushliteral(L, "_known");
  bool is = lua_rawget(L, i) == LUA_TTABLE && luaL_getmetafield(L, i, "class_name") == LUA_TSTRING;
  lua_settop(L, is ? -3 : -2);
  return is;
}

bool is_plain_table(lua_State *L, int i) {
  i = lua_absindex(L, i);
  if (lua_type(L, i) != LUA_TTABLE || !lua_getmetatable(L, i)) return lua_type(L, i) == LUA_TTABLE;
  lua_pop(L, 1);
  return strcmp(type_name(L, i), "table") == 0;
}

const char *type_name(lua_State *L, int i) {
  static const char ours[] = "luatensor.";
  static const char *const names[] = {"tensor", "generator", "stream", "event", "graph"};
  i = lua_absindex(L, i);
  int type = lua_type(L, i);
  if (type == LUA_TTABLE && is_module(L, i)) return "module";
  if ((type != LUA_TUSERDATA && type != LUA_TTABLE) || luaL_getmetafield(L, i, "__name") == LUA_TNIL) return luaL_typename(L, i);
  const char *name = lua_tostring(L, -1);                     /* such as "luatensor.Tensor" or "FILE*" */
  lua_pop(L, 1);
  if (!name) return luaL_typename(L, i);
  if (strncmp(name, ours, strlen(ours)) != 0) return name;
  name += strlen(ours);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strcasecmp(names[k], name) == 0) return names[k];
  return name;
}

/* type_name(v): returns the result of the C function type_name, such as "tensor", "module" or "number". */
static int l_type_name(lua_State *L) {
  lua_settop(L, 1);
  lua_pushstring(L, type_name(L, 1));
  return 1;
}

/* ---- the nearest name ---- */

enum { LONGEST = 31 };                 /* bytes of the longest name that is compared */

/* Returns the edit distance of a and b, ignoring case. The edits are replacing, inserting and deleting a letter, and
** swapping two neighbours. */
static int distance(const char *a, const char *b) {
  int rows[3][LONGEST + 1], n = (int)strlen(b);
  for (int k = 0; k <= n; k++) rows[0][k] = k;
  int i = 0;
  for (; a[i]; i++) {
    int *row = rows[(i + 1) % 3], *above = rows[i % 3], *before = rows[(i + 2) % 3];
    row[0] = i + 1;
    for (int k = 0; k < n; k++) {
      int x = tolower((unsigned char)a[i]), y = tolower((unsigned char)b[k]);
      int least = above[k] + (x != y);
      if (above[k + 1] + 1 < least) least = above[k + 1] + 1;
      if (row[k] + 1 < least) least = row[k] + 1;
      bool exchanged = i && k && x == tolower((unsigned char)b[k - 1]) && y == tolower((unsigned char)a[i - 1]);
      if (exchanged && before[k - 1] + 1 < least) least = before[k - 1] + 1;
      row[k + 1] = least;
    }
  }
  return rows[i % 3][n];
}

/* Returns the greatest distance at which a suggestion is helpful: a third of the letters, at most two. For names that
** are too long to be compared, returns -1. */
static int most_distance(const char *name) {
  size_t n = strlen(name);
  return n > LONGEST ? -1 : n < 3 ? 0 : n < 6 ? 1 : 2;
}

const char *nearest_name(lua_State *L, int names, const char *name) {
  const char *nearest = NULL;
  int least = most_distance(name) + 1;
  lua_pushnil(L);
  while (lua_next(L, names)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING || lua_rawlen(L, -1) > LONGEST) continue;
    const char *known = lua_tostring(L, -1);
    int d = distance(name, known);
    if (d < least || (d == least && nearest && strcmp(known, nearest) < 0)) { least = d; nearest = known; }
  }
  return nearest;
}

/* nearest(table, name): returns the key that is most similar to name, or nil if no key is similar enough. */
static int l_nearest(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_pushstring(L, nearest_name(L, 1, luaL_checkstring(L, 2)));
  return 1;
}

/* ---- help ---- */

/* Pushes a function of lua/luatensor/base/names.lua. Returns false if that file is not loaded, as when core is used
** alone. */
static bool push_helper(lua_State *L, const char *helper) {
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, "luatensor.base.names") != LUA_TTABLE) return false;
  lua_getfield(L, -1, helper);
  return true;
}

const char *push_help(lua_State *L, const char *kind, const char *name, int names) {
  names = lua_absindex(L, names);
  if (!push_helper(L, "help")) return "";
  lua_pushstring(L, kind);
  lua_pushstring(L, name);
  lua_pushvalue(L, names);
  lua_call(L, 3, 1);
  return lua_tostring(L, -1);
}

const char *push_positions(lua_State *L, const char *fn, int first, int last) {
  if (!push_helper(L, "positions")) return "";
  if (last < first) return "";
  luaL_checkstack(L, last - first + LUA_MINSTACK, NULL);
  lua_pushstring(L, fn);
  for (int i = first; i <= last; i++) lua_pushvalue(L, i);
  lua_call(L, 2 + last - first, 1);
  return lua_tostring(L, -1);
}

const char *push_colon(lua_State *L, const char *fn) {
  const char *kind = type_name(L, 1);
  if (!push_helper(L, "colon")) return "";
  lua_pushstring(L, fn);
  lua_pushstring(L, kind);
  lua_call(L, 2, 1);
  return lua_tostring(L, -1);
}

/* ---- wrong numbers of arguments ---- */

void check_dot(lua_State *L, const char *fn) {
  if (!lua_istable(L, 1)) return;
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, "luatensor");
  if (lua_rawequal(L, 1, -1)) luaL_error(L, "%s: write lt.%s(…) with a dot, not lt:%s(…)", fn, fn, fn);
  lua_pop(L, 2);
}

int count_arguments(lua_State *L) {
  int last = lua_gettop(L);
  while (last > 0 && lua_isnil(L, last)) last--;
  return last;
}

int method_self(lua_State *L) {
  lua_Debug ar;
  return lua_getstack(L, 0, &ar) && lua_getinfo(L, "n", &ar) && strcmp(ar.namewhat, "method") == 0;
}

void drop_surplus(lua_State *L, const char *fn, int most) {
  int last = count_arguments(L);
  if (last <= most) {
    lua_settop(L, most);
    return;
  }
  check_dot(L, fn);
  const char *help = push_positions(L, fn, most, last);
  int self = most > 0 ? method_self(L) : 0;
  most -= self;
  last -= self;
  if (most == 0) luaL_error(L, "%s: no arguments expected, got %d", fn, last);
  luaL_error(L, "%s: at most %d argument%s expected, got %d%s", fn, most, most == 1 ? "" : "s", last, help);
}

int raise_most(lua_State *L, const char *fn, int most, int nargs) {
  const char *help = push_positions(L, fn, most + 1, nargs);
  int self = method_self(L);
  most -= self;
  return luaL_error(L, "%s: at most %d argument%s and options expected, got %d%s", fn, most, most == 1 ? "" : "s",
                    nargs - self, help);
}

void open_names(lua_State *L) {
  lua_pushcfunction(L, l_type_name);
  add_internal(L, "type_name");
  lua_pushcfunction(L, l_nearest);
  add_internal(L, "nearest");
}
