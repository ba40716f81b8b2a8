/* The inner loops of convolutions for float64. */

#define REAL double
#define TABLE conv_float64_table
#include "cpu/kernels/nn/conv.h"
