/* The kernels of small.h (small matrices) for complex128. */

#define T       complex128_t
#define REAL    double
#define COMPLEX 1
#define TABLE   linalg_complex128_table
#include "cpu/kernels/linalg/small.h"
