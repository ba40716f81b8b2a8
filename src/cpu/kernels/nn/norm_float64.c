/* The inner loops of normalisation for float64. */

#include "cpu/cpu.h"
#include "cpu/kernels/exponentials.h"

#define T     double
#define WORD  int64_t
#define TABLE norm_float64_table
#include "cpu/kernels/nn/norm.h"
