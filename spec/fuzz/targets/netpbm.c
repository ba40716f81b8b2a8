/* libFuzzer's target for Netpbm files. */

#include "images.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n) {
  images_try(&netpbm_format, data, n);
  return 0;
}
