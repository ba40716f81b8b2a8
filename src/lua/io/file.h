#ifndef LT_LUA_IO_FILE_H
#define LT_LUA_IO_FILE_H

/* Helpers of functions that read and write files. */

#include <stdio.h>

#include "lua/args.h"

/* Argument i, a path. */
const char *check_path(lua_State *L, int i, const char *fn);

/* Raises "load: x.npy: truncated", and the same with errno's words. */
int raise_bad(lua_State *L, const char *fn, const char *path, const char *wrong);
int raise_errno(lua_State *L, const char *fn, const char *path);

/* A metatable in the registry, of userdata that own something: `end` frees it in a collection and where a variable or a C
** function's slot is closed. */
void add_owner_class(lua_State *L, const void *key, lua_CFunction end);

/* A file that Lua owns: whatever raises, it is closed, and removed if it was not finished. */
typedef struct file {
  FILE *f;
  char *unfinished, *target;   /* where it is written, and where it will be; NULL: written in place */
} file;

file *push_file(lua_State *L);
file *push_local_file(lua_State *L);           /* closed when the function that pushed it ends or raises */
file *test_file(lua_State *L, int i);          /* NULL: another value */
void  close_file(file *f);

/* A new file that takes the place of the one at `path`, or of what links there lead to, when finish_output gives it its
** name. False: errno says why, and what was there is there still. It is on the disk before it has the name, so that no
** crash leaves a name with nothing behind it. A file whose place no other can take (a device, a pipe, a file of another
** user, one in a folder that takes no new files) is written in place. */
bool open_output(file *f, const char *path);
bool finish_output(file *f);

/* A plain file to be read, or an error. */
FILE *open_input(lua_State *L, const char *fn, const char *path);

enum { FILE_CHUNK = 1 << 18 };     /* bytes converted at a time: they stay in L2 */

/* Room for one chunk of n elements, or for all of them. */
char *push_chunk(lua_State *L, int64_t n, int size);

/* Elements first … first + n - 1 of a packed tensor, as one of its own. */
tensor tensor_slice(const tensor *t, int64_t first, int64_t n);

/* Turns the bytes of n numbers around; those of complex ones a half at a time. */
void swap_numbers(char *p, int64_t n, enum dtype d);

/* t, or a packed copy of it on the stack. */
const tensor *push_packed(lua_State *L, const tensor *t);

/* False: errno says why. */
bool write_bytes(FILE *f, const void *from, size_t n);

/* All elements of a packed tensor. False: *status says why, or errno where that is OK. */
bool write_elements(lua_State *L, FILE *f, const tensor *t, bool swapped, char *chunk, int *status);

/* Fills t, packed, from the file. Bytes of a bool other than 0 and 1 are true. A status; -1: the file ended. */
int read_elements(lua_State *L, FILE *f, tensor *t, bool swapped, char *chunk);

#endif
