/* The inner loops of optimisers' updates for float32. Half floats are also computed in float32. */

#define REAL float
#define TABLE update_float32_table
#include "cpu/kernels/nn/update.h"
