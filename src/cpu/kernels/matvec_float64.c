/* The kernels of matvec.h (products that use each element of a matrix twice) for float64. */

#define REAL  double
#define TABLE matvec_float64_table
#include "cpu/kernels/matvec.h"
