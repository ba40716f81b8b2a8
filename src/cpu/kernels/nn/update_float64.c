/* The inner loops of optimisers' updates for float64. */

#define REAL double
#define TABLE update_float64_table
#include "cpu/kernels/nn/update.h"
