/* The inner loops of pooling for float32. Half floats are also computed in float32. */

#define REAL float
#define WORD int32_t
#define TABLE pool_float32_table
#include "cpu/kernels/nn/pool.h"
