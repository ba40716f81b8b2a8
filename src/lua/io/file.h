#ifndef LT_LUA_IO_FILE_H
#define LT_LUA_IO_FILE_H

/* Functions for reading and writing files of tensors. */

#include <stdio.h>

#include "lua/args.h"

/* Returns argument i as a path. Raises an error if the argument is no string or contains a zero byte. */
const char *check_path(lua_State *L, int i, const char *fn);

/* Raises an error such as "load: x.npy: truncated". raise_errno takes the last part of the message from errno,
** and so does raise_wrong if `wrong` is empty. */
int raise_bad(lua_State *L, const char *fn, const char *path, const char *wrong);
int raise_errno(lua_State *L, const char *fn, const char *path);
static inline int raise_wrong(lua_State *L, const char *fn, const char *path, const char *wrong) {
  return wrong[0] ? raise_bad(L, fn, path, wrong) : raise_errno(L, fn, path);
}

/* A file that Lua owns: after any error it is closed, and removed if it is unfinished. */
typedef struct file {
  FILE *f;
  char *unfinished, *target;   /* the temporary path and the final path; NULL: the file is written in place */
} file;

file *push_file(lua_State *L);
file *push_local_file(lua_State *L);           /* is closed when the function that pushed it ends or raises */
file *test_file(lua_State *L, int i);          /* returns NULL if the value is not a file */
void  close_file(file *f);

/* open_output makes a new file. finish_output renames the new file, so that it replaces the file at `path`, or the
** file to which symbolic links at `path` lead. On failure both functions return false and set errno, and the old file
** remains. The new file is on the disk before it gets the name, so that no crash leaves an incomplete file under the
** name.
**
** A file that cannot be replaced is written in place. This applies to a device, a pipe, a file of another user, and a
** file in a folder that accepts no new files. */
bool open_output(file *f, const char *path);
bool finish_output(file *f);

/* Opens a regular file for reading, or raises an error. */
FILE *open_input(lua_State *L, const char *fn, const char *path);

enum { FILE_CHUNK = 1 << 18 };     /* bytes converted at a time, which stay in L2 */

/* Pushes a userdata that is large enough for n elements of `size` bytes, but has at most FILE_CHUNK bytes. Returns
** the userdata's address. */
char *push_chunk(lua_State *L, int64_t n, int size);

/* Returns elements first … first + n - 1 of a contiguous tensor. The result shares the tensor's storage without a
** reference, so the tensor must outlive the result. */
tensor tensor_slice(const tensor *t, int64_t first, int64_t n);

/* Reverses the byte order of each of n numbers of dtype d. The real and the imaginary part of a complex number are
** reversed separately. */
void swap_numbers(char *p, int64_t n, enum dtype d);

/* Returns t if it is contiguous; otherwise pushes and returns a contiguous copy. */
const tensor *push_packed(lua_State *L, const tensor *t);

/* Writes n bytes. Returns false on failure; then errno has the reason. */
bool write_bytes(FILE *f, const void *from, size_t n);

/* The bytes of a file, or of an entry of an archive. `read` and `write` transfer exactly n bytes, or return false. Then
** `read` has set *wrong to the reason, and `write` has set errno. */
typedef struct stream {
  void *of;
  bool (*read)(void *of, void *to, size_t n, const char **wrong);
  bool (*write)(void *of, const void *from, size_t n);
} stream;

stream file_stream(FILE *f);

/* Writes all elements of a contiguous tensor, with reversed byte order if `swapped` is true. `chunk` is memory from
** push_chunk. On failure returns false; *status is the error, or OK if errno has the reason. */
bool write_elements(lua_State *L, stream to, const tensor *t, bool swapped, char *chunk, int *status);

/* Fills a contiguous t from the stream. `swapped` and `chunk` are as in write_elements. Bytes of a bool other than 0
** and 1 become true. Raises an error, with this path, if the stream is too short. */
void read_elements(lua_State *L, stream from, const char *path, tensor *t, bool swapped, char *chunk);

/* Writes a contiguous tensor in the .npy format, whose dtype NumPy has. Returns like write_elements. */
bool write_npy(lua_State *L, stream to, const tensor *t, int *status);

/* Reads a .npy file of `size` bytes, and pushes its tensor. `path` is the name in errors. */
void push_npy(lua_State *L, stream from, const char *path, int64_t size, place where);

/* Raises an error unless NumPy has the tensor's dtype. */
void check_npy_dtype(lua_State *L, const tensor *t);

#endif
