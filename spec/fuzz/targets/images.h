#ifndef LT_FUZZ_IMAGES_H
#define LT_FUZZ_IMAGES_H

/* Reads a fuzzer's input as an image. */

#include "io/image.h"

/* Reads n bytes as a file of a format, into memory of exactly the size that the file's header demands, and converts the
** pixels to other channels. Images that take more than 4 MiB are only opened, because they would take too long. */
void images_try(const image_format *format, const unsigned char *data, size_t n);

#endif
