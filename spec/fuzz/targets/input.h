#ifndef LT_FUZZ_INPUT_H
#define LT_FUZZ_INPUT_H

/* Provides a fuzzer's input as a file, for readers that take a path. */

#include <stddef.h>

enum { INPUT_PATH = 32 };

/* Stores in `path` the path of a file in memory that holds these bytes. There is only one such file; each call
** overwrites it. */
void input_path(const unsigned char *data, size_t n, char path[INPUT_PATH]);

#endif
