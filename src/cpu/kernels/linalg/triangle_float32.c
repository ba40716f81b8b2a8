/* The kernels of triangle.h (substitution in small triangles) for float32. */

#define REAL  float
#define TABLE triangle_float32_table
#include "cpu/kernels/linalg/triangle.h"
