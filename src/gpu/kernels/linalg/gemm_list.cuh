/* Lists the addresses of a batch's matrices, for products of the vendor's library whose batch has several dims. SIZE is
** the number of bytes of an element. */

#define KERNEL_THREADS GEMM_LIST_THREADS

#include "gpu/kernels/linalg/gemm_args.h"
#include "gpu/kernels/plan.cuh"
#include "gpu/kernels/prelude.cuh"

/* Writes the addresses of all c, then of all a, then of all b. The operands of the plan are c, a and b. */
KERNEL(gemm_list)(uint64_t *list, uint64_t c, uint64_t a, uint64_t b, gpu_plan plan) {
  const uint32_t i = (uint32_t)grid_thread();
  if (i >= plan.count) return;
  int64_t offset[3];
  plan_offsets(plan, i, offset);
  list[i] = c + (uint64_t)(offset[0] * SIZE);
  list[plan.count + i] = a + (uint64_t)(offset[1] * SIZE);
  list[2 * (int64_t)plan.count + i] = b + (uint64_t)(offset[2] * SIZE);
}
