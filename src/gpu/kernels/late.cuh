#ifndef LT_GPU_KERNELS_LATE_CUH
#define LT_GPU_KERNELS_LATE_CUH

/* Late errors: errors that kernels find while no host thread waits for them. A kernel stores the error in device
** memory, and the next wait reports it. */

#include "gpu/kernels/prelude.cuh"

/* The stored error. gpu/gpu.h has the same struct and describes its fields. */
struct gpu_late {
  int     set, what;
  int64_t value, position;
  int     lock;
};

/* True if an error of the same call with the same or a lower position is already stored. The caller need not hold the
** lock. */
INLINE bool is_beaten(volatile gpu_late *now, int what, int64_t position) {
  if (!now->set || now->what != what) return false;
  __threadfence();
  return now->position <= position;
}

/* Stores an error. The caller must hold the lock. While `what` is changed, `position` is INT64_MAX, so that no thread
** combines the position of the old error with the new `what`. */
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

/* Reports that the index `value`, at `position` in its tensor, is out of range. If there are several errors, only the
** one with the smallest `what` is kept; among errors of equal `what`, the one with the smallest `position`. A lock
** serialises the threads. A thread that must wait for the lock asks again whether its error is beaten.
** Otherwise every thread of the GPU would take the lock in turn if all indices of a large tensor are wrong. The thread that holds the lock writes and unlocks inside the loop. After the loop would be
** too late: the thread would wait for other threads of its warp, which are still trying to get the lock. If `told`
** were not hidden from AMD's compiler, the compiler would move the writes of a thread that leaves the loop behind the
** loop. */
RARE void report_late(gpu_late *late, int what, int64_t position, int64_t value) {
  volatile gpu_late *now = late;
  for (int told = is_beaten(now, what, position); !told;) {
    if (atomicCAS(&late->lock, 0, 1)) {
      pause_thread();
      told = is_beaten(now, what, position);
      continue;
    }
    __threadfence();
    if (!now->set || what < now->what || (what == now->what && position < now->position))
      write_late(now, what, position, value);
    __threadfence();
    atomicExch(&late->lock, 0);
    told = 1;
    hide_value(told);
  }
}

#endif
