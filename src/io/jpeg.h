#ifndef LT_IO_JPEG_H
#define LT_IO_JPEG_H

/* Writes JPEG files by the library TurboJPEG, which is found at run time. */

#include "io/image.h"

enum { JPEG_LONGEST = 65500 };       /* the most pixels of a row or a column that TurboJPEG writes */

/* Returns an upper bound of the size in bytes of an image's file. The form has 1 or 3 channels of uint8. */
size_t jpeg_bound(const image_form *f);

/* Writes a file of quality 1 … 100 to `to`, which has jpeg_bound bytes. *n becomes the size of the file. Returns OK,
** ERR_MEMORY, or IMAGE_BAD; then wrong says why. */
int jpeg_write(const image_form *f, const void *pixels, int quality, unsigned char *to, size_t *n, char wrong[IMAGE_WORDS]);

#endif
