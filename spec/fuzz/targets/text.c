/* libFuzzer's target for texts of numbers and sizes, such as LUATENSOR_MEMORY_LIMIT. */

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n) {
  char *text = malloc(n + 1), *end;              /* exactly this size, so that a read beyond the end is detected */
  size_t bytes = 0;
  if (!text) return 0;
  memcpy(text, data, n);
  text[n] = 0;
  double x = text_number(text, &end);
  if (end < text || end > text + n || (end == text && (x < 0 || x > 0))) abort();
  if (text_bytes(text, &bytes) != (bytes > 0)) abort();
  free(text);
  return 0;
}
