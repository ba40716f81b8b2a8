#include "io/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "base/text.h"

enum {
  FIRST_ROOM = 1 << 18,        /* the initial size of the buffer in bytes */
  MOST_ROOM  = 1 << 26,        /* the greatest size of the buffer in bytes, which limits the length of a row; without
                               ** a limit, an unclosed quote would make the rest of the file one row */
  MOST_FIELDS = 1 << 20,       /* the maximum number of fields of a row, more than real tables have; so many fields
                               ** take 24 MB, and their names in Lua 100 MB */
  NUMBER     = 400             /* the size in bytes of the buffer for a number's text, enough for 17 digits of any
                               ** double without an exponent */
};

static bool say(char wrong[UNPACK_WORDS], const char *words) {
  snprintf(wrong, UNPACK_WORDS, "%s", words);
  return false;
}

bool csv_open(csv *c, const char *path, char delimiter, char wrong[UNPACK_WORDS]) {
  *c = (csv){.delimiter = delimiter, .next_line = 1, .size = FIRST_ROOM};
  c->kind[' '] = c->kind['\t'] = c->kind['\r'] = CSV_BLANK;
  c->kind['\n'] = c->kind['"'] = c->kind[(unsigned char)delimiter] = CSV_STOP;
  c->room = malloc(c->size + 1);
  if (!c->room) return say(wrong, "out of memory");
  c->room[0] = '\n';
  c->from = unpack_open(path, wrong);
  return c->from != NULL;
}

void csv_close(csv *c) {
  unpack_close(c->from);
  free(c->room);
  free(c->field);
  *c = (csv){0};
}

void csv_ignore_quotes(csv *c) {
  c->no_quotes = true;
  c->kind['"'] = 0;
}

/* ---- reading lines ---- */

/* Moves the unread bytes to the front of the buffer, doubles the buffer if it is full, and reads more bytes. At the end
** of the file, sets at_end. Returns false and writes the reason to `wrong` if the buffer cannot grow or the file cannot
** be read. */
static bool more(csv *c, char wrong[UNPACK_WORDS]) {
  size_t kept = c->end - c->start, got;
  memmove(c->room, c->room + c->start, kept);
  c->start = 0;
  c->end = kept;
  if (kept == c->size) {
    size_t available;
    if (c->size == MOST_ROOM) return say(wrong, "a row of more than 64 MiB, so this is probably not a CSV file");
    char *larger = system_has_room(2 * c->size, &available) ? realloc(c->room, 2 * c->size + 1) : NULL;
    if (!larger) {
      snprintf(wrong, UNPACK_WORDS, "out of memory: a row of more than %zu bytes", c->size);
      return false;
    }
    c->room = larger;
    c->size *= 2;
  }
  if (!unpack_read(c->from, c->room + kept, c->size - kept, &got, wrong)) return false;
  c->end += got;
  c->room[c->end] = '\n';
  c->at_end = c->end < c->size;
  bool utf16 = got >= 2 && (memcmp(c->room, "\xff\xfe", 2) == 0 || memcmp(c->room, "\xfe\xff", 2) == 0);
  if (utf16 && kept == 0 && c->next_line == 1)
    return say(wrong, "the file is UTF-16; convert it by iconv -f UTF-16 -t UTF-8");
  return true;
}

/* Returns the end of the row that begins at `at`: a line end outside of quotes. Sets *lines to the number of line ends in
** quotes before it. Returns NULL if the buffer does not contain the row's end yet. */
static char *row_end(char *at, char *end, int64_t *lines) {
  char *line = memchr(at, '\n', (size_t)(end - at));
  char *quote = memchr(at, '"', (size_t)((line ? line : end) - at));
  if (!quote) return line;
  bool inside = false;
  for (char *p = quote; p < end; p++) {
    if (*p == '"') inside = !inside;
    else if (*p == '\n' && !inside) return p;
    else if (*p == '\n') ++*lines;
  }
  return NULL;
}

