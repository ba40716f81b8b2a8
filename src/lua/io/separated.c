/* Readers of text files of separated values (CSV), also compressed by gzip. lua/luatensor/data calls these functions. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv.h"
#include "lua/io/file.h"
#include "lua/register.h"
#include "op/host.h"

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
static reading *push_reading(lua_State *L, const char *fn, const char *path, char delimiter) {
  char wrong[UNPACK_WORDS];
  reading *r = push_object(L, &reading_class, sizeof *r, 0);
  lua_toclose(L, -1);
  if (!csv_open(&r->from, path, delimiter, wrong)) raise_wrong(L, fn, path, wrong);
  return r;
}

/* Raises an error if `bytes` more bytes of memory are not available for a list, which already has n items. `what` is
** the noun for items in the message, such as "numbers". */
static void check_room(lua_State *L, const char *name, int64_t n, const char *what, int64_t bytes) {
  const char *no_room = push_no_room(L, (double)bytes);
  if (no_room) luaL_error(L, "%s: more than %I %s: %s", name, (LUAI_UACINT)n, what, no_room);
}

/* Ensures capacity for n more numbers. A compressed file may expand a thousandfold, so the available memory is
** checked. */
static void make_room(lua_State *L, const char *name, numbers *v, int64_t n) {
  if (v->count + n <= v->capacity) return;
  int64_t capacity = v->capacity < 1024 ? 1024 : 2 * v->capacity;
  if (capacity < v->count + n) capacity = v->count + n;
  check_room(L, name, v->count, "numbers", 8 * (capacity - v->capacity));
  void *larger = realloc(v->data, (size_t)capacity * 8);
  if (!larger) luaL_error(L, "%s: out of memory", name);
  v->data = larger;
  v->capacity = capacity;
}

static bool next_row(lua_State *L, const char *name, csv *c) {
  char wrong[UNPACK_WORDS];
  bool there;
  if (csv_row(c, &there, wrong)) return there;
  if (!wrong[0]) luaL_error(L, "%s: %s", name, strerror(errno));
  return luaL_error(L, "%s: line %I: %s", name, (LUAI_UACINT)c->line, wrong);
}

static void skip_lines(lua_State *L, const char *name, csv *c, int64_t n) {
  char wrong[UNPACK_WORDS];
  bool there = true;
  while (n-- > 0 && there)
    if (!csv_skip(c, &there, wrong)) luaL_error(L, "%s: %s", name, wrong[0] ? wrong : strerror(errno));
}

/* Opens the file of argument 1 and skips lines. *name becomes the beginning of errors, such as "read_csv: x.csv". */
static reading *start_reading(lua_State *L, const char *fn, const char **name) {
  const char *path = check_path(L, 1, fn);
  *name = lua_pushfstring(L, "%s: %s", fn, path);
  reading *r = push_reading(L, fn, path, *luaL_checkstring(L, 2));
  skip_lines(L, *name, &r->from, luaL_checkinteger(L, 3));
  return r;
}

