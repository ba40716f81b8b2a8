/* The kernels of small.h (small matrices) for float64. */

#define T       double
#define REAL    double
#define COMPLEX 0
#define TABLE   linalg_float64_table
#include "cpu/kernels/linalg/small.h"
