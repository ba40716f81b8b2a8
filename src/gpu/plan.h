#ifndef LT_GPU_PLAN_H
#define LT_GPU_PLAN_H

/* Plans as kernels read them (kernels/plan.cuh), and numbers as kernel parameters. */

#include "base/calls.h"
#include "gpu/kernels/plan.cuh"

/* Kernels count positions in 31 bits, so a larger plan runs in pieces of at most `most` (PLAN_MOST) elements. The first
** function returns their number, the second one makes the i-th. noperands: the output and the inputs whose strides
** count. */
int64_t gpu_plan_pieces(const plan *p, int64_t most);
void    gpu_plan_piece(gpu_plan *g, const plan *p, int noperands, int64_t most, int64_t i);

/* Exact for every numerator below 2^31. */
gpu_divisor gpu_divide_by(uint32_t d);

/* The number as dtype d: from_word of scalar.cuh. */
gpu_word gpu_number(const scalar *v, enum dtype d);

#endif
