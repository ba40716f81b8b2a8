/* The kernels of triangle.h (substitution in small triangles) for float64. */

#define REAL  double
#define TABLE triangle_float64_table
#include "cpu/kernels/linalg/triangle.h"
