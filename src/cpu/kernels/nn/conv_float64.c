/* Inner loops of convolutions, float64. */

#define REAL double
#define TABLE conv_float64_table
#include "cpu/kernels/nn/conv.h"
