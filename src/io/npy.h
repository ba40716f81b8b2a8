#ifndef LT_IO_NPY_H
#define LT_IO_NPY_H

/* The header of NumPy's .npy files, versions 1 to 3: converts between text and integers, without accessing files. */

#include "base/shape.h"

enum {
  NPY_PREAMBLE   = 12,         /* magic, version, header length: 10 bytes in version 1, 12 later */
  NPY_MAX_HEADER = 1 << 20     /* the longest header; 16 dims need far less */
};

typedef struct npy_header {
  enum dtype dtype;
  shape      shape;
  bool       fortran;          /* the first dim varies fastest */
  bool       swapped;          /* elements have the other byte order */
  char       descr[16];        /* NumPy's name of an unsupported dtype, else "" */
} npy_header;

/* Reads the first n bytes of a file (at most NPY_PREAMBLE): where the header's text begins, and its length. Returns
** NULL, or the error message. */
const char *npy_preamble(const unsigned char *bytes, size_t n, size_t *start, size_t *length);

/* Parses the header's text. Returns NULL, or the error message. */
const char *npy_parse(const char *text, size_t length, npy_header *h);

/* Writes preamble and text for a row-major array to `to`, which has at least NPY_WRITTEN bytes. Returns the number of
** bytes, or 0 if NumPy has no such dtype. */
enum { NPY_WRITTEN = 512 };
size_t npy_write(char *to, enum dtype d, const shape *s);

#endif