/* Sets *row and *end to the next row's first byte and line end, and counts the row's lines. If by_line is true, or the
** row is a comment, quotes have no meaning, so a row is a line. */
static bool take(csv *c, bool by_line, char **row, char **end, char wrong[UNPACK_WORDS]) {
  c->line = c->next_line;
  for (;;) {
    char *at = c->room + c->start, *last = c->room + c->end;
    bool line = by_line || c->no_quotes || (c->comment && at < last && *at == c->comment);
    int64_t lines = 1;
    char *stop = line ? memchr(at, '\n', (size_t)(last - at)) : row_end(at, last, &lines);
    if (stop || c->at_end) {
      *row = at;
      *end = stop ? stop : last;
      c->start = (size_t)(*end - c->room) + (stop ? 1 : 0);
      c->next_line += lines;
      return true;
    }
    if (!more(c, wrong)) return false;
  }
}

bool csv_skip(csv *c, bool *there, char wrong[UNPACK_WORDS]) {
  char *row, *end;
  if (!take(c, true, &row, &end, wrong)) return false;
  *there = row < end || !c->at_end || c->start < c->end;
  return true;
}

/* ---- splitting rows into fields ---- */

static bool is_blank(const csv *c, char x) { return c->kind[(unsigned char)x] == CSV_BLANK; }

static bool add_field(csv *c, csv_field f, char wrong[UNPACK_WORDS]) {
  if (c->nfield == c->capacity) {
    if (c->nfield == MOST_FIELDS) return say(wrong, "a row of more than 1048576 fields: is the delimiter right?");
    int capacity = c->capacity ? 2 * c->capacity : 64;
    csv_field *larger = realloc(c->field, (size_t)capacity * sizeof *larger);
    if (!larger) return say(wrong, "out of memory");
    c->field = larger;
    c->capacity = capacity;
  }
  c->field[c->nfield++] = f;
  return true;
}

/* Parses a quoted field from its first quote on. Two quotes inside the field mean one quote character. Returns the
** rest of the row, or NULL if the closing quote is missing. */
static char *quoted(char *p, char *end, csv_field *f) {
  char *to = ++p;
  *f = (csv_field){.text = to, .quoted = true};
  for (; p < end; p++) {
    if (*p == '"' && (p + 1 == end || p[1] != '"')) break;
    if (*p == '"') p++;
    *to++ = *p;
  }
  f->length = (size_t)(to - f->text);
  return p < end ? p + 1 : NULL;
}

/* Parses a field without quotes from its first byte on. Returns the rest of the row, or NULL if the field has a quote. */
static char *plain(const csv *c, char *p, csv_field *f) {
  char *stop = p, *last;
  while (c->kind[(unsigned char)*stop] != CSV_STOP) stop++;
  if (*stop == '"') return NULL;
  last = stop;
  while (last > p && is_blank(c, last[-1])) last--;
  *f = (csv_field){.text = p, .length = (size_t)(last - p)};
  return stop;
}

/* Writes an error about a quote in the row's next field. */
static bool say_quote(const csv *c, const char *words, char wrong[UNPACK_WORDS]) {
  snprintf(wrong, UNPACK_WORDS, "column %d: %s; quote = false reads quotes as letters", c->nfield + 1, words);
  return false;
}

static bool split(csv *c, char *p, char *end, char wrong[UNPACK_WORDS]) {
  csv_field f;
  c->nfield = 0;
  for (;; p++) {
    while (is_blank(c, *p)) p++;
    bool quotes = p < end && *p == '"' && !c->no_quotes;
    p = quotes ? quoted(p, end, &f) : plain(c, p, &f);
    if (!p) return say_quote(c, quotes ? "a quote that does not end" : "a quote inside of a field", wrong);
    while (quotes && is_blank(c, *p)) p++;
    if (p < end && *p != c->delimiter) return say_quote(c, "something follows a quoted field", wrong);
    if (!add_field(c, f, wrong)) return false;
    if (p >= end) return true;
  }
}

