/* libFuzzer's target for the header of .npy files: a preamble and a text. */

#include <stdlib.h>
#include <string.h>

#include "io/npy.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

/* Checks an accepted header: the dtype is known, and the sizes of the shape do not overflow. */
static void check(const npy_header *h) {
  int64_t count;
  if (h->dtype < 0 || h->dtype >= DTYPE_COUNT || h->shape.ndim < 0 || h->shape.ndim > MAX_DIMS) abort();
  for (int d = 0; d < h->shape.ndim; d++)
    if (h->shape.dim[d] < 0) abort();
  if (shape_count(&h->shape, dtype_size(h->dtype), &count) == OK && count < 0) abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n) {
  npy_header h;
  size_t start, length;
  if (npy_preamble(data, n < NPY_PREAMBLE ? n : NPY_PREAMBLE, &start, &length) || start + length > n) return 0;
  char *text = malloc(length + 1);               /* exactly this size, so that a read beyond the end is detected */
  if (!text) return 0;
  memcpy(text, data + start, length);
  if (!npy_parse(text, length, &h)) check(&h);
  free(text);
  return 0;
}
