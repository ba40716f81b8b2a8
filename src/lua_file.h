#ifndef LT_LUA_FILE_H
#define LT_LUA_FILE_H

/* What functions that read and write files share. */

#include "lua_args.h"

/* Argument i, a path. */
const char *check_path(lua_State *L, int i, const char *fn);

/* Raises "load: x.npy: truncated", and the same with errno's words. */
int raise_bad(lua_State *L, const char *fn, const char *path, const char *wrong);
int raise_errno(lua_State *L, const char *fn, const char *path);

enum { FILE_CHUNK = 1 << 18 };     /* bytes converted at a time: they stay in L2 */

/* Room for one chunk of n elements, or for all of them. */
char *push_chunk(lua_State *L, int64_t n, int size);

/* Elements first … first + n - 1 of a packed tensor, as one of its own. */
tensor tensor_slice(const tensor *t, int64_t first, int64_t n);

/* Turns the bytes of n numbers around; those of complex ones a half at a time. */
void swap_numbers(char *p, int64_t n, enum dtype d);

#endif
