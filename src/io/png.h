#ifndef LT_IO_PNG_H
#define LT_IO_PNG_H

/* Writes images in the PNG format (ISO/IEC 15948). */

#include "io/image.h"

/* Returns an upper bound of the size in bytes of an image's file. */
size_t png_bound(const image_form *f);

/* Writes a file to `to`, which has png_bound bytes. *n becomes the size of the file. scratch: png_scratch bytes. Returns
** OK, ERR_MEMORY, or ERR_CANCELLED. */
size_t png_scratch(const image_form *f);
int png_write(const image_form *f, const void *pixels, unsigned char *to, size_t *n, unsigned char *scratch);

#endif
