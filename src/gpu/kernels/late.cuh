#ifndef LT_LATE_CUH
#define LT_LATE_CUH

/* What kernels find wrong while nobody waits for them. */

#include "prelude.cuh"

/* gpu.h has the same struct. */
struct gpu_late {
  int     set, what;
  int64_t value, position;
  int     lock;
};

/* Says that index `value`, number `position` of its tensor, is out of range. The first of all that do so stays; as they
** come from any thread at any time, one at a time looks and writes. */
RARE void report_late(gpu_late *late, int what, int64_t position, int64_t value) {
  volatile gpu_late *now = late;
  if (now->set && now->what == what && now->position <= position) return;      /* most: without the lock */
  while (atomicCAS(&late->lock, 0, 1)) {}
  __threadfence();
  if (!now->set || what < now->what || (what == now->what && position < now->position)) {
    now->what = what;
    now->value = value;
    now->position = position;
    now->set = 1;
  }
  __threadfence();
  atomicExch(&late->lock, 0);
}

#endif
