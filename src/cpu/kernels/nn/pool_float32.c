/* Inner loops of pooling, float32 (half floats, too). */

#define REAL float
#define WORD int32_t
#define TABLE pool_float32_table
#include "cpu/kernels/nn/pool.h"
