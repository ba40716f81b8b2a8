/* Readers of data sets: IDX files (MNIST's format) and text files of separated values (CSV), also compressed by gzip.
** lua/luatensor/data calls these functions. */

#include <stdlib.h>
#include <string.h>

#include "io/csv.h"
#include "lua/io/file.h"
#include "lua/register.h"
#include "op/host.h"

static int raise_wrong(lua_State *L, const char *fn, const char *path, const char *wrong) {
  return wrong[0] ? raise_bad(L, fn, path, wrong) : raise_errno(L, fn, path);
}

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

/* ---- separated values ---- */

/* A growing list of numbers with 8 bytes each: doubles, integers, or class numbers. */
typedef struct numbers {
  void   *data;
  int64_t count, capacity;
} numbers;

typedef struct reading {
  csv     from;
  numbers values, classes;
  int64_t class_bytes, class_room;         /* class_bytes: bytes of memory that classes take; class_room: value of
                                           ** class_bytes at which the available memory is checked next */
} reading;
static const char reading_class = 0;

static int reading_gc(lua_State *L) {
  reading *r = lua_touserdata(L, 1);
  csv_close(&r->from);
  free(r->values.data);
  free(r->classes.data);
  r->values = r->classes = (numbers){0};
  return 0;
}

/* Opens a file of separated values and pushes its userdata of type `reading`. The userdata's memory is freed as soon as
** the calling C function returns or raises an error. This is not left to the collector, which does not know how much
** memory a reading has. */
static reading *push_reading(lua_State *L, const char *path, char delimiter) {
  char wrong[UNPACK_WORDS];
  reading *r = push_object(L, &reading_class, sizeof *r, 0);
  lua_toclose(L, -1);
  if (!csv_open(&r->from, path, delimiter, wrong)) raise_wrong(L, "read_csv", path, wrong);
  return r;
}

/* Raises an error if `bytes` more bytes of memory are not available for a list, which already has n items. `what` is
** the noun for items in the message, such as "numbers". */
static void check_room(lua_State *L, const char *path, int64_t n, const char *what, int64_t bytes) {
  const char *no_room = push_no_room(L, (double)bytes);
  if (no_room) luaL_error(L, "read_csv: %s: more than %I %s: %s", path, (LUAI_UACINT)n, what, no_room);
}

/* Ensures capacity for n more numbers. A compressed file may expand a thousandfold, so the available memory is
** checked. */
static void make_room(lua_State *L, const char *path, numbers *v, int64_t n) {
  if (v->count + n <= v->capacity) return;
  int64_t capacity = v->capacity < 1024 ? 1024 : 2 * v->capacity;
  if (capacity < v->count + n) capacity = v->count + n;
  check_room(L, path, v->count, "numbers", 8 * (capacity - v->capacity));
  void *larger = realloc(v->data, (size_t)capacity * 8);
  if (!larger) raise_bad(L, "read_csv", path, "out of memory");
  v->data = larger;
  v->capacity = capacity;
}

static bool next_row(lua_State *L, const char *path, csv *c) {
  char wrong[UNPACK_WORDS];
  bool there;
  if (csv_row(c, &there, wrong)) return there;
  if (!wrong[0]) raise_errno(L, "read_csv", path);
  return luaL_error(L, "read_csv: %s: line %I: %s", path, (LUAI_UACINT)c->line, wrong);
}

static void skip_lines(lua_State *L, const char *path, csv *c, int64_t n) {
  char wrong[UNPACK_WORDS];
  bool there = true;
  while (n-- > 0 && there)
    if (!csv_skip(c, &there, wrong)) raise_wrong(L, "read_csv", path, wrong);
}

static reading *start_reading(lua_State *L, const char **path) {
  *path = check_path(L, 1, "read_csv");
  reading *r = push_reading(L, *path, *luaL_checkstring(L, 2));
  skip_lines(L, *path, &r->from, luaL_checkinteger(L, 3));
  return r;
}

