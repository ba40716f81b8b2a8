/* Inner loops of optimisers' updates, float32 (half floats, too). */

#define REAL float
#define TABLE update_float32_table
#include "cpu/kernels/nn/update.h"
