#ifndef LT_OP_RANDOM_H
#define LT_OP_RANDOM_H

/* Random fills: the counter of a generator moves on by what a fill uses. Never a Lua error. */

#include "tensor.h"

typedef struct generator {
  uint64_t seed, offset;      /* Philox key; the next unused counter */
} generator;

/* What to draw; a, b: uniform [a, b), normal mean and standard deviation; low, range: integers
** low … low + range - 1, range 0 all 2^64. */
typedef struct random_job {
  enum random_op op;
  double   a, b;
  int64_t  low;
  uint64_t range;
} random_job;

/* Fills `out` (any strides). ERR_DTYPE: floats into integers or bool; ERR_READONLY ERR_MEMORY ERR_NO_KERNEL. */
int random_run(const random_job *j, generator *g, tensor *out);

#endif
