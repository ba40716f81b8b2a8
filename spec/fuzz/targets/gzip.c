/* libFuzzer's target for files that may be packed by gzip. The first byte determines the number of bytes to read
** at a time, a power of two. */

#include <stdlib.h>

#include "input.h"
#include "io/unpack.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n) {
  enum { MOST = 1 << 20 };                       /* limit of unpacked bytes, because zip bombs would take too long */
  char wrong[UNPACK_WORDS], path[INPUT_PATH];
  if (n == 0) return 0;
  size_t piece = (size_t)1 << data[0] % 18, got = piece, all = 0;
  input_path(data + 1, n - 1, path);
  unpack *u = unpack_open(path, wrong);
  char *to = malloc(piece);
  while (u && to && got == piece && all < MOST) {
    if (!unpack_read(u, to, piece, &got, wrong)) break;
    all += got;
    if (all > (size_t)unpack_most(u)) abort();   /* the bound by which readers allocate */
  }
  free(to);
  unpack_close(u);
  return 0;
}
