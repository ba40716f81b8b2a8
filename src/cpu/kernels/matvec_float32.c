/* The kernels of matvec.h (products that use each element of a matrix twice) for float32. */

#define REAL  float
#define TABLE matvec_float32_table
#include "cpu/kernels/matvec.h"
