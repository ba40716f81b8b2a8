#ifndef LT_BASE_CANCEL_H
#define LT_BASE_CANCEL_H

/* Ending an operation early. Whoever starts an operation says how to find out whether the operation is to end; the CPU asks
** between pieces of work, every few milliseconds, on the thread that started it. From then on its regions are skipped, and
** device_<entry> returns ERR_CANCELLED: results are unfinished. */

#include <stdbool.h>
#include <stdint.h>

#include "base/tls.h"

typedef struct operation {
  bool  (*asked)(void *context);        /* true: end; NULL: nobody asks */
  void   *context;
  int64_t next;                         /* nanoseconds of a coarse clock when to ask; 0: not set */
  bool    stopped;                      /* the operation is to end */
  bool    inside;                       /* asked() runs, which may call Lua */
} operation;

extern _Thread_local FAST_TLS operation this_operation __attribute__((visibility("hidden")));

/* Asks if it is time to. */
bool cancel_look(void);

/* For specs: each look asks, whatever the time. */
void cancel_ask_always(bool on);

/* Between pieces of work: true if this thread's operation is to end. */
static inline bool cancel_due(void) {
  return this_operation.asked && (this_operation.stopped || cancel_look());
}

/* In a loop over many elements: where the stretch from i on ends; i where there is no more to do, or the operation is to end:
**   for (int64_t i = 0, end; (end = cancel_stretch(i, n)) > i;) for (; i < end; i++) … */
enum { CANCEL_STRETCH = 1 << 17 };            /* elements: 0.1 ms; a look takes 10 ns */
static inline int64_t cancel_stretch(int64_t i, int64_t n) {
  if (i >= n || this_operation.stopped || (i > 0 && cancel_due())) return i;
  return n - i < CANCEL_STRETCH ? n : i + CANCEL_STRETCH;
}

/* Around an operation; one that is started inside asked() is refused by device_<entry>. */
static inline void cancel_watch(bool (*asked)(void *), void *context) {
  if (!this_operation.inside) this_operation = (operation){.asked = asked, .context = context};
}
static inline void cancel_unwatch(void) {
  if (!this_operation.inside) this_operation = (operation){.asked = 0};
}

#endif
