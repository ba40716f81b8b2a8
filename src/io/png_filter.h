#ifndef LT_IO_PNG_FILTER_H
#define LT_IO_PNG_FILTER_H

/* Parts of the PNG format that its reader and its writer share. */

#include <stdlib.h>

#define PNG_MAGIC "\x89PNG\r\n\x1a\n"

enum { PNG_MARGIN = 8 };       /* zeros before a row, for the samples to the left of its first pixel: the most bytes of a
                               ** pixel */

/* Returns the value of left, up and corner (to the left of up) that is nearest to left + up - corner. */
static inline int png_paeth(int left, int up, int corner) {
  int a = abs(up - corner), b = abs(left - corner), c = abs(left + up - 2 * corner);
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

#endif
