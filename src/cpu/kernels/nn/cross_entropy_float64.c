/* The inner loops of cross entropy for float64. */

#define REAL double
#define TABLE cross_entropy_float64_table
#include "cpu/kernels/nn/cross_entropy.h"