/* csv_fields(path, delimiter, skip): skips the first `skip` lines, and returns the next row's fields, or nil if there
** is no row. */
static int l_csv_fields(lua_State *L) {
  enum { TAKES = 80 };             /* bytes of memory for a field, including the lists of columns that read_csv makes;
                                   ** 75 were measured */
  const char *path, *no_room;
  reading *r = start_reading(L, &path);
  if (!next_row(L, path, &r->from)) return 0;
  if ((no_room = push_no_room(L, (double)TAKES * r->from.nfield))) return raise_bad(L, "read_csv", path, no_room);
  lua_createtable(L, r->from.nfield, 0);
  for (int i = 0; i < r->from.nfield; i++) {
    lua_pushlstring(L, r->from.field[i].text, r->from.field[i].length);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* Raises an error about a field. The message contains the field's position and first bytes. */
static int raise_field(lua_State *L, const char *path, const csv *c, int i, const char *wrong, const char *cure) {
  const csv_field *f = &c->field[i];
  char text[48];
  size_t n = f->length < sizeof text - 4 ? f->length : sizeof text - 4;
  for (size_t k = 0; k < n; k++) text[k] = f->text[k] == 0 ? '?' : f->text[k];
  strcpy(text + n, f->length > n ? "..." : "");
  return luaL_error(L, "read_csv: %s: line %I, column %d: %s: \"%s\"%s", path, (LUAI_UACINT)c->line, i + 1, wrong, text,
                    cure);
}

/* The arguments of one call of csv_numbers. */
typedef struct wanted {
  const char *path;
  enum dtype  dtype;               /* the dtype of the returned numbers */
  bool        integers, fills;     /* integers: only integers are allowed; fills: an empty field becomes `missing` */
  double      missing;
  int         fields, ncolumn, labels;     /* fields: number of fields in each row; labels: the column of classes,
                                           ** 0-based; -1: there is none */
  const int  *column;              /* the columns of the numbers, 0-based */
  int         names;               /* stack index of the table of classes, which maps names to numbers and numbers to
                                   ** names */
} wanted;

/* True if the row is probably a header with names of columns: the first row of the file, in which each field is
** text. */
static bool is_header(const csv *c) {
  double x;
  for (int i = 0; i < c->nfield; i++)
    if (c->field[i].length == 0 || csv_double(&c->field[i], &x) || strchr("+-.0123456789", c->field[i].text[0])) return false;
  return c->line == 1;
}

/* Raises the error of a field that is not a number of the wanted kind. The message names a cure if there is one. */
static int raise_no_number(lua_State *L, const reading *r, const wanted *w, int i) {
  double x;
  const csv_field *f = &r->from.field[i];
  if (f->length == 0)
    return raise_field(L, w->path, &r->from, i, "an empty field", w->integers ? "" : "; missing = 0/0 takes it as NaN");
  const char *cure = csv_double(f, &x) ? ""
                   : is_header(&r->from) ? "; header = true if the first row names the columns"
                   : "; leave the column out with columns = {...}, or name it as labels";
  return raise_field(L, w->path, &r->from, i, w->integers ? "no integer" : "no number", cure);
}

static void add_number(lua_State *L, reading *r, const wanted *w, int i) {
  const csv_field *f = &r->from.field[i];
  numbers *v = &r->values;
  if (w->integers) {
    int64_t *to = (int64_t *)v->data + v->count++;
    if (!csv_integer(f, to)) raise_no_number(L, r, w, i);
    else if (!integer_fits(w->dtype, *to)) raise_field(L, w->path, &r->from, i, "too large for the dtype", "");
  } else {
    double *to = (double *)v->data + v->count++;
    if (f->length == 0 && w->fills) *to = w->missing;
    else if (!csv_double(f, to)) raise_no_number(L, r, w, i);
  }
}

/* Raises an error if there is no memory for a new class. A class takes the bytes of its name, and entries in the tables
** by name and by number, which took 210 to 320 bytes when measured. */
static void check_class(lua_State *L, reading *r, const wanted *w, size_t name) {
  enum { TAKES = 320 };
  r->class_bytes += TAKES + (int64_t)name;
  if (r->class_bytes < r->class_room) return;
  r->class_room = 2 * r->class_bytes;
  check_room(L, w->path, (int64_t)lua_rawlen(L, w->names), "classes", r->class_bytes);
}

/* Adds the class of a row. Classes are numbered in the order of their appearance. */
static void add_label(lua_State *L, reading *r, const wanted *w) {
  const csv_field *f = &r->from.field[w->labels];
  lua_pushlstring(L, f->text, f->length);
  lua_pushvalue(L, -1);
  int64_t number;
  if (lua_rawget(L, w->names) == LUA_TNIL) {
    number = (int64_t)lua_rawlen(L, w->names) + 1;
    check_class(L, r, w, f->length);
    lua_pushvalue(L, -2);
    lua_rawseti(L, w->names, number);
    lua_pop(L, 1);
    lua_pushinteger(L, number);
    lua_rawset(L, w->names);
  } else {
    number = lua_tointeger(L, -1);
    lua_pop(L, 2);
  }
  ((int64_t *)r->classes.data)[r->classes.count++] = number;
}

static void add_rows(lua_State *L, reading *r, const wanted *w) {
  while (next_row(L, w->path, &r->from)) {
    if (r->from.nfield != w->fields)
      luaL_error(L, "read_csv: %s: line %I: fields: %d, in the first row: %d", w->path, (LUAI_UACINT)r->from.line,
                 r->from.nfield, w->fields);
    make_room(L, w->path, &r->values, w->ncolumn);
    for (int k = 0; k < w->ncolumn; k++) add_number(L, r, w, w->column[k]);
    if (w->labels < 0) {
      r->classes.count++;
      continue;
    }
    make_room(L, w->path, &r->classes, 1);
    add_label(L, r, w);
  }
}

static void push_numbers(lua_State *L, const numbers *v, enum dtype as, enum dtype d, const shape *s, place where) {
  tensor *t = push_tensor(L, "read_csv", d, s, where);
  int st = OK;
  if (t->count > 0) TRY(L, where, st, host_write(t, as, v->data));
  if (st != OK) raise(L, "read_csv", st, (const tensor *const *)&t, 1);
}

/* csv_numbers(path, delimiter, skip, header, fields, columns, labels, dtype, device, missing): returns numbers and,
** if labels is not nil, the class of each row and the table of classes. The first `skip` lines are skipped, and then,
** if header is true, a row with names. Each row must have `fields` fields. columns is the list of the columns of
** numbers, from 1; labels is the column of the classes, from 1, or nil. missing is the number for empty fields, or
** nil. */
static int l_csv_numbers(lua_State *L) {
  enum { HEADER = 4, FIELDS, COLUMNS, LABELS, DTYPE, DEVICE, MISSING };
  wanted w = {.fields = (int)luaL_checkinteger(L, FIELDS), .ncolumn = (int)lua_rawlen(L, COLUMNS), .labels = (int)luaL_optinteger(L, LABELS, 0) - 1, .dtype = check_dtype(L, DTYPE, "read_csv"),
              .missing = luaL_optnumber(L, MISSING, 0)};
  place where = arg_place(L, DEVICE, "read_csv");
  w.integers = dtype_kind(w.dtype) != KIND_FLOAT;
  w.fills = !lua_isnoneornil(L, MISSING);
  lua_settop(L, MISSING);
  int *column = lua_newuserdatauv(L, sizeof *column * (size_t)(w.ncolumn + 1), 0);
  for (int k = 0; k < w.ncolumn; k++) {
    lua_rawgeti(L, COLUMNS, k + 1);
    column[k] = (int)lua_tointeger(L, -1) - 1;
    lua_pop(L, 1);
  }
  w.column = column;
  lua_newtable(L);
  w.names = lua_gettop(L);
  reading *r = start_reading(L, &w.path);
  if (lua_toboolean(L, HEADER)) next_row(L, w.path, &r->from);
  add_rows(L, r, &w);
  int64_t rows = r->classes.count;
  push_numbers(L, &r->values, w.integers ? DT_int64 : DT_float64, w.dtype, &(shape){.ndim = 2, .dim = {rows, w.ncolumn}}, where);
  if (w.labels < 0) return 1;
  push_numbers(L, &r->classes, DT_int64, DT_int64, &(shape){.ndim = 1, .dim = {rows}}, where);
  lua_pushvalue(L, w.names);
  return 3;
}

static const function_row functions[] = {
  {"read_idx", l_read_idx, OUTSIDE}, {"csv_fields", l_csv_fields, OUTSIDE}, {"csv_numbers", l_csv_numbers, OUTSIDE}, {NULL, NULL, 0}
};

static const luaL_Reg unpack_meta[] = {{"__gc", unpack_gc}, {"__close", unpack_gc}, {NULL, NULL}};
static const luaL_Reg reading_meta[] = {{"__gc", reading_gc}, {"__close", reading_gc}, {NULL, NULL}};

void open_read(lua_State *L) {
  add_class(L, &unpack_class, NULL, unpack_meta, NULL);
  add_class(L, &reading_class, NULL, reading_meta, NULL);
  add_functions(L, functions);
}
