/* The kernels of small.h (small matrices) for float32. */

#define T       float
#define REAL    float
#define COMPLEX 0
#define TABLE   linalg_float32_table
#include "cpu/kernels/linalg/small.h"
