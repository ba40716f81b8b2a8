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

/* A growing list of integers. */
typedef struct integers {
  int64_t *data;
  int64_t  count, capacity;
} integers;

static const char reading_class = 0;

static int reading_gc(lua_State *L) {
  csv_close(lua_touserdata(L, 1));
  return 0;
}

/* Opens a file of separated values and pushes its userdata of type `csv`. The userdata's memory is freed as soon as the
** calling C function returns or raises an error. This is not left to the collector, which does not know how much memory
** a reading has. */
static csv *push_reading(lua_State *L, const char *path, char delimiter) {
  char wrong[UNPACK_WORDS];
  csv *c = push_object(L, &reading_class, sizeof *c, 0);
  lua_toclose(L, -1);
  if (!csv_open(c, path, delimiter, wrong)) raise_wrong(L, "read_csv", path, wrong);
  return c;
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

/* Opens the file of argument 1 and skips lines. The arguments 2 to 5 are the delimiter, the number of lines to skip,
** the first character of lines of comments, or nil, and true if fields may be in quotes. *name becomes the beginning of errors, such as "read_csv: x.csv". */
static csv *start_reading(lua_State *L, const char **name) {
  const char *path = check_path(L, 1, "read_csv"), *comment = luaL_optstring(L, 4, "");
  *name = lua_pushfstring(L, "read_csv: %s", path);
  csv *c = push_reading(L, path, *luaL_checkstring(L, 2));
  skip_lines(L, *name, c, luaL_checkinteger(L, 3));
  c->comment = *comment;
  if (!lua_toboolean(L, 5)) csv_ignore_quotes(c);
  return c;
}

/* csv_fields(path, delimiter, skip, comment, quote): skips the first `skip` lines, and returns the next row's fields and
** a list that is true at the fields in quotes, or nil if there is no row. comment: the first character of lines to skip,
** or nil. */
static int l_csv_fields(lua_State *L) {
  enum { TAKES = 96 };             /* bytes of memory for a field, including the lists of columns that read_csv makes;
                                   ** 75 were measured without the list of quoted fields, which takes 16 */
  const char *name, *no_room;
  csv *c = start_reading(L, &name);
  if (!next_row(L, name, c)) return 0;
  if ((no_room = push_no_room(L, (double)TAKES * c->nfield))) return luaL_error(L, "%s: %s", name, no_room);
  lua_createtable(L, c->nfield, 0);
  lua_createtable(L, c->nfield, 0);
  for (int i = 0; i < c->nfield; i++) {
    lua_pushlstring(L, c->field[i].text, c->field[i].length);
    lua_rawseti(L, -3, i + 1);
    lua_pushboolean(L, c->field[i].quoted);
    lua_rawseti(L, -2, i + 1);
  }
  return 2;
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

/* The kinds of columns, in the order in which a column whose kind is not given tries them. The last ones are only
** given. */
enum kind { BOOLEAN, INTEGER, FLOAT, TEXT, DATE, TIME };
static const char *const kind_names[] = {"boolean", "integer", "float", "text", "date", "time", NULL};

typedef struct column {
  enum kind kind;
  bool      given, begun;          /* begun: the column has a value that is not missing */
  bool      quoted;                /* a quoted text that means a missing value was taken for one */
  bool      again;                 /* the column turned out to be text after other values; the file must be read again */
  int       field;                 /* 0-based */
  void     *values;                /* int64 (boolean, integer, the number of a text), else double */
  integers  gaps;                  /* the rows of missing values, from 1 */
} column;

typedef struct table_reading {
  const char *name;                /* the beginning of errors, as start_reading sets it */
  csv     *from;
  char     point;                  /* the decimal point */
  bool     empty;                  /* an empty field means a missing value */
  bool     begins[256];            /* true at the first bytes of the other texts that mean a missing value */
  int      missing;                /* stack index of the set of these texts */
  int      names;                  /* stack index of the list of the columns' texts: each maps names to numbers and
                                   ** numbers to names */
  int64_t  rows, capacity;         /* capacity: the number of rows for which the columns have memory */
  int64_t  bytes, checked;         /* bytes: memory that gaps and texts take; checked: the value of `bytes` at which
                                   ** the available memory is checked next */
  int      n;
  column   column[];
} table_reading;
static const char table_class = 0;

static int table_gc(lua_State *L) {
  table_reading *t = lua_touserdata(L, 1);
  for (int k = 0; k < t->n; k++) {
    free(t->column[k].values);
    free(t->column[k].gaps.data);
  }
  t->n = 0;
  return 0;
}

/* ---- memory ---- */

/* Raises an error if `bytes` more bytes of memory are not available for a list, which already has n items. `what` is
** the noun for items in the message, such as "rows". */
static void check_room(lua_State *L, const table_reading *t, int64_t n, const char *what, int64_t bytes) {
  const char *no_room = push_no_room(L, (double)bytes);
  if (no_room) luaL_error(L, "%s: more than %I %s: %s", t->name, (LUAI_UACINT)n, what, no_room);
}

/* Counts memory that is about to be taken. As the check takes time, it is made each time the memory has doubled, and
** then as much again must be available. */
static void claim(lua_State *L, table_reading *t, int64_t n, const char *what, int64_t bytes) {
  t->bytes += bytes;
  if (t->bytes < t->checked) return;
  t->checked = 2 * t->bytes;
  check_room(L, t, n, what, t->bytes);
}

static void *larger(lua_State *L, const table_reading *t, void *list, int64_t capacity) {
  void *moved = realloc(list, (size_t)capacity * 8);
  if (!moved) luaL_error(L, "%s: out of memory", t->name);
  return moved;
}

/* Doubles the number of rows for which the columns have memory. A compressed file may expand a thousandfold, so the
** available memory is checked. */
static void add_room(lua_State *L, table_reading *t) {
  enum { FIRST = 8192, LEAST = 16 };           /* the first lists take 64 KiB together, or 128 bytes each */
  int64_t first = FIRST / (t->n + 1) > LEAST ? FIRST / (t->n + 1) : LEAST;
  int64_t capacity = t->capacity ? 2 * t->capacity : first;
  check_room(L, t, t->rows, "rows", 8 * t->n * (capacity - t->capacity));
  for (int k = 0; k < t->n; k++) t->column[k].values = larger(L, t, t->column[k].values, capacity);
  t->capacity = capacity;
}

/* Adds the current row to the rows of missing values. */
static void add_gap(lua_State *L, table_reading *t, integers *v) {
  if (v->count == v->capacity) {
    int64_t capacity = v->capacity ? 2 * v->capacity : 4;
    claim(L, t, t->rows, "rows with missing values", 8 * (capacity - v->capacity));
    v->data = larger(L, t, v->data, capacity);
    v->capacity = capacity;
  }
  v->data[v->count++] = t->rows + 1;
}

/* ---- values ---- */

static void set_int64(const table_reading *t, column *c, int64_t x) { ((int64_t *)c->values)[t->rows] = x; }
static void set_double(const table_reading *t, column *c, double x) { ((double *)c->values)[t->rows] = x; }

/* True if a field means a missing value. In a column of texts a field in quotes is a text. */
static bool is_missing(lua_State *L, const table_reading *t, const column *c, const csv_field *f) {
  if (f->quoted && c->kind == TEXT) return false;
  if (f->length == 0) return t->empty;
  if (!t->begins[(unsigned char)f->text[0]]) return false;
  lua_pushlstring(L, f->text, f->length);
  bool there = lua_rawget(L, t->missing) != LUA_TNIL;
  lua_pop(L, 1);
  return there;
}

static void add_missing(lua_State *L, table_reading *t, column *c) {
  add_gap(L, t, &c->gaps);
  if (c->kind == BOOLEAN || c->kind == INTEGER || c->kind == TEXT) set_int64(t, c, 0);
  else set_double(t, c, NAN);
}

/* Pushes the table of a column's texts. */
static void push_names(lua_State *L, const table_reading *t, const column *c) {
  lua_Integer k = c - t->column + 1;
  if (lua_rawgeti(L, t->names, k) != LUA_TNIL) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawseti(L, t->names, k);
}

/* Adds a text. Texts are numbered in the order of their appearance. A new text takes the bytes of its name, and entries
** in the table by name and by number, which took 210 to 320 bytes when measured. */
static void add_text(lua_State *L, table_reading *t, column *c, const csv_field *f) {
  enum { TAKES = 320 };
  int top = lua_gettop(L);
  push_names(L, t, c);
  lua_pushlstring(L, f->text, f->length);
  lua_pushvalue(L, -1);
  int64_t number;
  if (lua_rawget(L, top + 1) == LUA_TNIL) {
    number = (int64_t)lua_rawlen(L, top + 1) + 1;
    claim(L, t, number, "texts", TAKES + (int64_t)f->length);
    lua_pushvalue(L, top + 2);
    lua_rawseti(L, top + 1, number);
    lua_pushvalue(L, top + 2);
    lua_pushinteger(L, number);
    lua_rawset(L, top + 1);
  } else {
    number = lua_tointeger(L, -1);
  }
  lua_settop(L, top);
  set_int64(t, c, number);
}

/* Turns integers into floats; missing values become NaN. */
static void widen(const table_reading *t, column *c) {
  int64_t *from = c->values;
  double *to = c->values;
  for (int64_t i = 0; i < t->rows; i++) to[i] = (double)from[i];
  for (int64_t i = 0; i < c->gaps.count; i++) to[c->gaps.data[i] - 1] = NAN;
  c->kind = FLOAT;
}

static int raise_value(lua_State *L, const table_reading *t, const column *c) {
  char wrong[32];
  snprintf(wrong, sizeof wrong, "no %s", kind_names[c->kind]);
  return raise_field(L, t->name, t->from, c->field, wrong,
                     "; na_values = {...} names missing values, types = {...} another type");
}

/* Adds a value if the field has one of the column's kind. */
static bool add_value(lua_State *L, table_reading *t, column *c, const csv_field *f) {
  int64_t i;
  double x;
  bool b;
  switch (c->kind) {
    case BOOLEAN: if (!csv_boolean(f, &b)) return false; set_int64(t, c, b); return true;
    case INTEGER: if (!csv_integer(f, &i)) return false; set_int64(t, c, i); return true;
    case FLOAT:   if (!csv_decimal(f, t->point, &x)) return false; set_double(t, c, x); return true;
    case DATE:    if (!csv_time(f, &x)) return false; set_double(t, c, x / 86400); return true;
    case TIME:    if (!csv_time(f, &x)) return false; set_double(t, c, x); return true;
    case TEXT:    add_text(L, t, c, f); return true;
  }
  return false;
}

/* True if a field begins with a zero before another digit, like a postal code. Only a given type makes it a number. */
static bool is_padded(const csv_field *f) {
  return f->length > 1 && f->text[0] == '0' && f->text[1] >= '0' && f->text[1] <= '9';
}

/* Makes a column one of texts. Returns false if the file must be read again, because the earlier texts, or their
** numbers, are not known. */
static bool become_text(column *c) {
  c->kind = TEXT;
  c->again = c->begun || c->gaps.count > 0;
  return !c->again;
}

/* Adds a field. Changes the column's kind to the next one until the field has a value of this kind. */
static void add_field(lua_State *L, table_reading *t, column *c, const csv_field *f) {
  double x;
  bool missing = is_missing(L, t, c, f), code = !c->given && c->kind != TEXT && is_padded(f);
  if (!missing && !code && c->kind == FLOAT && t->point == '.' && csv_double(f, &x)) {     /* the most frequent case */
    set_double(t, c, x);
    c->begun = true;
    return;
  }
  if (c->again) return;
  if (missing) {
    c->quoted = c->quoted || (f->quoted && f->length > 0);
    add_missing(L, t, c);
    return;
  }
  if (code && !become_text(c)) return;
  while (!add_value(L, t, c, f)) {
    if (c->given) raise_value(L, t, c);
    if (c->kind == INTEGER) widen(t, c);
    else if (c->kind == BOOLEAN && !c->begun) c->kind = INTEGER;
    else if (!become_text(c)) return;
  }
  c->begun = true;
}

static void add_rows(lua_State *L, table_reading *t, int fields) {
  csv *from = t->from;
  for (; next_row(L, t->name, from); t->rows++) {
    if (from->nfield != fields)
      luaL_error(L, "%s: line %I: fields: %d, in the first row: %d; is the delimiter right? A field that "
                    "contains it is in quotes", t->name, (LUAI_UACINT)from->line, from->nfield, fields);
    if (t->rows == t->capacity) add_room(L, t);
    for (int k = 0; k < t->n; k++) add_field(L, t, &t->column[k], &from->field[t->column[k].field]);
  }
}

static void push_list(lua_State *L, const void *list, int64_t n, enum dtype d) {
  place where = host_place();
  tensor *t = push_tensor(L, "read_csv", d, &(shape){.ndim = 1, .dim = {n}}, where);
  int st = OK;
  if (n > 0) TRY(L, where, st, host_write(t, d, list));
  if (st != OK) raise(L, "read_csv", st, (const tensor *const *)&t, 1);
}

/* Pushes the description of a column: kind, begun, again, values, gaps (nil if no value is missing), names (nil unless
** the column has texts). Frees the memory of the values. */
static void push_column(lua_State *L, table_reading *t, column *c) {
  bool floats = c->kind == FLOAT || c->kind == DATE || c->kind == TIME;
  lua_createtable(L, 0, 6);
  lua_pushstring(L, kind_names[c->kind]);
  lua_setfield(L, -2, "kind");
  lua_pushboolean(L, c->begun);
  lua_setfield(L, -2, "begun");
  if (c->quoted && !c->begun && !c->given) c->again = true;           /* texts such as "NA" alone */
  lua_pushboolean(L, c->again);
  lua_setfield(L, -2, "again");
  if (!c->again) {
    push_list(L, c->values, t->rows, floats ? DT_float64 : DT_int64);
    lua_setfield(L, -2, "values");
    if (c->gaps.count > 0) {
      push_list(L, c->gaps.data, c->gaps.count, DT_int64);
      lua_setfield(L, -2, "gaps");
    }
    if (c->kind == TEXT) {
      push_names(L, t, c);
      lua_setfield(L, -2, "names");
    }
  }
  free(c->values);
  c->values = NULL;
}

/* Reads the columns' positions and kinds from the lists at these stack indices. */
static void read_columns(lua_State *L, table_reading *t, int columns, int kinds) {
  for (int k = 0; k < t->n; k++) {
    column *c = &t->column[k];
    lua_rawgeti(L, columns, k + 1);
    c->field = (int)lua_tointeger(L, -1) - 1;
    c->given = lua_rawgeti(L, kinds, k + 1) == LUA_TSTRING;
    if (c->given) c->kind = (enum kind)luaL_checkoption(L, -1, NULL, kind_names);
    lua_pop(L, 2);
  }
}

/* Reads the set of texts that mean a missing value. */
static void read_missing(lua_State *L, table_reading *t) {
  for (lua_pushnil(L); lua_next(L, t->missing); lua_pop(L, 1)) {
    size_t n;
    const char *text = lua_tolstring(L, -2, &n);
    if (n == 0) t->empty = true;
    else t->begins[(unsigned char)text[0]] = true;
  }
}

/* csv_table(path, delimiter, skip, comment, quote, header, fields, columns, kinds, missing, point): returns a list of
** descriptions of the columns, and the number of rows. The first `skip` lines are skipped, and then, if header is true,
** a row. Each row must have `fields` fields. columns: the columns' numbers, from 1; kinds: the name of each kind, or
** false; missing: a set of texts; point: the decimal point. */
static int l_csv_table(lua_State *L) {
  enum { HEADER = 6, FIELDS, COLUMNS, KINDS, MISSING, POINT };
  enum { TAKES = 2500 };           /* bytes of memory for a column without its values, also in the table that read_csv
                                   ** makes; 1500 were measured for numbers, 2460 for texts */
  lua_settop(L, POINT);
  int n = (int)lua_rawlen(L, COLUMNS);
  const char *no_room = push_no_room(L, (double)TAKES * n);
  if (no_room) return luaL_error(L, "read_csv: %s: %d columns: %s", lua_tostring(L, 1), n, no_room);
  table_reading *t = push_object(L, &table_class, sizeof *t + sizeof(column) * (size_t)n, 0);
  lua_toclose(L, -1);
  t->n = n;
  t->point = *luaL_checkstring(L, POINT);
  t->missing = MISSING;
  lua_newtable(L);
  t->names = lua_gettop(L);
  read_columns(L, t, COLUMNS, KINDS);
  read_missing(L, t);
  t->from = start_reading(L, &t->name);
  if (lua_toboolean(L, HEADER)) next_row(L, t->name, t->from);
  add_rows(L, t, (int)luaL_checkinteger(L, FIELDS));
  lua_createtable(L, n, 0);
  for (int k = 0; k < n; k++) {
    push_column(L, t, &t->column[k]);
    lua_rawseti(L, -2, k + 1);
  }
  lua_pushinteger(L, t->rows);
  return 2;
}

static const function_row functions[] = {
  {"csv_fields", l_csv_fields, OUTSIDE}, {"csv_table", l_csv_table, OUTSIDE},
  {NULL, NULL, 0}
};

static const luaL_Reg table_meta[] = {{"__gc", table_gc}, {"__close", table_gc}, {NULL, NULL}};
static const luaL_Reg reading_meta[] = {{"__gc", reading_gc}, {"__close", reading_gc}, {NULL, NULL}};

void open_separated(lua_State *L) {
  add_class(L, &reading_class, NULL, reading_meta, NULL);
  add_class(L, &table_class, NULL, table_meta, NULL);
  add_functions(L, functions);
}
