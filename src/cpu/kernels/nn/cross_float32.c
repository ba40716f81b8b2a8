/* Inner loops of cross entropy, float32 (half floats, too). */

#define REAL float
#define TABLE cross_float32_table
#include "cpu/kernels/nn/cross.h"
