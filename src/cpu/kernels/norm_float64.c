/* Normalisation in float64. */

#include "exponentials.h"

#define T     double
#define BITS  int64_t
#define TABLE norm_float64_table
#include "norm.h"
