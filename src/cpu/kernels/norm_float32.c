/* Normalisation in float32. */

#include "../cpu.h"
#include "exponentials.h"

#define T     float
#define WORD  int32_t
#define TABLE norm_float32_table
#include "norm.h"
