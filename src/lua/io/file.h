#ifndef LT_LUA_IO_FILE_H
#define LT_LUA_IO_FILE_H

/* Helpers of functions that read and write files. */

#include <stdio.h>

#include "lua/args.h"

/* Checks argument i, a path. */
const char *check_path(lua_State *L, int i, const char *fn);

/* Raises "load: x.npy: truncated", or the same with the text of errno. */
int raise_bad(lua_State *L, const char *fn, const char *path, const char *wrong);
int raise_errno(lua_State *L, const char *fn, const char *path);

/* A file that Lua owns: after any error it is closed, and removed if it is unfinished. */
typedef struct file {
  FILE *f;
  char *unfinished, *target;   /* the temporary path and the final one; NULL: written in place */
} file;

file *push_file(lua_State *L);
file *push_local_file(lua_State *L);           /* closed when the function that pushed it ends or raises */
file *test_file(lua_State *L, int i);          /* NULL: another value */
void  close_file(file *f);

/* Makes a new file that replaces the one at `path`, or the file to which links there lead, when finish_output renames
** it. On failure returns false with errno, and the old file remains. The new file is on the disk before it gets the
** name, so that no crash leaves an incomplete file under the name. A file that cannot be replaced (a device, a pipe, a
** file of another user, a file in a folder that takes no new files) is written in place. */
bool open_output(file *f, const char *path);
bool finish_output(file *f);

/* Opens a regular file for reading, or raises an error. */
FILE *open_input(lua_State *L, const char *fn, const char *path);

enum { FILE_CHUNK = 1 << 18 };     /* bytes converted at a time, which stay in L2 */

/* Memory for a chunk of n elements, or for as many as a chunk holds. */
char *push_chunk(lua_State *L, int64_t n, int size);

/* Elements first … first + n - 1 of a packed tensor, as a tensor. */
tensor tensor_slice(const tensor *t, int64_t first, int64_t n);

/* Reverses the bytes of n numbers; for complex numbers those of each half. */
void swap_numbers(char *p, int64_t n, enum dtype d);

/* Returns t, or a packed copy of it, which is pushed. */
const tensor *push_packed(lua_State *L, const tensor *t);

/* False on failure, with errno. */
bool write_bytes(FILE *f, const void *from, size_t n);

/* Writes all elements of a packed tensor. On failure returns false; *status has the error, or OK if errno has it. */
bool write_elements(lua_State *L, FILE *f, const tensor *t, bool swapped, char *chunk, int *status);

/* Fills a packed t from the file. Bytes of a bool other than 0 and 1 become true. Returns a status; -1: the file
** ended. */
int read_elements(lua_State *L, FILE *f, tensor *t, bool swapped, char *chunk);

#endif
