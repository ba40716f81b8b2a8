#ifndef LT_LUA_ON_LINES_H
#define LT_LUA_ON_LINES_H

/* Helpers with which functions that compute along a dim, such as sort, treat a 0-d tensor as a 1-d tensor of one
** element. */

#include <lua.h>
#include <stdbool.h>

/* True if argument i is a 0-d tensor. */
bool is_0d(lua_State *L, int i);

/* Runs f. First each 0-d argument whose bit (1 << index) is set in `at` is replaced by a 1-d view of one element. If
** argument `like` is 0-d, results of one element become 0-d. Gradients flow through the conversions. Option out
** raises an error. Returns the number of results of f. */
int call_on_lines(lua_State *L, const char *fn, lua_CFunction f, unsigned at, int like);

#endif
