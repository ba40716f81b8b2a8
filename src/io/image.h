#ifndef LT_IO_IMAGE_H
#define LT_IO_IMAGE_H

/* Images in memory, and the readers of image files. */

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* The form of an image in memory. Its pixels are row-major [height, width, channels], without gaps between rows. */
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

/* ---- reading ---- */

enum { IMAGE_WORDS = 256 };

/* An image file in memory. */
typedef struct image_file {
  const unsigned char *bytes;
  size_t     n;
  image_form form;
  double     scratch;          /* bytes of memory that reading takes besides the file and the pixels; not all of them are
                               ** the `scratch` of the function `read` */
  size_t     buffer;           /* bytes of `scratch` */
  char       wrong[IMAGE_WORDS];       /* the reason why `open` failed, or why `read` returned IMAGE_BAD */
  int        kind, depth;              /* the format's own: a kind of pixels, bits of a sample or its largest value */
  bool       interlaced;
  size_t     start;                    /* position of the pixels in the file */
  const unsigned char *palette, *transparent;
  int        colours, transparents;    /* entries of the palette, and bytes of `transparent` */
} image_file;

enum { IMAGE_BAD = -1 };

typedef struct image_format {
  const char *name;
  bool (*begins)(const unsigned char *bytes, size_t n);        /* true if a file begins like this format */
  /* Reads the header, and compares the sizes that it names with the length of the file. Sets the form. Returns false for
  ** a file that cannot be read. Takes no memory that depends on the file. */
  bool (*open)(image_file *f);
  /* Writes the pixels. buffer: f->buffer bytes. Returns OK, ERR_MEMORY, ERR_CANCELLED or IMAGE_BAD. */
  int  (*read)(image_file *f, void *pixels, unsigned char *buffer);
} image_format;

extern const image_format png_format, jpeg_format, netpbm_format;

/* Stores the words, which are formatted like those of printf, and returns false. */
bool image_wrong(image_file *f, const char *words, ...) __attribute__((format(printf, 2, 3)));

/* Stores the words and returns IMAGE_BAD. */
static inline int image_bad(image_file *f, const char *words) {
  image_wrong(f, "%s", words);
  return IMAGE_BAD;
}

/* Returns a 32-bit number, stored with its highest byte first. */
static inline uint32_t image_number(const unsigned char *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Converts pixels of form f to so many channels, in place. Gray is (19595 R + 38470 G + 7471 B) / 65536, rounded. A missing
** alpha is opaque, and a surplus alpha is left out. `pixels` has room for the larger of the two images. */
void image_convert(image_form *f, int channels, void *pixels);

#endif
