#ifndef LT_GPU_KERNELS_PLAN_CUH
#define LT_GPU_KERNELS_PLAN_CUH

/* A plan is a loop nest over the elements of several operands with different strides. gpu/plan.c makes a plan on the
** host, and device code computes the offsets of elements from the plan. Positions have 32 bits, and offsets have 64
** bits. The host cuts a plan with more than PLAN_MOST positions into pieces. */

#include "base/dtype.h"
#include "math/base.h"

enum { PLAN_DIMS = 16, PLAN_OPERANDS = 12, PLAN_MOST = 0x7fffffff };

/* A divisor d. For n < 2^31, n / d is computed as (n * magic / 2^32 + n) >> shift. */
typedef struct gpu_divisor { uint32_t magic, shift, d; } gpu_divisor;

typedef struct gpu_plan {
  int32_t     ndim;
  uint32_t    count;
  int64_t     base[PLAN_OPERANDS];                  /* for each operand: the offset, in elements, of its first element
                                                    ** in the piece */
  gpu_divisor shape[PLAN_DIMS];
  int64_t     stride[PLAN_DIMS][PLAN_OPERANDS];
} gpu_plan;

/* The bits of a number of any dtype. Only complex128 uses `high`. */
typedef struct gpu_word { uint64_t low, high; } gpu_word;

#if LT_ON_GPU

INLINE uint32_t divide(uint32_t n, const gpu_divisor &by) { return (__umulhi(n, by.magic) + n) >> by.shift; }

/* Sets offset[k] to the offset, in elements, of position i (row-major) in operand k, for the operands 0 … N - 1. */
template <int N> INLINE void plan_offsets(const gpu_plan &p, uint32_t i, int64_t (&offset)[N]) {
#pragma unroll
  for (int k = 0; k < N; k++) offset[k] = p.base[k];
#pragma unroll 1
  for (int d = p.ndim - 1; d > 0; d--) {
    uint32_t rest = divide(i, p.shape[d]), at = i - rest * p.shape[d].d;
#pragma unroll
    for (int k = 0; k < N; k++) offset[k] += at * p.stride[d][k];
    i = rest;
  }
#pragma unroll
  for (int k = 0; k < N; k++) offset[k] += i * p.stride[0][k];
}

#endif

#endif
