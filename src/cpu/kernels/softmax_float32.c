/* The inner loops of the softmax family for float32, in which half floats are computed, too. */

#define REAL float
#define TABLE softmax_float32_table
#include "cpu/kernels/softmax.h"
