#ifndef LT_GPU_PLAN_H
#define LT_GPU_PLAN_H

/* Converts plans and numbers to the structs that kernels receive (kernels/plan.cuh). */

#include "base/calls.h"
#include "gpu/kernels/plan.cuh"

/* Kernels count positions in 31 bits, so a larger plan is run in pieces of at most `most` <= PLAN_MOST elements.
** gpu_plan_pieces returns the number of pieces, and gpu_plan_piece makes piece i. noperands is the number of operands
** with strides, including the output. */
int64_t gpu_plan_pieces(const plan *p, int64_t most);
void    gpu_plan_piece(gpu_plan *g, const plan *p, int noperands, int64_t most, int64_t i);

/* Returns a divisor for division by d. The division is exact for every numerator below 2^31. */
gpu_divisor gpu_divide_by(uint32_t d);

/* Returns the bits of v converted to dtype d. Kernels read them by from_word (kernels/functors.cuh). */
gpu_word gpu_number(const scalar *v, enum dtype d);

#endif
