#ifndef LT_GPU_PLAN_H
#define LT_GPU_PLAN_H

/* Plans and numbers in the form that kernels take (kernels/plan.cuh). */

#include "base/calls.h"
#include "gpu/kernels/plan.cuh"

/* Kernels count positions in 31 bits, so a larger plan runs in pieces of at most `most` elements, where `most` is at
** most PLAN_MOST. gpu_plan_pieces returns the number of pieces, gpu_plan_piece makes piece i. noperands: the output and
** the inputs with strides. */
int64_t gpu_plan_pieces(const plan *p, int64_t most);
void    gpu_plan_piece(gpu_plan *g, const plan *p, int noperands, int64_t most, int64_t i);

/* Returns a divisor that is exact for every numerator below 2^31. */
gpu_divisor gpu_divide_by(uint32_t d);

/* Converts the number to dtype d, for from_word of scalar.cuh. */
gpu_word gpu_number(const scalar *v, enum dtype d);

#endif
