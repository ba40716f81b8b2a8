/* The inner loops of normalisation for float32. Half floats are also computed in float32. */

#include "cpu/cpu.h"
#include "cpu/kernels/exponentials.h"

#define T     float
#define WORD  int32_t
#define TABLE norm_float32_table
#include "cpu/kernels/nn/norm.h"
