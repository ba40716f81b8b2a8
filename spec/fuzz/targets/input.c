#define _GNU_SOURCE
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void input_path(const unsigned char *data, size_t n, char path[INPUT_PATH]) {
  static int file = -1;
  if (file < 0) file = memfd_create("input", 0);
  if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, n, 0) != (ssize_t)n) abort();
  snprintf(path, INPUT_PATH, "/proc/self/fd/%d", file);
}
