/* Substitution in small triangles, float64. */

#define REAL  double
#define TABLE triangle_float64_table
#include "cpu/kernels/linalg/triangle.h"