/* csv_fields(path, delimiter, skip, comment, fn): skips the first `skip` lines, and returns the next row's fields, or nil
** if there is no row. comment: the first character of lines to skip, or nil. fn: the function's name in errors. */
static int l_csv_fields(lua_State *L) {
  enum { TAKES = 80 };             /* bytes of memory for a field, including the lists of columns that read_csv makes;
                                   ** 75 were measured */
  const char *name, *no_room, *comment = luaL_optstring(L, 4, "");
  reading *r = start_reading(L, luaL_checkstring(L, 5), &name);
  r->from.comment = *comment;
  if (!next_row(L, name, &r->from)) return 0;
  if ((no_room = push_no_room(L, (double)TAKES * r->from.nfield))) return luaL_error(L, "%s: %s", name, no_room);
  lua_createtable(L, r->from.nfield, 0);
  for (int i = 0; i < r->from.nfield; i++) {
    lua_pushlstring(L, r->from.field[i].text, r->from.field[i].length);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* Raises an error about a field. The message contains the field's position and first bytes. */
static int raise_field(lua_State *L, const char *name, const csv *c, int i, const char *wrong, const char *cure) {
  const csv_field *f = &c->field[i];
  char text[48];
  size_t n = f->length < sizeof text - 4 ? f->length : sizeof text - 4;
  for (size_t k = 0; k < n; k++) text[k] = f->text[k] == 0 ? '?' : f->text[k];
  strcpy(text + n, f->length > n ? "..." : "");
  return luaL_error(L, "%s: line %I, column %d: %s: \"%s\"%s", name, (LUAI_UACINT)c->line, i + 1, wrong, text,
                    cure);
}

/* The arguments of one call of csv_numbers. */
typedef struct wanted {
  const char *name;
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
    return raise_field(L, w->name, &r->from, i, "an empty field", w->integers ? "" : "; missing = 0/0 takes it as NaN");
  const char *cure = csv_double(f, &x) ? ""
                   : is_header(&r->from) ? "; header = true if the first row names the columns"
                   : "; data.read_table reads columns of text";
  return raise_field(L, w->name, &r->from, i, w->integers ? "no integer" : "no number", cure);
}

static void add_number(lua_State *L, reading *r, const wanted *w, int i) {
  const csv_field *f = &r->from.field[i];
  numbers *v = &r->values;
  if (w->integers) {
    int64_t *to = (int64_t *)v->data + v->count++;
    if (!csv_integer(f, to)) raise_no_number(L, r, w, i);
    else if (!integer_fits(w->dtype, *to)) raise_field(L, w->name, &r->from, i, "too large for the dtype", "");
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
  check_room(L, w->name, (int64_t)lua_rawlen(L, w->names), "classes", r->class_bytes);
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
  while (next_row(L, w->name, &r->from)) {
    if (r->from.nfield != w->fields)
      luaL_error(L, "%s: line %I: fields: %d, in the first row: %d", w->name, (LUAI_UACINT)r->from.line,
                 r->from.nfield, w->fields);
    make_room(L, w->name, &r->values, w->ncolumn);
    for (int k = 0; k < w->ncolumn; k++) add_number(L, r, w, w->column[k]);
    if (w->labels < 0) {
      r->classes.count++;
      continue;
    }
    make_room(L, w->name, &r->classes, 1);
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
  reading *r = start_reading(L, "read_csv", &w.name);
  if (lua_toboolean(L, HEADER)) next_row(L, w.name, &r->from);
  add_rows(L, r, &w);
  int64_t rows = r->classes.count;
  push_numbers(L, &r->values, w.integers ? DT_int64 : DT_float64, w.dtype, &(shape){.ndim = 2, .dim = {rows, w.ncolumn}}, where);
  if (w.labels < 0) return 1;
  push_numbers(L, &r->classes, DT_int64, DT_int64, &(shape){.ndim = 1, .dim = {rows}}, where);
  lua_pushvalue(L, w.names);
  return 3;
}

/* ---- columns of any kind ---- */

/* The kinds of columns, in the order in which a column whose kind is not given tries them. The last ones are only
** given. */
enum kind { BOOLEAN, INTEGER, FLOAT, TEXT, DATE, TIME };
static const char *const kind_names[] = {"boolean", "integer", "float", "text", "date", "time", NULL};

typedef struct column {
  enum kind kind;
  bool      given, begun;          /* begun: the column has a value that is not missing */
  bool      again;                 /* the column turned out to be text after other values; the file must be read again */
  int       field;                 /* 0-based */
  numbers   values, gaps;          /* int64 (boolean, integer, the number of a text), else double; gaps: the rows of
                                   ** missing values, from 1 */
} column;

typedef struct table_reading {
  const char *name;                /* the beginning of errors, as start_reading sets it */
  reading *from;
  char     point;                  /* the decimal point */
  int      names, missing;         /* stack indices: the list of the columns' texts, each as in csv_numbers; the set of
                                   ** texts that mean a missing value */
  uint64_t lengths;                /* bit min(n, 63) is set if a text of n bytes means a missing value */
  int64_t  rows, text_bytes, text_room;    /* text_…: as class_… of a reading */
  int      n;
  column   column[];
} table_reading;
static const char table_class = 0;

static int table_gc(lua_State *L) {
  table_reading *t = lua_touserdata(L, 1);
  for (int k = 0; k < t->n; k++) {
    free(t->column[k].values.data);
    free(t->column[k].gaps.data);
  }
  t->n = 0;
  return 0;
}

static void *add_place(lua_State *L, const table_reading *t, numbers *v) {
  make_room(L, t->name, v, 1);
  return (int64_t *)v->data + v->count++;
}

static void add_int64(lua_State *L, const table_reading *t, numbers *v, int64_t x) { *(int64_t *)add_place(L, t, v) = x; }
static void add_double(lua_State *L, const table_reading *t, numbers *v, double x) { *(double *)add_place(L, t, v) = x; }

static bool is_missing(lua_State *L, const table_reading *t, const csv_field *f) {
  if (!(t->lengths >> (f->length < 63 ? f->length : 63) & 1)) return false;
  lua_pushlstring(L, f->text, f->length);
  bool there = lua_rawget(L, t->missing) != LUA_TNIL;
  lua_pop(L, 1);
  return there;
}

static void add_missing(lua_State *L, const table_reading *t, column *c) {
  add_int64(L, t, &c->gaps, t->rows);
  if (c->kind == BOOLEAN || c->kind == INTEGER || c->kind == TEXT) add_int64(L, t, &c->values, 0);
  else add_double(L, t, &c->values, NAN);
}

/* Adds a text. Texts are numbered in the order of their appearance. */
static void add_text(lua_State *L, table_reading *t, column *c, const csv_field *f) {
  enum { TAKES = 320 };                    /* as in check_class */
  int top = lua_gettop(L);
  lua_rawgeti(L, t->names, c - t->column + 1);
  lua_pushlstring(L, f->text, f->length);
  lua_pushvalue(L, -1);
  int64_t number;
  if (lua_rawget(L, top + 1) == LUA_TNIL) {
    number = (int64_t)lua_rawlen(L, top + 1) + 1;
    t->text_bytes += TAKES + (int64_t)f->length;
    if (t->text_bytes >= t->text_room) {
      t->text_room = 2 * t->text_bytes;
      check_room(L, t->name, number, "texts", t->text_bytes);
    }
    lua_pushvalue(L, top + 2);
    lua_rawseti(L, top + 1, number);
    lua_pushvalue(L, top + 2);
    lua_pushinteger(L, number);
    lua_rawset(L, top + 1);
  } else {
    number = lua_tointeger(L, -1);
  }
  lua_settop(L, top);
  add_int64(L, t, &c->values, number);
}

/* Turns integers into floats; missing values become NaN. */
static void widen(column *c) {
  int64_t *from = c->values.data;
  double *to = c->values.data;
  for (int64_t i = 0; i < c->values.count; i++) to[i] = (double)from[i];
  for (int64_t i = 0; i < c->gaps.count; i++) to[((int64_t *)c->gaps.data)[i] - 1] = NAN;
  c->kind = FLOAT;
}

static int raise_value(lua_State *L, const table_reading *t, const column *c) {
  char wrong[32];
  snprintf(wrong, sizeof wrong, "no %s", kind_names[c->kind]);
  return raise_field(L, t->name, &t->from->from, c->field, wrong,
                     "; na_values = {...} names missing values, types = {...} another type");
}

/* Adds a value if the field has one of the column's kind. */
static bool add_value(lua_State *L, table_reading *t, column *c, const csv_field *f) {
  int64_t i;
  double x;
  bool b;
  switch (c->kind) {
    case BOOLEAN: if (!csv_boolean(f, &b)) return false; add_int64(L, t, &c->values, b); return true;
    case INTEGER: if (!csv_integer(f, &i)) return false; add_int64(L, t, &c->values, i); return true;
    case FLOAT:   if (!csv_decimal(f, t->point, &x)) return false; add_double(L, t, &c->values, x); return true;
    case DATE:    if (!csv_time(f, &x)) return false; add_double(L, t, &c->values, x / 86400); return true;
    case TIME:    if (!csv_time(f, &x)) return false; add_double(L, t, &c->values, x); return true;
    case TEXT:    add_text(L, t, c, f); return true;
  }
  return false;
}

static void add_field(lua_State *L, table_reading *t, column *c, const csv_field *f) {
  if (c->again) return;
  if (is_missing(L, t, f)) {
    add_missing(L, t, c);
    return;
  }
  while (!add_value(L, t, c, f)) {
    if (c->given) raise_value(L, t, c);
    if (c->kind == INTEGER) widen(c);
    else if (c->kind == BOOLEAN && !c->begun) c->kind = INTEGER;
    else {
      c->kind = TEXT;
      if (c->begun || c->gaps.count > 0) {             /* the earlier texts, or their numbers, are not known */
        c->again = true;
        return;
      }
    }
  }
  c->begun = true;
}

static void add_table_rows(lua_State *L, table_reading *t, int fields) {
  csv *from = &t->from->from;
  while (next_row(L, t->name, from)) {
    t->rows++;
    if (from->nfield != fields)
      luaL_error(L, "%s: line %I: fields: %d, in the first row: %d; is the delimiter right? A field that "
                    "contains it is in quotes", t->name, (LUAI_UACINT)from->line, from->nfield, fields);
    for (int k = 0; k < t->n; k++) add_field(L, t, &t->column[k], &from->field[t->column[k].field]);
  }
}

static void push_list(lua_State *L, const numbers *v, enum dtype d) {
  push_numbers(L, v, d, d, &(shape){.ndim = 1, .dim = {v->count}}, host_place());
}

/* Pushes the description of a column: kind, begun, again, values, gaps, names. */
static void push_column(lua_State *L, const table_reading *t, int k) {
  const column *c = &t->column[k];
  bool floats = c->kind == FLOAT || c->kind == DATE || c->kind == TIME;
  lua_createtable(L, 0, 6);
  lua_pushstring(L, kind_names[c->kind]);
  lua_setfield(L, -2, "kind");
  lua_pushboolean(L, c->begun);
  lua_setfield(L, -2, "begun");
  lua_pushboolean(L, c->again);
  lua_setfield(L, -2, "again");
  if (c->again) return;
  push_list(L, &c->values, floats ? DT_float64 : DT_int64);
  lua_setfield(L, -2, "values");
  push_list(L, &c->gaps, DT_int64);
  lua_setfield(L, -2, "gaps");
  lua_rawgeti(L, t->names, k + 1);
  lua_setfield(L, -2, "names");
}

/* Reads the columns' positions and kinds from the lists at stack indices 7 and 8. */
static void read_columns(lua_State *L, table_reading *t) {
  for (int k = 0; k < t->n; k++) {
    column *c = &t->column[k];
    lua_rawgeti(L, 7, k + 1);
    c->field = (int)lua_tointeger(L, -1) - 1;
    c->given = lua_rawgeti(L, 8, k + 1) == LUA_TSTRING;
    if (c->given) c->kind = (enum kind)luaL_checkoption(L, -1, NULL, kind_names);
    lua_pop(L, 2);
    lua_newtable(L);
    lua_rawseti(L, t->names, k + 1);
  }
}

/* Reads the set of texts that mean a missing value. */
static void read_missing(lua_State *L, table_reading *t) {
  for (lua_pushnil(L); lua_next(L, t->missing); lua_pop(L, 1)) {
    size_t n = lua_rawlen(L, -2);
    t->lengths |= (uint64_t)1 << (n < 63 ? n : 63);
  }
}

/* csv_table(path, delimiter, skip, comment, header, fields, columns, kinds, missing, point): returns a list of
** descriptions of the columns. columns: their numbers, from 1; kinds: the name of each kind, or false; missing: a set
** of texts. The other arguments are as in csv_numbers. */
static int l_csv_table(lua_State *L) {
  enum { COMMENT = 4, HEADER, FIELDS, COLUMNS, KINDS, MISSING, POINT };
  lua_settop(L, POINT);
  int n = (int)lua_rawlen(L, COLUMNS);
  table_reading *t = push_object(L, &table_class, sizeof *t + sizeof(column) * (size_t)n, 0);
  lua_toclose(L, -1);
  t->n = n;
  t->point = *luaL_checkstring(L, POINT);
  t->missing = MISSING;
  lua_newtable(L);
  t->names = lua_gettop(L);
  read_columns(L, t);
  read_missing(L, t);
  t->from = start_reading(L, "read_table", &t->name);
  t->from->from.comment = lua_isstring(L, COMMENT) ? *lua_tostring(L, COMMENT) : 0;
  if (lua_toboolean(L, HEADER)) next_row(L, t->name, &t->from->from);
  add_table_rows(L, t, (int)luaL_checkinteger(L, FIELDS));
  lua_createtable(L, n, 0);
  for (int k = 0; k < n; k++) {
    push_column(L, t, k);
    lua_rawseti(L, -2, k + 1);
  }
  return 1;
}

static const function_row functions[] = {
  {"csv_fields", l_csv_fields, OUTSIDE}, {"csv_numbers", l_csv_numbers, OUTSIDE}, {"csv_table", l_csv_table, OUTSIDE},
  {NULL, NULL, 0}
};

static const luaL_Reg table_meta[] = {{"__gc", table_gc}, {"__close", table_gc}, {NULL, NULL}};
static const luaL_Reg reading_meta[] = {{"__gc", reading_gc}, {"__close", reading_gc}, {NULL, NULL}};

void open_separated(lua_State *L) {
  add_class(L, &reading_class, NULL, reading_meta, NULL);
  add_class(L, &table_class, NULL, table_meta, NULL);
  add_functions(L, functions);
}
