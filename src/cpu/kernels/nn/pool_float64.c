/* The inner loops of pooling for float64. */

#define REAL double
#define WORD int64_t
#define TABLE pool_float64_table
#include "cpu/kernels/nn/pool.h"
