#ifndef LT_GPU_KERNELS_LATE_CUH
#define LT_GPU_KERNELS_LATE_CUH

/* Late errors, which kernels find while no host thread waits. */

#include "gpu/kernels/prelude.cuh"

/* The error cell. gpu.h has the same struct. */
struct gpu_late {
  int     set, what;
  int64_t value, position;
  int     lock;
};

/* True if an earlier error of the same call is stored. The lock need not be held. */
INLINE bool is_beaten(volatile gpu_late *now, int what, int64_t position) {
  if (!now->set || now->what != what) return false;
  __threadfence();
  return now->position <= position;
}

/* Stores an error; the caller holds the lock. While `what` changes, the position is the maximum, so that no thread
** combines the old position with the new call. */
INLINE void write_late(volatile gpu_late *now, int what, int64_t position, int64_t value) {
  now->position = INT64_MAX;
  __threadfence();
  now->what = what;
  now->value = value;
  __threadfence();
  now->position = position;
  __threadfence();
  now->set = 1;
}

/* Reports that index `value`, number `position` of its tensor, is out of range. The first of all such errors stays.
** Errors come from any thread at any time, so only one thread at a time checks and writes. It does so inside of the
** loop: otherwise a thread with the lock would wait for other threads of its warp that try to get the lock. */
RARE void report_late(gpu_late *late, int what, int64_t position, int64_t value) {
  volatile gpu_late *now = late;
  for (bool told = is_beaten(now, what, position); !told;) {
    if (atomicCAS(&late->lock, 0, 1)) continue;
    __threadfence();
    if (!now->set || what < now->what || (what == now->what && position < now->position))
      write_late(now, what, position, value);
    __threadfence();
    atomicExch(&late->lock, 0);
    told = true;
  }
}

#endif
