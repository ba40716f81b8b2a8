/* The kernels of sort_line.h (sorting lines of keys) for 32-bit keys. */

#define BITS      32
#define KEY       int32_t
#define KEY_LEAST INT32_MIN
#define KEY_MOST  INT32_MAX
#define TABLE     sort_32_table
#include "cpu/kernels/sort_line.h"
