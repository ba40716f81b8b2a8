/* The kernels of lanes.h (many small matrices) for float32. */

#define REAL    float
#define INTEGER int32_t
#define ROOT    sqrtf
#define EPSILON 0x1p-23f
#define LOW     0x1p-40f
#define HIGH    0x1p60f
#define TABLE   lanes_float32_table
#include "cpu/kernels/linalg/lanes.h"
