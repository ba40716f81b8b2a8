/* libFuzzer's target for PNG files. Nearly no changed file has right checksums, so the target corrects them, unless the
** last byte is odd. */

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "images.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

static void correct(unsigned char *bytes, size_t n) {
  for (size_t at = 8; at + 12 <= n;) {
    size_t length = image_number(bytes + at);
    if (length > n - at - 12) return;
    uint32_t sum = (uint32_t)crc32(0, bytes + at + 4, (uInt)(length + 4));
    for (int k = 0; k < 4; k++) bytes[at + 8 + length + (size_t)k] = (unsigned char)(sum >> (24 - 8 * k));
    at += 12 + length;
  }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n) {
  unsigned char *bytes = malloc(n + 1);
  if (!bytes) return 0;
  if (n > 0) memcpy(bytes, data, n);
  if (n > 0 && data[n - 1] % 2 == 0) correct(bytes, n);
  images_try(&png_format, bytes, n);
  free(bytes);
  return 0;
}
