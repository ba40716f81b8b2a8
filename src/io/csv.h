#ifndef LT_IO_CSV_H
#define LT_IO_CSV_H

/* Reads CSV files: splits rows into fields and parses numbers. */

#include "io/unpack.h"

enum { CSV_STOP = 1, CSV_BLANK };        /* a byte that ends a field; white space, which is removed at both ends */

typedef struct csv_field {
  char  *text;                 /* the field's characters, without a terminating zero */
  size_t length;
  bool   quoted;               /* the field is in quotes */
} csv_field;

typedef struct csv {
  unpack    *from;
  char       delimiter;
  char       comment;          /* lines that begin with this character are skipped; 0: there are none */
  bool       no_quotes;        /* set by csv_ignore_quotes */
  unsigned char kind[256];     /* what each byte means outside of quotes: CSV_STOP, CSV_BLANK, or 0 */
  char      *room;             /* the buffer; room[start … end - 1] are the bytes that were read but not used yet, and
                               ** room[end] is a line end, so that the end of a field is found without comparing
                               ** positions */
  size_t     size, start, end; /* size: the number of bytes in the buffer, without the line end */
  bool       at_end;
  int64_t    line, next_line;  /* the numbers of the lines (from 1) at which this row and the next row begin */
  csv_field *field;            /* the fields of the row that csv_row read last */
  int        nfield, capacity;
} csv;

/* Opens a file. Returns false on failure. Then `wrong` is the reason, or "" if errno has the reason. */
bool csv_open(csv *c, const char *path, char delimiter, char wrong[UNPACK_WORDS]);
void csv_close(csv *c);

/* Makes quotes characters like any other. Must be called before the first row is read. */
void csv_ignore_quotes(csv *c);

/* Skips one line with any content. Sets *there to true, or to false if the file has no more lines. */
bool csv_skip(csv *c, bool *there, char wrong[UNPACK_WORDS]);

/* Reads the next row that is not empty. c->field has the row's fields until the next call, without quotes and
** surrounding white space. Sets *there to true, or to false if the file has no more rows. */
bool csv_row(csv *c, bool *there, char wrong[UNPACK_WORDS]);

/* csv_double and csv_integer set *x to the number in a field. csv_double returns false unless the field is a decimal
** number, nan or inf. csv_integer returns false unless the field is an integer that fits int64. */
bool csv_double(const csv_field *f, double *x);
bool csv_integer(const csv_field *f, int64_t *x);

/* Sets *x to the number in a field with this decimal point, '.' or ','. Otherwise like csv_double. */
bool csv_decimal(const csv_field *f, char point, double *x);

/* Sets *seconds to the time in a field, in seconds since 1970-01-01 in UTC. The time is a date of ISO 8601,
** 2024-02-29, which may be followed by T or a space, the time of the day, 13:45, 13:45:10 or 13:45:10.5, and the time
** zone, Z, +01:00 or +01. Without a zone it is UTC. Returns false for any other field, such as February 30. */
bool csv_time(const csv_field *f, double *seconds);

/* Sets *x to the truth value in a field: true or false, in lower case, upper case, or with an upper-case first letter. */
bool csv_boolean(const csv_field *f, bool *x);

#endif
