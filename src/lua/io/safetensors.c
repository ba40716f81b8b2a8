/* Reads and writes the bytes of .safetensors files. lua/luatensor/io/safetensors.lua interprets the headers. */

#include <errno.h>
#include <sys/stat.h>

#include "lua/io/file.h"
#include "lua/register.h"
#include "op/host.h"

/* True if this machine is big-endian. The format is little-endian. */
static bool big_endian(void) {
  const uint16_t one = 1;
  return *(const unsigned char *)&one == 0;
}

/* ---- writing ---- */

/* Writes the tensors of the list at stack index `list` one after the other, in chunks. On failure returns false, sets
** *at to the tensor that failed, and sets *status to the error, or to OK if errno has the reason. */
static bool write_list(lua_State *L, FILE *f, int list, int *status, const tensor **at) {
  int top = lua_gettop(L);
  for (lua_Integer i = 1; lua_rawgeti(L, list, i) != LUA_TNIL; i++) {
    *at = push_packed(L, check_tensor(L, -1, "save"));
    char *chunk = push_chunk(L, (*at)->count, dtype_size((*at)->dtype));
    if (!write_elements(L, file_stream(f), *at, big_endian(), chunk, status)) return false;
    lua_settop(L, top);
  }
  return true;
}

/* write_tensors(path, text, list): writes a file that begins with the text and continues with the elements of the
** tensors. */
static int l_write_tensors(lua_State *L) {
  size_t length;
  int status = OK;
  const tensor *at = NULL;
  const char *path = check_path(L, 1, "save"), *text = luaL_checklstring(L, 2, &length);
  lua_settop(L, 3);
  file *f = push_local_file(L);
  if (open_output(f, path) && write_bytes(f->f, text, length) && write_list(L, f->f, 3, &status, &at) && finish_output(f)) {
    close_file(f);
    return 0;
  }
  int why = errno;
  close_file(f);
  errno = why;
  return status != OK ? raise(L, "save", status, &at, 1) : raise_errno(L, "save", path);
}

/* ---- reading ---- */

/* open_tensors(path): returns an open file and its size in bytes. A <close> variable of the caller closes the
** file. */
static int l_open_tensors(lua_State *L) {
  struct stat s;
  const char *path = check_path(L, 1, "load");
  file *f = push_file(L);
  f->f = open_input(L, "load", path);
  if (fstat(fileno(f->f), &s) != 0) return raise_errno(L, "load", path);
  lua_pushinteger(L, (lua_Integer)s.st_size);
  return 2;
}

static FILE *check_open(lua_State *L, const char *path, lua_Integer offset) {
  file *f = test_file(L, 1);
  luaL_argcheck(L, f && f->f, 1, "open file expected");
  if (fseeko(f->f, (off_t)offset, SEEK_SET) != 0) raise_errno(L, "load", path);
  return f->f;
}

/* read_text(file, path, offset, n, [factor]): returns the bytes. factor: bytes of memory that each byte will take. */
static int l_read_text(lua_State *L) {
  const char *path = check_path(L, 2, "load"), *no_room;
  size_t n = (size_t)luaL_checkinteger(L, 4);
  if ((no_room = push_no_room(L, (double)n * luaL_optnumber(L, 5, 1)))) return raise_bad(L, "load", path, no_room);
  FILE *f = check_open(L, path, luaL_checkinteger(L, 3));
  luaL_Buffer b;
  if (fread(luaL_buffinitsize(L, &b, n), 1, n, f) != n) return raise_bad(L, "load", path, "cannot be read to its end");
  luaL_pushresultsize(&b, n);
  return 1;
}

/* read_tensor(file, path, offset, shape, dtype, device): returns the tensor whose bytes begin at `offset`. */
static int l_read_tensor(lua_State *L) {
  shape s;
  const char *path = check_path(L, 2, "load");
  FILE *f = check_open(L, path, luaL_checkinteger(L, 3));
  check_shape(L, 4, 4, "load", &s);
  enum dtype d = check_dtype(L, 5, "load");
  tensor *t = push_tensor(L, "load", d, &s, arg_place(L, 6, "load"));
  char *chunk = push_chunk(L, t->count, dtype_size(d));
  read_elements(L, file_stream(f), path, t, big_endian(), chunk);
  lua_pop(L, 1);
  return finish_op(L, false);
}

static const function_row functions[] = {
  {"write_tensors", l_write_tensors, OUTSIDE}, {"open_tensors", l_open_tensors, OUTSIDE}, {"read_text", l_read_text, INTERNAL},
  {"read_tensor", l_read_tensor, INTERNAL}, {NULL, NULL, 0}
};

void open_safetensors(lua_State *L) { add_functions(L, functions); }
