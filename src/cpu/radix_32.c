/* Compiles the radix sort of radix_sort.h for 32-bit keys. */

#define KEY  int32_t
#define WORD uint32_t
#define SORT radix_sort_32
#include "cpu/radix_sort.h"