/* True if a row has a carriage return outside of quotes before its end. */
static bool has_return(const csv *c, const char *row, const char *end) {
  bool inside = false;
  for (; row + 1 < end; row++) {
    if (*row == '"' && !c->no_quotes) inside = !inside;
    else if (*row == '\r' && row[1] != '\r' && !inside) return true;
  }
  return false;
}

static bool is_empty(const char *row, const char *end) {
  while (row < end && (*row == ' ' || *row == '\r' || *row == '\t')) row++;
  return row == end;
}

bool csv_row(csv *c, bool *there, char wrong[UNPACK_WORDS]) {
  char *row, *end;
  for (;;) {
    if (!take(c, false, &row, &end, wrong)) return false;
    if (c->line == 1 && end - row >= 3 && memcmp(row, "\xef\xbb\xbf", 3) == 0) row += 3;      /* skips a byte order
                                                                                              ** mark */
    *there = !is_empty(row, end) && !(c->comment && *row == c->comment);
    if (*there && c->capacity == 0 && has_return(c, row, end))       /* the first row */
      return say(wrong, "the lines end in CR alone; convert the file by tr '\\r' '\\n'");
    if (*there) return split(c, row, end, wrong);
    if (c->at_end && c->start == c->end) return true;
  }
}

/* ---- parsing numbers ---- */

static const double power_of_10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Parses any decimal number, inf or nan with the C library's function. */
static bool slow_double(const csv_field *f, double *x) {
  char text[NUMBER], *end;
  if (f->length == 0 || f->length >= NUMBER) return false;
  for (size_t i = 0; i < f->length; i++) {
    unsigned char ch = (unsigned char)f->text[i];
    if (ch == 'x' || ch == 'X' || ch == '(' || ch <= ' ') return false;      /* excludes 0x10, nan(…) and leading
                                                                             ** spaces */
    text[i] = (char)ch;
  }
  text[f->length] = 0;
  *x = text_number(text, &end);
  return end == text + f->length;
}

/* Parses a number. The number is its digits, as an integer, divided by a power of 10. If both are exact doubles, their
** quotient is the double nearest to the number (Clinger, How to read floating point numbers accurately, 1990).
** Otherwise slow_double parses the number. */
bool csv_double(const csv_field *f, double *x) {
  const char *p = f->text, *end = p + f->length, *first;
  bool minus = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  uint64_t digits = 0;
  int scale = 0;
  first = p;
  for (; p < end && *p >= '0' && *p <= '9'; p++) digits = digits * 10 + (uint64_t)(*p - '0');
  bool point = p < end && *p == '.';
  if (point)
    for (p++; p < end && *p >= '0' && *p <= '9'; p++, scale++) digits = digits * 10 + (uint64_t)(*p - '0');
  int64_t known = p - first - point;
  if (p < end || known == 0 || known > 16 || digits > (uint64_t)1 << 53) return slow_double(f, x);
  double value = (double)digits / power_of_10[scale];
  *x = minus ? -value : value;
  return true;
}

bool csv_integer(const csv_field *f, int64_t *x) {
  const char *p = f->text, *end = p + f->length;
  bool minus = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p == end) return false;
  int64_t n = 0;
  for (; p < end && *p >= '0' && *p <= '9'; p++)
    if (__builtin_mul_overflow(n, 10, &n) || __builtin_sub_overflow(n, *p - '0', &n)) return false;
  if (p < end || (!minus && n == INT64_MIN)) return false;
  *x = minus ? n : -n;
  return true;
}

bool csv_decimal(const csv_field *f, char point, double *x) {
  char text[NUMBER];
  if (point == '.') return csv_double(f, x);
  if (f->length >= NUMBER) return false;
  for (size_t i = 0; i < f->length; i++) {
    if (f->text[i] == '.') return false;
    text[i] = f->text[i] == point ? '.' : f->text[i];
  }
  return csv_double(&(csv_field){.text = text, .length = f->length}, x);
}

