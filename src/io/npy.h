#ifndef LT_IO_NPY_H
#define LT_IO_NPY_H

/* Parses and formats the headers of NumPy's .npy files, versions 1 to 3. The callers read and write the files. */

#include "base/shape.h"

enum {
  NPY_FIRST      = 10,         /* the size in bytes of the part of the preamble that all versions have */
  NPY_PREAMBLE   = 12,         /* the size in bytes of magic, version and header length: 10 in version 1, 12 in
                               ** versions 2 and 3 */
  NPY_MAX_HEADER = 1 << 20     /* the maximum size of a header in bytes; NPY_WRITTEN bytes are enough for 16 dims */
};

typedef struct npy_header {
  enum dtype dtype;
  shape      shape;
  bool       fortran;          /* true: column-major, so that the first dim varies fastest */
  bool       swapped;          /* true: elements have the opposite of this machine's byte order */
  char       descr[16];        /* NumPy's name of the dtype if luatensor does not support the dtype, else "" */
} npy_header;

/* Reads the preamble from the first n bytes of a file (at most NPY_PREAMBLE). Sets *start to the position of the
** header's text in the file and *length to the text's length, both in bytes. Returns NULL, or the error message. */
const char *npy_preamble(const unsigned char *bytes, size_t n, size_t *start, size_t *length);

/* Parses the header's text. Returns NULL, or the error message. */
const char *npy_parse(const char *text, size_t length, npy_header *h);

/* Writes preamble and header of a row-major array to `to`, which has at least NPY_WRITTEN bytes. Returns the number
** of bytes written, or 0 if NumPy does not have the dtype. */
enum { NPY_WRITTEN = 512 };
size_t npy_write(char *to, enum dtype d, const shape *s);

#endif
