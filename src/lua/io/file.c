/* Functions that open, write and read files of tensors, and the functions for NumPy's .npy files. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"
#include "io/npy.h"
#include "lua/io/file.h"
#include "lua/register.h"
#include "op/host.h"

/* ---- open files ----
** Lua owns an open file. After any error the file is closed, and removed if it is unfinished. */

static const char file_class = 0;

void close_file(file *f) {
  if (f->f) fclose(f->f);
  if (f->unfinished) unlink(f->unfinished);
  free(f->unfinished);
  free(f->target);
  *f = (file){0};
}

static int file_gc(lua_State *L) {
  close_file(lua_touserdata(L, 1));
  return 0;
}

file *push_file(lua_State *L) {
  return push_object(L, &file_class, sizeof(file), 0);
}

file *push_local_file(lua_State *L) {
  file *f = push_file(L);
  lua_toclose(L, -1);
  return f;
}

file *test_file(lua_State *L, int i) { return test_class(L, i, &file_class, sizeof(file)); }

static bool fail(int why) {
  errno = why;
  return false;
}

/* Opens an existing file. O_CREAT is not used, because Linux may refuse this flag in a folder with the sticky bit. */
static bool open_in_place(file *f, const char *target) {
  int to = open(target, O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (to >= 0) f->f = fdopen(to, "wb");
  if (to >= 0 && !f->f) close(to);
  return f->f != NULL;
}

bool open_output(file *f, const char *path) {
  char target[SYSTEM_PATH], name[SYSTEM_PATH];
  bool in_place;
  if (!system_output(path, target, &in_place)) return false;
  if (in_place) return open_in_place(f, target);
  int to = system_make_beside(target, true, name);
  if (to < 0) return errno == EPERM && open_in_place(f, target);
  f->target = strdup(target);
  f->unfinished = strdup(name);
  if (f->target && f->unfinished && (f->f = fdopen(to, "wb"))) return true;
  close(to);
  unlink(name);
  return fail(ENOMEM);
}

/* Finishes an output file. The descriptor, which holds the lock of the unfinished file, is closed after the file was
** renamed. */
bool finish_output(file *f) {
  FILE *stream = f->f;
  if (f->unfinished) {
    if (fflush(stream) != 0 || fsync(fileno(stream)) != 0 || rename(f->unfinished, f->target) != 0) return false;
    free(f->unfinished);
    f->unfinished = NULL;
  }
  f->f = NULL;
  return fclose(stream) == 0;
}

FILE *open_input(lua_State *L, const char *fn, const char *path) {
  FILE *f = system_open(path);
  if (!f && errno == 0) raise_bad(L, fn, path, "not a plain file");
  if (!f) raise_errno(L, fn, path);
  return f;
}

const char *check_path(lua_State *L, int i, const char *fn) {
  size_t n;
  if (lua_type(L, i) != LUA_TSTRING) luaL_error(L, "%s: path expected, got %s", fn, type_name(L, i));
  const char *path = lua_tolstring(L, i, &n);
  if (strlen(path) != n) luaL_error(L, "%s: a path with a zero byte", fn);
  return path;
}

int raise_errno(lua_State *L, const char *fn, const char *path) {
  return luaL_error(L, "%s: %s: %s", fn, path, strerror(errno));
}

int raise_bad(lua_State *L, const char *fn, const char *path, const char *wrong) {
  return luaL_error(L, "%s: %s: %s", fn, path, wrong);
}

tensor tensor_slice(const tensor *t, int64_t first, int64_t n) {
  tensor part = *t;
  part.shape = (shape){.ndim = 1, .dim = {n}};
  part.stride[0] = 1;
  part.count = n;
  part.offset += first;
  return part;
}

char *push_chunk(lua_State *L, int64_t n, int size) {
  return lua_newuserdatauv(L, n < FILE_CHUNK / size ? (size_t)(n * size + 1) : FILE_CHUNK, 0);
}

void swap_numbers(char *p, int64_t n, enum dtype d) {
  int halves = dtype_kind(d) == KIND_COMPLEX ? 2 : 1, size = dtype_size(d) / halves;
  for (n *= halves; n > 0; n--, p += size)
    for (int i = 0; i < size / 2; i++) {
      char c = p[i];
      p[i] = p[size - 1 - i];
      p[size - 1 - i] = c;
    }
}

/* ---- save ---- */

const tensor *push_packed(lua_State *L, const tensor *t) {
  if (tensor_is_contiguous(t)) return t;
  int st;
  tensor *packed = push_tensor(L, "save", t->dtype, &t->shape, t->store->place);
  TRY(L, t->store->place, st, host_pack(packed, t));
  if (st != OK) raise(L, "save", st, &t, 1);
  return packed;
}

bool write_bytes(FILE *f, const void *from, size_t n) {
  off_t at = ftello(f);                                     /* -1: the file is a pipe */
  return (at < 0 || system_may_have(fileno(f), (uint64_t)at + n)) && fwrite(from, 1, n, f) == n;
}

static bool write_stream(void *of, const void *from, size_t n) { return write_bytes(of, from, n); }

static bool read_stream(void *of, void *to, size_t n, const char **wrong) {
  *wrong = "cannot be read to its end";
  return fread(to, 1, n, of) == n;
}

stream file_stream(FILE *f) { return (stream){f, read_stream, write_stream}; }

bool write_elements(lua_State *L, stream to, const tensor *t, bool swapped, char *chunk, int *status) {
  int size = dtype_size(t->dtype);
  int64_t most = FILE_CHUNK / size;
  for (int64_t i = 0; i < t->count; i += most) {
    int64_t n = t->count - i < most ? t->count - i : most;
    tensor part = tensor_slice(t, i, n);
    TRY(L, t->store->place, *status, host_read(&part, t->dtype, chunk));
    if (swapped && *status == OK) swap_numbers(chunk, n, t->dtype);
    if (*status != OK || !to.write(to.of, chunk, (size_t)(n * size))) return false;
  }
  return true;
}

void check_npy_dtype(lua_State *L, const tensor *t) {
  char header[NPY_WRITTEN];
  if (npy_write(header, t->dtype, &t->shape)) return;
  luaL_error(L, "save: NumPy has no %s; use x:to(\"float32\")", dtypes[t->dtype].name);
}

bool write_npy(lua_State *L, stream to, const tensor *t, int *status) {
  char header[NPY_WRITTEN];
  size_t length = npy_write(header, t->dtype, &t->shape);
  char *chunk = push_chunk(L, t->count, dtype_size(t->dtype));
  bool done = to.write(to.of, header, length) && write_elements(L, to, t, false, chunk, status);
  lua_pop(L, 1);
  return done;
}

/* save_npy(path, x): writes the tensor x as a .npy file. */
static int l_save_npy(lua_State *L) {
  const char *path = check_path(L, 1, "save");
  const tensor *t = check_tensor(L, 2, "save");
  int status = OK;
  check_npy_dtype(L, t);
  t = push_packed(L, t);
  file *f = push_local_file(L);
  if (open_output(f, path) && write_npy(L, file_stream(f->f), t, &status) && finish_output(f)) return 0;
  int why = errno;
  close_file(f);
  errno = why;
  return status != OK ? raise(L, "save", status, &t, 1) : raise_errno(L, "save", path);
}

/* ---- load ---- */

static void read_bytes(lua_State *L, stream from, const char *path, void *to, size_t n) {
  const char *wrong;
  if (!from.read(from.of, to, n, &wrong)) raise_bad(L, "load", path, wrong);
}

/* Reads and checks the header of a file of `size` bytes. Returns the number of data bytes in the file. */
static int64_t read_header(lua_State *L, stream from, const char *path, int64_t size, npy_header *h) {
  unsigned char preamble[NPY_PREAMBLE];
  size_t start, length, n = size < NPY_FIRST ? (size_t)size : NPY_FIRST;
  read_bytes(L, from, path, preamble, n);
  if (n == NPY_FIRST && preamble[6] > 1 && size >= NPY_PREAMBLE) {
    read_bytes(L, from, path, preamble + n, NPY_PREAMBLE - n);
    n = NPY_PREAMBLE;
  }
  const char *wrong = npy_preamble(preamble, n, &start, &length);
  if (wrong) raise_bad(L, "load", path, wrong);
  if ((int64_t)(start + length) > size) raise_bad(L, "load", path, "truncated in the header");
  char *text = lua_newuserdatauv(L, length + 1, 0);
  read_bytes(L, from, path, text, length);
  wrong = npy_parse(text, length, h);
  if (wrong) luaL_error(L, "load: %s: %s%s%s", path, wrong, h->descr[0] ? ": " : "", h->descr);
  lua_pop(L, 1);
  return size - (int64_t)(start + length);
}

/* Checks that the file has as many bytes of data as the header says. Called before memory is allocated. */
static void check_length(lua_State *L, const char *path, const npy_header *h, int64_t left) {
  int64_t count;
  if (shape_count(&h->shape, dtype_size(h->dtype), &count) != OK) raise_bad(L, "load", path, "a shape whose size does not fit");
  int64_t bytes = count * dtype_size(h->dtype);
  if (bytes == left) return;
  luaL_error(L, "load: %s: %s: shape %s of %s takes %I bytes, the file has %I", path,
             left < bytes ? "truncated" : "too long", push_shape(L, &h->shape), dtypes[h->dtype].name,
             (LUAI_UACINT)bytes, (LUAI_UACINT)left);
}

void read_elements(lua_State *L, stream from, const char *path, tensor *t, bool swapped, char *chunk) {
  int size = dtype_size(t->dtype);
  int64_t most = FILE_CHUNK / size;
  for (int64_t i = 0; i < t->count; i += most) {
    int64_t n = t->count - i < most ? t->count - i : most;
    tensor part = tensor_slice(t, i, n);
    read_bytes(L, from, path, chunk, (size_t)(n * size));
    if (swapped) swap_numbers(chunk, n, t->dtype);
    int st;
    TRY(L, t->store->place, st, host_write(&part, t->dtype == DT_bool ? DT_uint8 : t->dtype, chunk));
    if (st != OK) raise(L, "load", st, (const tensor *const *)&t, 1);
  }
}

static shape reversed(const shape *s) {
  shape r = {.ndim = s->ndim};
  for (int d = 0; d < s->ndim; d++) r.dim[d] = s->dim[s->ndim - 1 - d];
  return r;
}

/* Pushes a contiguous copy of t with its dims in reverse order. */
static void push_reversed(lua_State *L, const tensor *t) {
  tensor view = *t;
  view.shape = reversed(&t->shape);
  for (int d = 0; d < t->shape.ndim; d++) view.stride[d] = t->stride[t->shape.ndim - 1 - d];
  tensor *out = push_tensor(L, "load", t->dtype, &view.shape, t->store->place);
  int st;
  TRY(L, t->store->place, st, host_pack(out, &view));
  if (st != OK) raise(L, "load", st, (const tensor *const *)&out, 1);
}

void push_npy(lua_State *L, stream from, const char *path, int64_t size, place where) {
  npy_header h;
  int64_t left = read_header(L, from, path, size, &h);
  check_length(L, path, &h, left);
  shape stored = h.fortran ? reversed(&h.shape) : h.shape;
  int top = lua_gettop(L);
  char *chunk = push_chunk(L, left, 1);
  tensor *t = push_tensor(L, "load", h.dtype, &stored, where);
  read_elements(L, from, path, t, h.swapped, chunk);
  if (h.fortran && t->shape.ndim > 1) push_reversed(L, t);
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
}

/* load_npy(path, device): returns the tensor in a .npy file. */
static int l_load_npy(lua_State *L) {
  struct stat s;
  const char *path = check_path(L, 1, "load");
  place where = arg_place(L, 2, "load");
  file *f = push_local_file(L);
  f->f = open_input(L, "load", path);
  if (fstat(fileno(f->f), &s) != 0) raise_errno(L, "load", path);
  push_npy(L, file_stream(f->f), path, (int64_t)s.st_size, where);
  close_file(f);
  return finish_op(L, false);
}

/* ---- text ---- */

static int push_failure(lua_State *L) {
  int why = errno;
  lua_pushnil(L);
  lua_pushstring(L, why ? strerror(why) : "not a plain file");
  lua_pushinteger(L, why);
  return 3;
}

/* write_file(path, text): returns true, or nil and the reason. The old file remains until the new one is complete. */
static int l_write_file(lua_State *L) {
  size_t n;
  const char *path = check_path(L, 1, "save"), *text = luaL_checklstring(L, 2, &n);
  file *f = push_local_file(L);
  if (open_output(f, path) && write_bytes(f->f, text, n) && finish_output(f)) {
    lua_pushboolean(L, true);
    return 1;
  }
  int why = errno;
  close_file(f);
  errno = why;
  return push_failure(L);
}

/* read_file(path, factor): returns the bytes, or nil, the reason and perhaps errno. factor: bytes of memory that each byte of the file
** will take. Before reading, the function checks that memory for the whole file is available, unless the file takes at
** most 16 MiB of memory. */
static int l_read_file(lua_State *L) {
  struct stat s;
  luaL_Buffer b;
  file *f = push_local_file(L);
  f->f = system_open(check_path(L, 1, "load"));
  if (!f->f || fstat(fileno(f->f), &s) != 0) return push_failure(L);
  const char *no_room = push_no_room(L, (double)s.st_size * luaL_checknumber(L, 2));
  if (no_room) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  size_t n = (size_t)s.st_size;
  char *to = luaL_buffinitsize(L, &b, n);
  luaL_pushresultsize(&b, fread(to, 1, n, f->f));
  close_file(f);
  return 1;
}

/* no_room(bytes): returns the reason why `bytes` bytes of memory are not available, or nil if they are available. */
static int l_no_room(lua_State *L) { return push_no_room(L, luaL_checknumber(L, 1)) ? 1 : 0; }

static const function_row functions[] = {
  {"save_npy", l_save_npy, OUTSIDE}, {"load_npy", l_load_npy, OUTSIDE}, {"write_file", l_write_file, OUTSIDE},
  {"read_file", l_read_file, OUTSIDE}, {"no_room", l_no_room, INTERNAL}, {NULL, NULL, 0}
};

/* A file is closed when it is collected, or when its variable or stack slot is closed. */
static const luaL_Reg file_meta[] = {{"__gc", file_gc}, {"__close", file_gc}, {NULL, NULL}};

void open_file(lua_State *L) {
  add_class(L, &file_class, NULL, file_meta, NULL);
  add_functions(L, functions);
}
