/* Products that use each element of a matrix twice, float64. */

#define REAL  double
#define TABLE matvec_float64_table
#include "cpu/kernels/matvec.h"
