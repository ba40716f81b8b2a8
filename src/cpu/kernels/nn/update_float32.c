/* The inner loops of optimisers' updates for float32, in which half floats are computed, too. */

#define REAL float
#define TABLE update_float32_table
#include "cpu/kernels/nn/update.h"
