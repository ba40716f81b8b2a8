#ifndef LT_BASE_DISPATCH_H
#define LT_BASE_DISPATCH_H

/* All work of a device starts here: device_<entry>(place, …) calls the device's entry for computing, copying or
** waiting. While a profile runs, the call is counted and timed; otherwise the profile costs one test. Outside
** the code of the devices, only functions of op/ make these calls. */

#include "base/cancel.h"
#include "base/profile.h"

#define FAMILY(name, call)                                                                          \
  int profile_##name(place where, call *c);                                                         \
  static inline int device_##name(place where, call *c) {                                           \
    if (this_operation.inside) return ERR_BUSY;                                                     \
    int st = profile_is_on() ? profile_##name(where, c) : where.device->name(where.index, c);       \
    return this_operation.stopped ? ERR_CANCELLED : st;                                             \
  }
#include "families.def"

/* Copy elements between the host's own memory and the memory of a device that the host may access. The call *c is an
** element-wise call of op `positive`, which copies its input to its output. */
int device_read(place from, const map_call *c);
int device_write(place to, const map_call *c);

int device_copy_in(place to, void *ptr, const void *host, size_t bytes);
int device_copy_in_later(place to, void *ptr, const void *pinned, size_t bytes);
int device_copy_out(void *host, place from, const void *ptr, size_t bytes);
int device_copy_across(place to, void *ptr, place from, const void *from_ptr, size_t bytes);
int device_all_sum(place first, const all_sum_call *c);
int device_replay(place where, void *graph);

/* Waits for a device, one of its streams, or an event. */
int device_sync(place where);
int device_sync_stream(place where, int stream);
int device_sync_event(place where, void *event);

#endif
