/* The inner loops of normalisation for float32, in which half floats are computed, too. */

#include "cpu/cpu.h"
#include "cpu/kernels/exponentials.h"

#define T     float
#define WORD  int32_t
#define TABLE norm_float32_table
#include "cpu/kernels/nn/norm.h"
