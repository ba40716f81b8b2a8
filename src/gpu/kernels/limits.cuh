/* Kernels that measure the limits of a device, for gpu/limits.c: arithmetic without memory accesses, and reads
** without arithmetic. COMPUTE is DT_float32 or DT_float64. */

#define KERNEL_THREADS LIMITS_THREADS

#include "gpu/kernels/limits_args.h"
#include "gpu/kernels/scalar.cuh"

typedef stored_t<COMPUTE> C;

/* Runs LIMITS_CHAINS independent chains of fused multiply-adds, which hide each other's latency. `sum` is never
** negative, so nothing is stored, but the compiler cannot remove the chains. */
KERNEL(limits_compute)(C *never, int64_t rounds) {
  C v[LIMITS_CHAINS], sum = (C)0;
#pragma unroll
  for (int k = 0; k < LIMITS_CHAINS; k++) v[k] = (C)threadIdx.x + (C)k;
  for (int64_t r = 0; r < rounds; r++) {
#pragma unroll
    for (int k = 0; k < LIMITS_CHAINS; k++) v[k] = m_fma(v[k], (C)0.5, (C)1);
  }
#pragma unroll
  for (int k = 0; k < LIMITS_CHAINS; k++) sum += v[k];
  if (sum < (C)0) *never = sum;
}

struct __align__(16) quad { uint32_t at[4]; };

/* Reads a block of n * 16 zero bytes `times` times. Each load has 16 bytes, and neighbouring threads load
** neighbouring words. Nothing is stored, because all words are 0. */
KERNEL(limits_read)(const quad *from, int64_t n, int64_t times, uint32_t *never) {
  uint32_t seen = 0;
  int64_t first = (int64_t)grid_thread(), step = (int64_t)grid_threads();
  for (; times > 0; times--) {
#pragma unroll 4
    for (int64_t i = first; i < n; i += step) {
      quad q = from[i];
      seen |= q.at[0] | q.at[1] | q.at[2] | q.at[3];
    }
    asm volatile("" ::: "memory");        /* prevents the compiler from merging the passes */
  }
  if (seen) *never = seen;
}
