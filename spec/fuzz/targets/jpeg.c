/* libFuzzer's target for JPEG files, which TurboJPEG reads. */

#include "images.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n) {
  images_try(&jpeg_format, data, n);
  return 0;
}
