#ifndef LT_IO_CSV_H
#define LT_IO_CSV_H

/* Rows of separated fields: splits text into fields and parses numbers. */

#include "io/unpack.h"

typedef struct csv_field {
  char  *text;                 /* not terminated by a zero */
  size_t length;
  bool   quoted;
} csv_field;

typedef struct csv {
  unpack    *from;
  char       delimiter;
  char      *room;             /* bytes that were read but not used yet: room[start … end - 1] */
  size_t     size, start, end;
  bool       at_end;
  int64_t    line, next_line;  /* the lines at which this row and the next one begin, from 1 */
  csv_field *field;            /* the fields of the row */
  int        nfield, capacity;
} csv;

/* Opens a file. Returns false on failure; then `wrong` has the reason, or is "" if errno has it. */
bool csv_open(csv *c, const char *path, char delimiter, char wrong[UNPACK_WORDS]);
void csv_close(csv *c);

/* Skips a line, whatever it contains. *there becomes false at the end of the file. */
bool csv_skip(csv *c, bool *there, char wrong[UNPACK_WORDS]);

/* Reads the next row that is not empty. The fields are in c->field until the next call, without quotes and surrounding
** white space. *there becomes false at the end of the file. */
bool csv_row(csv *c, bool *there, char wrong[UNPACK_WORDS]);

/* Parse a field. csv_double returns false unless the field is a decimal number, nan or inf; csv_integer returns false
** unless the field is an integer that fits int64. */
bool csv_double(const csv_field *f, double *x);
bool csv_integer(const csv_field *f, int64_t *x);

#endif
