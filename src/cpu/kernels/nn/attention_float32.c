/* The inner loops of attention for float32. */

#define REAL float
#define TABLE attention_float32_table
#include "cpu/kernels/nn/attention.h"
