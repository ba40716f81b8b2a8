/* Normalisation in float64. */

#include "../cpu.h"
#include "exponentials.h"

#define T     double
#define WORD  int64_t
#define TABLE norm_float64_table
#include "norm.h"
