/* The inner loops of recurrent cells for float32. */

#define REAL float
#define TABLE cell_float32_table
#include "cpu/kernels/nn/cell.h"
