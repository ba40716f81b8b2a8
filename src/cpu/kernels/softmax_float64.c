/* The inner loops of the softmax family for float64. */

#define REAL double
#define TABLE softmax_float64_table
#include "cpu/kernels/softmax.h"
