#ifndef LT_BASE_PROFILE_H
#define LT_BASE_PROFILE_H

/* Profiles: how often each family of kernels was called, for how long and on how much memory. One profile runs in a
** process at a time, of one Lua state and thread. dispatch.h counts the calls. */

#include <stdatomic.h>

#include "base/device.h"

/* The kinds of work that a profile tells apart: the families, and work that has no call struct. */
enum profile_family {
#define FAMILY(name, call) PROFILE_##name,
#include "families.def"
  PROFILE_graph,               /* replays: of what they do only the time is known */
  PROFILE_copy_across,
  PROFILE_copy_in,
  PROFILE_copy_out,
  PROFILE_wait,                /* asked for by the script, or needed before values are read */
  PROFILE_FAMILIES
};

extern const char *const profile_names[PROFILE_FAMILIES];

/* counting: nothing waits that would not; the times are the host's. serialised: each call is waited for, so that its time is
** the device's, with what a launch and a wait take. */
enum profile_mode { PROFILE_OFF, PROFILE_COUNTING, PROFILE_SERIALISED };

typedef struct profile_row {
  double calls, seconds;
  double elements;             /* what an op goes through: of its result, or of its input where that is more */
  double read, written;        /* bytes of operands, each element once; a transfer's bytes are in one of them */
  double flops;                /* of matrix products (2 m n k, complex ones 8 m n k), convolutions, attention only */
} profile_row;

enum { PROFILE_DTYPES = DTYPE_COUNT + 1 };   /* DT_none, too */

typedef struct profile {
  enum profile_mode mode;
  double seconds;              /* from start to stop */
  double inside, outside;      /* what counting itself takes a call: within its seconds, and besides */
  uint64_t used[DEVICE_KINDS];   /* [the kind's number]: bit i: device i had a call that counts; 63: or a later one */
  profile_row row[DEVICE_KINDS][PROFILE_FAMILIES][PROFILE_DTYPES];   /* [the kind's number][family][1 + dtype] */
} profile;

/* Starts for the Lua state that `owner` stands for, when all queued work is done. *other: another one runs, and that is
** why not. ERR_DEVICE, ERR_LATE, ERR_CAPTURE of the device *where. */
int profile_start(const void *owner, enum profile_mode mode, bool *other, place *where);

/* Ends it, into *result (NULL: nobody wants it); false: this owner has none. */
bool profile_stop(const void *owner, profile *result);

/* True if a profile of this owner runs. */
bool profile_is_of(const void *owner);

/* From now on this thread's calls of that device are captured into a graph: neither counted nor waited for. */
void profile_capture(place where);
void profile_capture_end(void);

extern atomic_int profile_mode_now;
static inline bool profile_is_on(void) { return atomic_load_explicit(&profile_mode_now, memory_order_relaxed) != PROFILE_OFF; }

/* ---- for dispatch.c: one call ---- */

typedef struct profile_span {
  enum profile_mode mode;      /* PROFILE_OFF: the call does not count */
  double began, seconds;
} profile_span;

typedef struct work {
  enum dtype dtype;
  double elements, read, written, flops;   /* as in a row */
} work;

profile_span profile_begin(place where);
double profile_elapsed(const profile_span *s);

/* After the call, whose status is st: sets its time, and returns its status after the wait for it. A call that failed
** does not count. */
int profile_end(profile_span *s, place where, int st);

/* Adds a call that counts. */
void profile_count(const profile_span *s, place where, enum profile_family family, work w);

#endif
