#ifndef LT_IO_NPY_H
#define LT_IO_NPY_H

/* The header of NumPy's .npy files, versions 1 to 3: conversion between text and integers, without files. */

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

/* Reads the first n (at most NPY_PREAMBLE) bytes of a file: the start of the header's text, and its length. Returns
** NULL, or the error. */
const char *npy_preamble(const unsigned char *bytes, size_t n, size_t *start, size_t *length);

/* Parses the header's text. Returns NULL, or the error. */
const char *npy_parse(const char *text, size_t length, npy_header *h);

/* Writes preamble and text for a row-major array into `to`, of at least NPY_WRITTEN bytes. Returns the number of bytes;
** 0: NumPy lacks the dtype. */
enum { NPY_WRITTEN = 512 };
size_t npy_write(char *to, enum dtype d, const shape *s);

#endif
