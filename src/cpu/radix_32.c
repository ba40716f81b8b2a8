/* Radix sort of keys of 32 bits. */

#define KEY  int32_t
#define WORD uint32_t
#define SORT radix_sort_32
#include "cpu/radix_sort.h"
