/* Normalisation in float32. */

#include "exponentials.h"

#define T     float
#define BITS  int32_t
#define TABLE norm_float32_table
#include "norm.h"
