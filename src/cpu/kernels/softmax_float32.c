/* The inner loops of the softmax family for float32. Half floats are also computed in float32. */

#define REAL float
#define TABLE softmax_float32_table
#include "cpu/kernels/softmax.h"
