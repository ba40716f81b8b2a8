/* The inner loops of recurrent cells for float64. */

#define REAL double
#define TABLE cell_float64_table
#include "cpu/kernels/nn/cell.h"
