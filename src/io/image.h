#ifndef LT_IO_IMAGE_H
#define LT_IO_IMAGE_H

/* The form of an image in memory. Its pixels are row-major [height, width, channels], without gaps between rows. */

#include <stdint.h>

#include "base/status.h"

typedef struct image_form {
  int64_t width, height;
  int     channels;            /* 1: gray, 2: gray and alpha, 3: RGB, 4: RGB and alpha */
  int     size;                /* bytes of a sample: 1 (uint8) or 2 (uint16) */
} image_form;

/* Returns the number of bytes of a row, and of the whole image. */
static inline size_t image_row(const image_form *f) {
  return (size_t)f->width * (size_t)f->channels * (size_t)f->size;
}
static inline size_t image_bytes(const image_form *f) { return (size_t)f->height * image_row(f); }

#endif
