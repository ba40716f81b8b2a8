#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>

void index_words(char *text, size_t size, const char *function, int64_t value, int dim, int64_t length) {
  const char *sep = *function ? ": " : "";
  if (dim == NO_DIM)
    snprintf(text, size, "%s: class %" PRId64 " is out of range: classes are 1 … %" PRId64, function, value, length);
  else if (value == 0)
    snprintf(text, size, "%s%sindex 0 in dim %d: Lua tensors start at 1%s", function, sep, dim + 1,
             *function ? "" : "; a mask is a tensor of bool");
  else snprintf(text, size, "%s%sindex %" PRId64 " in dim %d: out of range for length %" PRId64, function, sep, value, dim + 1, length);
}
