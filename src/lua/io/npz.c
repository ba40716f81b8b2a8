/* Reads and writes the entries of .npz archives. lua/luatensor/io/npz.lua interprets the headers of the archive. */

#include <errno.h>

#include "io/zip.h"
#include "lua/io/file.h"
#include "lua/register.h"

/* ---- writing ---- */

static const char writer_class = 0;

static int writer_gc(lua_State *L) {
  zip_stop(lua_touserdata(L, 1));
  return 0;
}

static bool write_entry(void *of, const void *from, size_t n) { return zip_write(of, from, n); }

static file *check_archive(lua_State *L) {
  file *f = test_file(L, 1);
  luaL_argcheck(L, f && f->f, 1, "open file expected");
  return f;
}

/* open_archive(path): returns a new file. A <close> variable of the caller removes the file unless it is finished. */
static int l_open_archive(lua_State *L) {
  const char *path = check_path(L, 1, "save");
  if (!open_output(push_file(L), path)) return raise_errno(L, "save", path);
  return 1;
}

/* write_text(file, path, text, [offset]): writes the text at the end of the file, or at the offset in bytes. */
static int l_write_text(lua_State *L) {
  size_t n;
  file *f = check_archive(L);
  const char *path = check_path(L, 2, "save"), *text = luaL_checklstring(L, 3, &n);
  bool inside = !lua_isnoneornil(L, 4);
  if (inside && fseeko(f->f, (off_t)luaL_checkinteger(L, 4), SEEK_SET) != 0) return raise_errno(L, "save", path);
  if (!write_bytes(f->f, text, n)) return raise_errno(L, "save", path);
  if (inside && fseeko(f->f, 0, SEEK_END) != 0) return raise_errno(L, "save", path);
  return 0;
}

/* write_npy_entry(file, path, x, deflated): writes the tensor as a .npy file at the end of the archive. Returns the
** CRC-32 of the .npy file, its size in the archive, and its size. */
static int l_write_npy_entry(lua_State *L) {
  file *f = check_archive(L);
  const char *path = check_path(L, 2, "save");
  const tensor *t = check_tensor(L, 3, "save");
  int status = OK;
  check_npy_dtype(L, t);
  t = push_packed(L, t);
  zip_writer *w = push_object(L, &writer_class, sizeof *w, 0);
  lua_toclose(L, -1);
  w->f = f->f;
  w->put = write_bytes;
  w->deflated = lua_toboolean(L, 4);
  if (!zip_start(w) || !write_npy(L, (stream){w, NULL, write_entry}, t, &status) || !zip_flush(w))
    return status != OK ? raise(L, "save", status, &t, 1) : raise_errno(L, "save", path);
  lua_pushinteger(L, w->crc);
  lua_pushinteger(L, w->packed);
  lua_pushinteger(L, w->size);
  return 3;
}

/* finish_archive(file, path): gives the file its name. */
static int l_finish_archive(lua_State *L) {
  file *f = check_archive(L);
  const char *path = check_path(L, 2, "save");
  return finish_output(f) ? 0 : raise_errno(L, "save", path);
}

/* ---- reading ---- */

static const char reader_class = 0;

static int reader_gc(lua_State *L) {
  zip_end(lua_touserdata(L, 1));
  return 0;
}

static bool read_entry(void *of, void *to, size_t n, const char **wrong) {
  zip_reader *r = of;
  *wrong = r->wrong;
  return zip_read(r, to, n);
}

/* read_npy_entry(file, name, offset, packed, size, crc, deflated, device): returns the tensor of the .npy file whose
** `packed` bytes in the archive begin at `offset`. `name` is the entry's name in errors. */
static int l_read_npy_entry(lua_State *L) {
  file *f = check_archive(L);
  const char *name = luaL_checkstring(L, 2);
  int64_t size = luaL_checkinteger(L, 5);
  place where = arg_place(L, 8, "load");
  if (fseeko(f->f, (off_t)luaL_checkinteger(L, 3), SEEK_SET) != 0) return raise_errno(L, "load", name);
  zip_reader *r = push_object(L, &reader_class, sizeof *r, 0);
  lua_toclose(L, -1);
  *r = (zip_reader){.f = f->f, .packed = luaL_checkinteger(L, 4), .size = size,
                    .expected = (uint32_t)luaL_checkinteger(L, 6), .deflated = lua_toboolean(L, 7)};
  if (!zip_begin(r)) return raise_bad(L, "load", name, r->wrong);
  push_npy(L, (stream){r, read_entry, NULL}, name, size, where);
  if (!zip_is_whole(r)) return raise_bad(L, "load", name, r->wrong);
  return finish_op(L, false);
}

static const function_row functions[] = {
  {"open_archive", l_open_archive, OUTSIDE}, {"write_text", l_write_text, INTERNAL},
  {"write_npy_entry", l_write_npy_entry, INTERNAL}, {"finish_archive", l_finish_archive, INTERNAL},
  {"read_npy_entry", l_read_npy_entry, INTERNAL}, {NULL, NULL, 0}
};

static const luaL_Reg writer_meta[] = {{"__gc", writer_gc}, {"__close", writer_gc}, {NULL, NULL}};
static const luaL_Reg reader_meta[] = {{"__gc", reader_gc}, {"__close", reader_gc}, {NULL, NULL}};

void open_npz(lua_State *L) {
  add_class(L, &writer_class, NULL, writer_meta, NULL);
  add_class(L, &reader_class, NULL, reader_meta, NULL);
  add_functions(L, functions);
}
