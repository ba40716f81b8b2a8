/* Sorts 64-bit keys: compiles the sorting loops for int64_t. */

#define BITS      64
#define KEY       int64_t
#define KEY_LEAST INT64_MIN
#define KEY_MOST  INT64_MAX
#define TABLE     sort_64_table
#include "cpu/kernels/sort_line.h"
