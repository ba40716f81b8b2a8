#ifndef LT_LUA_ON_LINES_H
#define LT_LUA_ON_LINES_H

/* Functions that compute along a dim treat a 0-d tensor as a line of one element. */

#include <lua.h>
#include <stdbool.h>

/* True if argument i is a 0-d tensor. */
bool is_0d(lua_State *L, int i);

/* Runs f with 0-d tensors as lines. The arguments with their bits (1 << index) set in `at` are converted. The results
** are 0-d if argument `like` is 0-d. Gradients flow through the conversions. Option out raises an error. Returns the
** number of results of f. */
int call_on_lines(lua_State *L, const char *fn, lua_CFunction f, unsigned at, int like);

#endif
