#ifndef LT_CANCEL_H
#define LT_CANCEL_H

/* Ending an operation early. Whoever starts an operation says how to find out whether the operation is to end; the CPU asks
** between pieces of work, every few milliseconds, on the thread that started it. From then on its regions are skipped, and
** device_<entry> returns ERR_CANCELLED: results are unfinished. */

#include <stdbool.h>
#include <stdint.h>

typedef struct operation {
  bool  (*asked)(void *context);        /* true: end; NULL: nobody asks */
  void   *context;
  int64_t next;                         /* nanoseconds of a coarse clock when to ask; 0: not set */
  bool    stopped;                      /* the operation is to end */
  bool    inside;                       /* asked() runs, which may call Lua */
} operation;

#ifdef __ELF__
extern _Thread_local operation this_operation __attribute__((tls_model("initial-exec"), visibility("hidden")));
#else
extern _Thread_local operation this_operation;
#endif

/* Asks if it is time to. */
bool cancel_look(void);

/* Between pieces of work: true if this thread's operation is to end. */
static inline bool cancel_due(void) {
  return this_operation.asked && (this_operation.stopped || cancel_look());
}

/* Around an operation; one that is started inside asked() is refused by device_<entry>. */
static inline void cancel_watch(bool (*asked)(void *), void *context) {
  if (!this_operation.inside) this_operation = (operation){.asked = asked, .context = context};
}
static inline void cancel_unwatch(void) {
  if (!this_operation.inside) this_operation = (operation){.asked = 0};
}

#endif
