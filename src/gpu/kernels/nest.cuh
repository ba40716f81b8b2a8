#ifndef LT_GPU_KERNELS_NEST_CUH
#define LT_GPU_KERNELS_NEST_CUH

/* Loop nests with one or two operands, for kernels. A gpu_nest is smaller than a gpu_plan and may have more than 2^31
** positions. gpu/reduce.c fills the struct, and kernels read it. */

#include "gpu/kernels/plan.cuh"

typedef struct gpu_nest {
  int32_t     ndim, wide;                      /* wide: true if positions need more than 31 bits */
  gpu_divisor divisor[PLAN_DIMS];
  int64_t     length[PLAN_DIMS], stride[2][PLAN_DIMS];
} gpu_nest;

#if LT_ON_GPU

/* Returns the offset, in elements, of position i (row-major) in operand k. */
INLINE int64_t nest_offset(const gpu_nest &p, int k, int64_t i) {
  int64_t offset = 0;
#pragma unroll 1
  for (int d = p.ndim - 1; d > 0; d--) {
    int64_t rest = p.wide ? i / p.length[d] : (int64_t)divide((uint32_t)i, p.divisor[d]);
    offset += (i - rest * p.length[d]) * p.stride[k][d];
    i = rest;
  }
  return offset + i * p.stride[k][0];
}

#endif

#endif
