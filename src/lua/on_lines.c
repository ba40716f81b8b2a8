#include "lua/on_lines.h"

#include "base/view.h"
#include "lua/args.h"

bool is_0d(lua_State *L, int i) {
  const tensor *t = test_tensor(L, i);
  return t && !tensor_is_gone(t) && t->shape.ndim == 0;
}

/* Replaces the tensor at index i by a view: with a dim of length 1 if to_line is set, else without its only dim. */
static void replace(lua_State *L, int i, bool to_line) {
  tensor *t = push_view(L, lua_touserdata(L, i));
  if (to_line) view_insert(t, 0, 1, 0);
  else view_remove(t, 0);
  finish_record(L, &(op_record){.name = "reshape", .nin = 1, .in = {i}});
  lua_replace(L, i);
}

static void check_no_out(lua_State *L, const char *fn, int last) {
  if (!is_options(L, last)) return;
  if (push_option(L, last, "out") != LUA_TNIL) luaL_error(L, "%s: option out: not for a 0-d tensor", fn);
  lua_pop(L, 1);
}

int call_on_lines(lua_State *L, const char *fn, lua_CFunction f, unsigned at, int like) {
  bool back = is_0d(L, like);
  int last = lua_gettop(L);
  check_no_out(L, fn, last);
  for (int i = 1; i <= last; i++)
    if (at >> i & 1 && is_0d(L, i)) replace(L, i, true);
  int results = f(L), first = lua_gettop(L) - results + 1;
  for (int i = first; back && i < first + results; i++)
    /* the result of topk with k = 0 stays empty */
    if (((tensor *)lua_touserdata(L, i))->count == 1) replace(L, i, false);
  return results;
}
