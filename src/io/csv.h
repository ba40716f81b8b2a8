#ifndef LT_IO_CSV_H
#define LT_IO_CSV_H

/* Rows of separated fields: from text to fields and numbers. */

#include "io/unpack.h"

typedef struct csv_field {
  char  *text;                 /* not terminated by a zero */
  size_t length;
  bool   quoted;
} csv_field;

typedef struct csv {
  unpack    *from;
  char       delimiter;
  char      *room;             /* bytes that were read and not taken yet: room[start … end - 1] */
  size_t     size, start, end;
  bool       at_end;
  int64_t    line, next_line;  /* the lines at which this row and the next one begin, from 1 */
  csv_field *field;            /* the fields of the row */
  int        nfield, capacity;
} csv;

/* False: `wrong` has the reason, or is "" if errno has it. */
bool csv_open(csv *c, const char *path, char delimiter, char wrong[UNPACK_WORDS]);
void csv_close(csv *c);

/* Skips a line, whatever it contains. *there: false at the end. */
bool csv_skip(csv *c, bool *there, char wrong[UNPACK_WORDS]);

/* Reads the next row that is not empty. The fields are in c->field until the next call, without quotes and surrounding
** white space. */
bool csv_row(csv *c, bool *there, char wrong[UNPACK_WORDS]);

/* False if the field is no decimal number (or nan, inf), or no integer that an int64 can hold. */
bool csv_double(const csv_field *f, double *x);
bool csv_integer(const csv_field *f, int64_t *x);

#endif
