#ifndef LT_IO_NPY_H
#define LT_IO_NPY_H

/* The header of NumPy's .npy files, versions 1 to 3: text to integers and back, no files. */

#include "base/shape.h"

enum {
  NPY_PREAMBLE   = 12,         /* magic, version, header length: 10 bytes in version 1, 12 later */
  NPY_MAX_HEADER = 1 << 20     /* of any array; far more than 16 dims need */
};

typedef struct npy_header {
  enum dtype dtype;
  shape      shape;
  bool       fortran;          /* first dim varies fastest */
  bool       swapped;          /* elements have the other byte order */
  char       descr[16];        /* NumPy's name of a dtype that is not supported, else "" */
} npy_header;

/* The first n (at most NPY_PREAMBLE) bytes of a file: where the header's text starts, and its length.
** NULL, or what is wrong. */
const char *npy_preamble(const unsigned char *bytes, size_t n, size_t *start, size_t *length);

/* The header's text. NULL, or what is wrong. */
const char *npy_parse(const char *text, size_t length, npy_header *h);

/* Preamble and text for a row-major array into `to`, of at least NPY_WRITTEN bytes; returns how many.
** 0: NumPy has no such dtype. */
enum { NPY_WRITTEN = 512 };
size_t npy_write(char *to, enum dtype d, const shape *s);

#endif