/* ---- parsing other values ---- */

bool csv_boolean(const csv_field *f, bool *x) {
  static const char *const words[] = {"false", "true", "False", "True", "FALSE", "TRUE"};
  for (int i = 0; i < 6; i++)
    if (f->length == strlen(words[i]) && memcmp(f->text, words[i], f->length) == 0) {
      *x = i % 2 == 1;
      return true;
    }
  return false;
}

/* Parses n digits at *p, a number from least to most. On success moves *p behind the digits. */
static bool digits(const char **p, const char *end, int n, int least, int most, int *value) {
  if (end - *p < n) return false;
  *value = 0;
  for (int i = 0; i < n; i++, (*p)++) {
    if (**p < '0' || **p > '9') return false;
    *value = *value * 10 + (**p - '0');
  }
  return *value >= least && *value <= most;
}

static bool skip(const char **p, const char *end, char wanted) {
  bool there = *p < end && **p == wanted;
  *p += there;
  return there;
}

/* Returns the number of days from 1970-01-01 to a date of the Gregorian calendar. Years begin in March here, so that
** the leap day is a year's last day; 400 years have 146097 days. */
static int64_t days_since_1970(int year, int month, int day) {
  int y = month <= 2 ? year - 1 : year, of_400 = y % 400;
  int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return (int64_t)(y / 400) * 146097 + of_400 * 365 + of_400 / 4 - of_400 / 100 + of_year - 719468;
}

static bool parse_date(const char **p, const char *end, int64_t *days) {
  static const int lengths[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int year, month, day;
  if (!digits(p, end, 4, 1, 9999, &year) || !skip(p, end, '-') || !digits(p, end, 2, 1, 12, &month)) return false;
  if (!skip(p, end, '-') || !digits(p, end, 2, 1, lengths[month - 1], &day)) return false;
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  *days = days_since_1970(year, month, day);
  return leap || month != 2 || day < 29;
}

/* Parses the time of the day, in seconds. */
static bool parse_clock(const char **p, const char *end, double *seconds) {
  int hour, minute, second = 0;
  double fraction = 0;
  if (!digits(p, end, 2, 0, 23, &hour) || !skip(p, end, ':') || !digits(p, end, 2, 0, 59, &minute)) return false;
  if (skip(p, end, ':')) {
    if (!digits(p, end, 2, 0, 60, &second)) return false;
    if (skip(p, end, '.')) {
      const char *first = *p;
      for (; *p < end && **p >= '0' && **p <= '9' && *p - first < 15; (*p)++) fraction = fraction * 10 + (**p - '0');
      if (*p == first) return false;
      fraction /= power_of_10[*p - first];
    }
  }
  *seconds = hour * 3600 + minute * 60 + second + fraction;
  return true;
}

/* Parses a time zone, Z, +01:00 or +01, as its distance from UTC in seconds. */
static bool parse_zone(const char **p, const char *end, int *seconds) {
  int hour, minute = 0;
  *seconds = 0;
  if (skip(p, end, 'Z')) return true;
  bool minus = skip(p, end, '-');
  if (!minus && !skip(p, end, '+')) return false;
  if (!digits(p, end, 2, 0, 14, &hour)) return false;
  if (skip(p, end, ':') && !digits(p, end, 2, 0, 59, &minute)) return false;
  *seconds = (hour * 60 + minute) * (minus ? -60 : 60);
  return true;
}

bool csv_time(const csv_field *f, double *seconds) {
  const char *p = f->text, *end = p + f->length;
  int64_t days;
  int zone = 0;
  double clock = 0;
  if (!parse_date(&p, end, &days)) return false;
  if (skip(&p, end, 'T') || skip(&p, end, ' '))
    if (!parse_clock(&p, end, &clock) || (p < end && !parse_zone(&p, end, &zone))) return false;
  *seconds = (double)(days * 86400 - zone) + clock;
  return p == end;
}
