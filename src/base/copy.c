#include "base/copy.h"

void (*copy_by_threads)(void *to, const void *from, size_t bytes);
