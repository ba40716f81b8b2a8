#ifndef LT_IO_CSV_H
#define LT_IO_CSV_H

/* Rows of separated fields: text in, fields and numbers out. */

#include "io/unpack.h"

typedef struct csv_field {
  char  *text;                 /* not ended by a zero */
  size_t length;
  bool   quoted;
} csv_field;

typedef struct csv {
  unpack    *from;
  char       delimiter;
  char      *room;             /* the rows that were read and not taken yet: room[start … end - 1] */
  size_t     size, start, end;
  bool       at_end;
  int64_t    line, next_line;  /* where the row began, and the next one will; from 1 */
  csv_field *field;            /* of the row */
  int        nfield, capacity;
} csv;

/* False: `wrong` says why, "" where errno does. */
bool csv_open(csv *c, const char *path, char delimiter, char wrong[UNPACK_WORDS]);
void csv_close(csv *c);

/* Leaves out a line, whatever stands there. *there: false at the end. */
bool csv_skip(csv *c, bool *there, char wrong[UNPACK_WORDS]);

/* The next row that is not empty. Fields lie in c->field until the next call; quotes and white space around them are
** taken off. */
bool csv_row(csv *c, bool *there, char wrong[UNPACK_WORDS]);

/* False: no decimal number (or nan, inf), or no integer that an int64 holds. */
bool csv_double(const csv_field *f, double *x);
bool csv_integer(const csv_field *f, int64_t *x);

#endif
