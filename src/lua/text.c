/* The function `plainly`, with which the library's own Lua files call Lua's text functions in the C locale; and the
** conversion of numbers to text in that locale. */

#include <string.h>

#include "base/text.h"
#include "lua/args.h"
#include "lua/register.h"

const char *push_double(lua_State *L, double x) {
  char text[48];
  int n = text_print(text, sizeof text - 2, "%.14g", x);
  if (text[strspn(text, "-0123456789")] == 0) strcpy(text + n, ".0");
  return lua_pushstring(L, text);
}

const char *push_plain(lua_State *L, int i) {
  bool is_float = lua_type(L, i) == LUA_TNUMBER && !lua_isinteger(L, i);
  return is_float ? push_double(L, lua_tonumber(L, i)) : luaL_tolstring(L, i, NULL);
}

/* plainly(f, …): returns the results of f(…) in the C locale. Numbers have a decimal point, strings are compared byte
** by byte, and only ASCII letters are letters. f cannot yield. */
static int l_plainly(lua_State *L) {
  void *before = text_enter();
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  text_leave(before);
  return status == LUA_OK ? lua_gettop(L) : lua_error(L);
}

static const function_row functions[] = {{"plainly", l_plainly, INTERNAL}, {NULL, NULL, 0}};

void open_text(lua_State *L) { add_functions(L, functions); }
