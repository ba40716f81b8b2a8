/* Inner loops of convolutions, float32 (half floats, too). */

#define REAL float
#define TABLE conv_float32_table
#include "cpu/kernels/nn/conv.h"
