#ifndef LT_LUA_ARRAY_INDEX_H
#define LT_LUA_ARRAY_INDEX_H

/* Functions for indices and masks, which other files of this folder use. Tensors that these functions make stay on
** the Lua stack. */

#include "lua/args.h"
#include "op/index.h"

/* The metamethods of x[key] and x[key] = value, for keys that are not strings. */
int index_get(lua_State *L);
int index_set(lua_State *L);

/* True if this light userdata is lt.newaxis or lt.ellipsis. */
bool is_index_mark(const void *p);

/* Pushes a new contiguous copy of x in dtype d. The copy may be deferred (lua/deferred.h). */
tensor *push_copy_later(lua_State *L, const char *fn, const tensor *x, enum dtype d);

/* Returns x itself if it is contiguous and of dtype d, else a contiguous copy of dtype d. The copy may be deferred. */
const tensor *to_plain_later(lua_State *L, const char *fn, const tensor *x, enum dtype d);

/* Returns an index tensor, which has any integer dtype, as a contiguous tensor of int64. The conversion may be deferred.
** what: the argument's name in errors, such as "index". */
const tensor *to_indices(lua_State *L, const char *fn, const char *what, const tensor *x);

/* Pushes the 1-based positions of the true elements of a bool mask: [ndim, count], int64. Row d has the positions in
** dim d. */
const tensor *push_nonzero(lua_State *L, const char *fn, const tensor *mask);

/* Returns the value at stack index i (number, boolean, tensor, nested table) as a tensor of target's dtype that
** shares no memory with target. The conversion may be deferred. Raises an error if the value's device, or the
** kind of the value's dtype, does not fit target. */
const tensor *to_value_later(lua_State *L, const char *fn, int i, const tensor *target);

/* Runs the job, which may be deferred, and raises its errors. dims[k] is the 0-based dim to which index tensor k applies,
** for the error messages. */
void run_index_later(lua_State *L, const char *fn, index_job *j, tensor *values, const int *dims);

#endif
