/* Loops that measure a device's limits without other work, for gpu/limits.c. COMPUTE: DT_float32 or DT_float64. */

#define KERNEL_THREADS LIMITS_THREADS

#include "gpu/kernels/limits_args.h"
#include "gpu/kernels/scalar.cuh"

typedef stored_t<COMPUTE> C;

/* LIMITS_CHAINS independent chains hide each other's latency. The store never happens; it keeps the compiler from
** removing the chains. */
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

/* Reads the words of a zeroed block `times` times. Each load has sixteen bytes, and neighbouring threads load
** neighbouring words. */
KERNEL(limits_read)(const quad *from, int64_t n, int64_t times, uint32_t *never) {
  uint32_t seen = 0;
  int64_t first = (int64_t)grid_thread(), step = (int64_t)grid_threads();
  for (; times > 0; times--) {
#pragma unroll 4
    for (int64_t i = first; i < n; i += step) {
      quad q = from[i];
      seen |= q.at[0] | q.at[1] | q.at[2] | q.at[3];
    }
    asm volatile("" ::: "memory");        /* keeps the compiler from merging the passes */
  }
  if (seen) *never = seen;
}
