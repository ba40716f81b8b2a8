/* The inner loops of cross entropy for float32, in which half floats are computed, too. */

#define REAL float
#define TABLE cross_entropy_float32_table
#include "cpu/kernels/nn/cross_entropy.h"
