/* Compiles the radix sort of radix_sort.h for 64-bit keys. */

#define KEY  int64_t
#define WORD uint64_t
#define SORT radix_sort_64
#include "cpu/radix_sort.h"
