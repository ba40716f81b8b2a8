/* The inner loops of convolutions for float32. Half floats are also computed in float32. */

#define REAL float
#define TABLE conv_float32_table
#include "cpu/kernels/nn/conv.h"
