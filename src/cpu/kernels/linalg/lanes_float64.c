/* The kernels of lanes.h (many small matrices) for float64. */

#define REAL    double
#define INTEGER int64_t
#define ROOT    sqrt
#define EPSILON 0x1p-52
#define LOW     0x1p-400
#define HIGH    0x1p500
#define TABLE   lanes_float64_table
#include "cpu/kernels/linalg/lanes.h"
