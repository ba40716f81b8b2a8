/* The inner loops of attention for float64. */

#define REAL double
#define TABLE attention_float64_table
#include "cpu/kernels/nn/attention.h"
