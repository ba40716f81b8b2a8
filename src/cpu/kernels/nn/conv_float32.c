/* The inner loops of convolutions for float32, in which half floats are computed, too. */

#define REAL float
#define TABLE conv_float32_table
#include "cpu/kernels/nn/conv.h"
