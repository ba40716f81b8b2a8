/* The kernels of small.h (small matrices) for complex64. */

#define T       complex64_t
#define REAL    float
#define COMPLEX 1
#define TABLE   linalg_complex64_table
#include "cpu/kernels/linalg/small.h"
