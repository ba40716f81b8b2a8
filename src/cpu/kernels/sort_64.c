/* The kernels of sort_line.h (sorting lines of keys) for 64-bit keys. */

#define BITS      64
#define KEY       int64_t
#define KEY_LEAST INT64_MIN
#define KEY_MOST  INT64_MAX
#define TABLE     sort_64_table
#include "cpu/kernels/sort_line.h"
