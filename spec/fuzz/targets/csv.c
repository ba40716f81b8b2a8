/* libFuzzer's target for separated values: rows, fields, numbers. The first byte chooses the delimiter, the number
** of skipped lines and the character of comments. */

#include <math.h>
#include <stdlib.h>

#include "io/csv.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

/* Checks that a field that is read as an integer has the same value as a double, and that times are in the years 0 to
** 9999 and zones differ by at most 15 hours. */
static void check(const csv_field *f) {
  double x;
  int64_t i;
  bool b;
  if (csv_time(f, &x) && !(x > -62135596800.0 - 54000 && x < 253402300800.0 + 54001)) abort();
  csv_boolean(f, &b);
  csv_decimal(f, ',', &x);
  bool number = csv_double(f, &x), integer = csv_integer(f, &i);
  if (integer && (!number || fabs(x - (double)i) > 0)) abort();
}

static void read_rows(csv *c) {
  char wrong[UNPACK_WORDS];
  bool there = true;
  while (csv_row(c, &there, wrong) && there)
    for (int i = 0; i < c->nfield; i++) check(&c->field[i]);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n) {
  static const char delimiters[] = ",;\t |:";
  char wrong[UNPACK_WORDS], path[INPUT_PATH];
  csv c;
  if (n == 0) return 0;
  input_path(data + 1, n - 1, path);
  if (csv_open(&c, path, delimiters[data[0] % 6], wrong)) {
    bool there = true;
    c.comment = data[0] / 18 % 2 ? '#' : 0;
    for (int i = data[0] / 6 % 3; i > 0 && there; i--)
      if (!csv_skip(&c, &there, wrong)) break;
    read_rows(&c);
  }
  csv_close(&c);
  return 0;
}
