#ifndef LT_GPU_KERNELS_LATE_CUH
#define LT_GPU_KERNELS_LATE_CUH

/* What kernels find wrong while nobody waits for them. */

#include "gpu/kernels/prelude.cuh"

/* gpu.h has the same struct. */
struct gpu_late {
  int     set, what;
  int64_t value, position;
  int     lock;
};

/* Without the lock: true if an earlier error of the same call is there. */
INLINE bool is_beaten(volatile gpu_late *now, int what, int64_t position) {
  if (!now->set || now->what != what) return false;
  __threadfence();
  return now->position <= position;
}

/* Under the lock. While `what` changes the position is the greatest, so that nobody takes the old one for the new's. */
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

/* Says that index `value`, number `position` of its tensor, is out of range. The first of all that do so stays; as they
** come from any thread at any time, one at a time looks and writes: inside the loop, so that the one thread of a warp
** that has the lock does not wait for those that try to get it. */
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
