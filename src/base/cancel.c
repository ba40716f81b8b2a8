#include "base/cancel.h"

#include <stdatomic.h>
#include <time.h>

#ifdef CLOCK_MONOTONIC_COARSE
#define CLOCK CLOCK_MONOTONIC_COARSE          /* a reading takes 5 ns; a reading of CLOCK_MONOTONIC takes 30 ns */
#else
#define CLOCK CLOCK_MONOTONIC
#endif

enum { PERIOD = 10000000 };                   /* nanoseconds between two checks */

_Thread_local operation this_operation;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static atomic_bool always;

void cancel_ask_always(bool on) { atomic_store(&always, on); }

bool cancel_look(void) {
  operation *i = &this_operation;
  int64_t time = now();
  if (i->next == 0 && !atomic_load_explicit(&always, memory_order_relaxed)) i->next = time + PERIOD;
  if (time < i->next || i->inside) return false;
  i->inside = true;
  i->stopped = i->asked(i->context);
  i->inside = false;
  i->next = atomic_load_explicit(&always, memory_order_relaxed) ? 0 : now() + PERIOD;
  return i->stopped;
}
