/* Inner loops of the softmax family, float32 (half floats, too). */

#define REAL float
#define TABLE softmax_float32_table
#include "cpu/kernels/softmax.h"
