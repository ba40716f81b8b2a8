/* The reader of IDX files (MNIST's format), also compressed by gzip. lua/luatensor/data/idx.lua calls it. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/unpack.h"
#include "lua/io/file.h"
#include "lua/register.h"
#include "op/host.h"

/* ---- MNIST's format (IDX) ----
** A file consists of two zero bytes, the type and the number of dims in a byte each, the lengths in 32 bits each, and
** the elements. All numbers are big-endian. */

typedef struct unpack_box {
  unpack *u;
} unpack_box;
static const char unpack_class = 0;

static int unpack_gc(lua_State *L) {
  unpack_box *box = lua_touserdata(L, 1);
  unpack_close(box->u);
  box->u = NULL;
  return 0;
}

/* Opens a file, which gzip may have compressed, and pushes its userdata. The file is closed as soon as the calling C
** function returns or raises an error, not only when the userdata is collected. */
static unpack *push_unpack(lua_State *L, const char *fn, const char *path) {
  char wrong[UNPACK_WORDS];
  unpack_box *box = push_object(L, &unpack_class, sizeof *box, 0);
  lua_toclose(L, -1);
  box->u = unpack_open(path, wrong);
  if (!box->u) raise_wrong(L, fn, path, wrong);
  return box->u;
}

/* Reads the next n bytes. If the file has fewer bytes, raises an error with the text `otherwise`. */
static void read_exactly(lua_State *L, const char *path, unpack *u, void *to, size_t n, const char *otherwise) {
  char wrong[UNPACK_WORDS];
  size_t got;
  if (!unpack_read(u, to, n, &got, wrong)) raise_wrong(L, "read_idx", path, wrong);
  if (got < n) raise_bad(L, "read_idx", path, otherwise);
}

static bool idx_dtype(int type, enum dtype *d) {
  static const struct { int type; enum dtype dtype; } types[] = {
    {0x08, DT_uint8}, {0x09, DT_int8}, {0x0b, DT_int16}, {0x0c, DT_int32}, {0x0d, DT_float32}, {0x0e, DT_float64}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].type == type) {
      *d = types[i].dtype;
      return true;
    }
  return false;
}

/* Reads the header. Returns the number of bytes that the elements take. */
static int64_t read_idx_header(lua_State *L, const char *path, unpack *u, enum dtype *d, shape *s) {
  unsigned char head[4], dim[4];
  int64_t count;
  read_exactly(L, path, u, head, 4, "not an IDX file");
  if (head[0] != 0 || head[1] != 0) raise_bad(L, "read_idx", path, "not an IDX file");
  if (!idx_dtype(head[2], d)) luaL_error(L, "read_idx: %s: no type of an IDX file: %d", path, head[2]);
  if (head[3] > MAX_DIMS) luaL_error(L, "read_idx: %s: more than %d dims: %d", path, MAX_DIMS, head[3]);
  s->ndim = head[3];
  for (int k = 0; k < s->ndim; k++) {
    read_exactly(L, path, u, dim, 4, "truncated in the header");
    s->dim[k] = (int64_t)dim[0] << 24 | dim[1] << 16 | dim[2] << 8 | dim[3];
  }
  if (shape_count(s, dtype_size(*d), &count) != OK) raise_bad(L, "read_idx", path, "a shape whose size does not fit");
  return count * dtype_size(*d);
}

/* Checks that the file can contain `bytes` bytes of elements. Called before memory is allocated. */
static void check_bytes(lua_State *L, const char *path, const unpack *u, enum dtype d, const shape *s, int64_t bytes) {
  int64_t most = unpack_most(u) - 4 - 4 * s->ndim;
  if (unpack_is_packed(u) ? bytes <= most : bytes == most) return;
  luaL_error(L, "read_idx: %s: %s: shape %s of %s takes %I bytes, the file has %s%I", path,
             bytes > most ? "truncated" : "too long", push_shape(L, s), dtypes[d].name, (LUAI_UACINT)bytes,
             unpack_is_packed(u) ? "at most " : "", (LUAI_UACINT)most);
}

/* True if bytes must be swapped on this machine, because IDX is big-endian. */
static bool needs_swap(void) {
  const uint16_t one = 1;
  return *(const unsigned char *)&one == 1;
}

static void read_idx_elements(lua_State *L, const char *path, unpack *u, tensor *t) {
  int size = dtype_size(t->dtype), st;
  int64_t most = FILE_CHUNK / size;
  char *chunk = push_chunk(L, t->count, size);
  for (int64_t i = 0; i < t->count; i += most) {
    int64_t n = t->count - i < most ? t->count - i : most;
    tensor part = tensor_slice(t, i, n);
    read_exactly(L, path, u, chunk, (size_t)(n * size), "truncated");
    if (needs_swap()) swap_numbers(chunk, n, t->dtype);
    TRY(L, t->store->place, st, host_write(&part, t->dtype, chunk));
    if (st != OK) raise(L, "read_idx", st, (const tensor *const *)&t, 1);
  }
  size_t got;
  char wrong[UNPACK_WORDS];
  /* at the end of a compressed file, reading verifies the checksum */
  if (!unpack_read(u, chunk, 1, &got, wrong)) raise_wrong(L, "read_idx", path, wrong);
  if (got != 0) raise_bad(L, "read_idx", path, "too long: elements follow that its shape does not name");
  lua_pop(L, 1);
}

/* read_idx(path, device): returns the tensor in an IDX file. */
static int l_read_idx(lua_State *L) {
  const char *path = check_path(L, 1, "read_idx");
  place where = arg_place(L, 2, "read_idx");
  unpack *u = push_unpack(L, "read_idx", path);
  enum dtype d = DT_uint8;
  shape s;
  int64_t bytes = read_idx_header(L, path, u, &d, &s);
  check_bytes(L, path, u, d, &s, bytes);
  tensor *t = push_tensor(L, "read_idx", d, &s, where);
  read_idx_elements(L, path, u, t);
  return finish_op(L, false);
}

static const function_row functions[] = {{"read_idx", l_read_idx, OUTSIDE}, {NULL, NULL, 0}};

static const luaL_Reg unpack_meta[] = {{"__gc", unpack_gc}, {"__close", unpack_gc}, {NULL, NULL}};

void open_read(lua_State *L) {
  add_class(L, &unpack_class, NULL, unpack_meta, NULL);
  add_functions(L, functions);
}
