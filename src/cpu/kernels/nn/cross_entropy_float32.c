/* The inner loops of cross entropy for float32. Half floats are also computed in float32. */

#define REAL float
#define TABLE cross_entropy_float32_table
#include "cpu/kernels/nn/cross_entropy.h"
