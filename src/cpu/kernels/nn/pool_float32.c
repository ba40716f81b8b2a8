/* The inner loops of pooling for float32, in which half floats are computed, too. */

#define REAL float
#define WORD int32_t
#define TABLE pool_float32_table
#include "cpu/kernels/nn/pool.h"
