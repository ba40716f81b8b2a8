/* Inner loops of cross entropy, float32 (half floats, too). */

#define REAL float
#define TABLE cross_entropy_float32_table
#include "cpu/kernels/nn/cross_entropy.h"
