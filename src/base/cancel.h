#ifndef LT_BASE_CANCEL_H
#define LT_BASE_CANCEL_H

/* Cancellation of operations. The caller of an operation provides a function that returns true if the operation
** should end. The CPU calls this function between pieces of work, at most every 10 ms, on the thread that started
** the operation. After a cancellation, the remaining work is skipped and device_<entry> returns ERR_CANCELLED;
** results are incomplete. */

#include <stdbool.h>
#include <stdint.h>

#include "base/tls.h"

typedef struct operation {
  bool  (*asked)(void *context);        /* returns true if the operation should be cancelled; NULL: nothing can cancel
                                        ** it */
  void   *context;
  int64_t next;                         /* time of the next check on a coarse clock, in nanoseconds; 0: not set */
  bool    stopped;                      /* the operation is cancelled */
  bool    inside;                       /* asked() is running; it may call Lua */
  bool    repeats;                      /* if the operation fails with ERR_MEMORY, the caller collects garbage and repeats it */
  bool    announced;                    /* other threads see that the state runs an operation (lua/cancel.h) */
} operation;

extern _Thread_local FAST_TLS operation this_operation __attribute__((visibility("hidden")));

/* Calls asked() if a check is due. Returns true if asked() cancels the operation. */
bool cancel_look(void);

/* For specs: if `on` is set, every check calls asked(), without a wait between two calls. */
void cancel_ask_always(bool on);

/* Called between pieces of work: true if this thread's operation is cancelled. */
static inline bool cancel_due(void) {
  return this_operation.asked && (this_operation.stopped || cancel_look());
}

/* Divides a loop from 0 to n into stretches of at most CANCEL_STRETCH elements. Returns the end of the stretch that
** begins at i, or i if there are no more elements or the operation is cancelled. Usage:
**    for (int64_t i = 0, end; (end = cancel_stretch(i, n)) > i;) for (; i < end; i++) … */
enum { CANCEL_STRETCH = 1 << 17 };            /* elements: 0.1 ms of work, while a check takes 10 ns */
static inline int64_t cancel_stretch(int64_t i, int64_t n) {
  if (i >= n || this_operation.stopped || (i > 0 && cancel_due())) return i;
  return n - i < CANCEL_STRETCH ? n : i + CANCEL_STRETCH;
}

/* Call cancel_watch before an operation, and cancel_unwatch after the operation, but neither while `inside` is set. If
** asked() starts an operation, device_<entry> refuses this operation by ERR_BUSY. */
static inline void cancel_watch(bool (*asked)(void *), void *context) {
  this_operation = (operation){.asked = asked, .context = context};
}
static inline void cancel_unwatch(void) { this_operation = (operation){.asked = 0}; }

#endif
