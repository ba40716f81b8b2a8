#ifndef LT_LUA_MODE_H
#define LT_LUA_MODE_H

/* Modes: settings on which operations depend besides their arguments. A guard sets a mode for the coroutine that
** opened the guard, and for the coroutines that this one resumes, until the guard is closed or nothing refers to it
** any more. */

#include <lua.h>
#include <stdbool.h>

enum mode {
  MODE_recording,              /* true if operations are recorded for gradients, the default */
  MODE_autocast,               /* the dtypes in which layers compute: a table of lua/luatensor/nn/autocast.lua */
  MODE_watch,                  /* the functions that look at each node: a table of lua/luatensor/autograd/anomaly.lua */
  MODE_COUNT
};

bool mode_is_recording(lua_State *L);

/* Pushes the value of a mode. If no guard sets the mode, returns false and pushes nothing. */
bool mode_push(lua_State *L, enum mode mode);

/* Puts an open guard of recording at index 1, for a C function that closes it after a call, even after a failed one. */
typedef struct guard guard;
guard *mode_record(lua_State *L, bool flag);
void   mode_end(guard *g);

#endif
