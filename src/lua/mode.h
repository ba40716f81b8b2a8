#ifndef LT_LUA_MODE_H
#define LT_LUA_MODE_H

/* Modes: settings on which operations depend besides their arguments. A guard sets a mode for the coroutine that opened
** the guard, and for the coroutines that this coroutine resumes. The guard ends when it is closed or no longer
** referenced. */

#include <lua.h>
#include <stdbool.h>

enum mode {
  MODE_recording,              /* true (the default): operations are recorded for gradients */
  MODE_autocast,               /* the dtypes in which layers compute: a table of lua/luatensor/nn/autocast.lua */
  MODE_watch,                  /* the functions that watch nodes: a table of lua/luatensor/autograd/anomaly.lua */
  MODE_COUNT
};

bool mode_is_recording(lua_State *L);

/* Pushes the value of a mode and returns true. If no guard sets the mode, returns false and pushes nothing. */
bool mode_push(lua_State *L, enum mode mode);

/* mode_record inserts an open guard, which sets recording to `flag`, at stack index 1. A C function makes a call while
** this guard is open, and then closes the guard by mode_end, even if the call failed. */
typedef struct guard guard;
guard *mode_record(lua_State *L, bool flag);
void   mode_end(guard *g);

#endif
