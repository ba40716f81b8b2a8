#ifndef LT_BASE_PROFILE_H
#define LT_BASE_PROFILE_H

/* Profiles: the number of calls of each family of kernels, their time and their memory traffic. A process runs at most
** one profile at a time, for one Lua state and thread. dispatch.h counts the calls. */

#include <stdatomic.h>

#include "base/device.h"

/* The kinds of work that a profile counts: the families of kernels (families.def), then replays, copies and waits. */
enum profile_family {
#define FAMILY(name, call) PROFILE_##name,
#include "families.def"
  PROFILE_graph,               /* replays of graphs; only their time is known */
  PROFILE_copy_across,
  PROFILE_copy_in,
  PROFILE_copy_out,
  PROFILE_wait,                /* waits that the script requests, or that are necessary before values are read */
  PROFILE_FAMILIES
};

extern const char *const profile_names[PROFILE_FAMILIES];

/* PROFILE_COUNTING adds no waits and measures times on the host. PROFILE_SERIALISED waits for each call and so
** measures the device's time, including a launch and a wait. */
enum profile_mode { PROFILE_OFF, PROFILE_COUNTING, PROFILE_SERIALISED };

typedef struct profile_row {
  double calls, seconds;
  double elements;             /* elements of the result, or of the input if the input has more */
  double read, written;        /* bytes of operands, each element counted once; a transfer counts either as read or as
                               ** written */
  double flops;                /* only for matrix products (2 m n k, complex 8 m n k), convolutions and attention */
} profile_row;

enum { PROFILE_DTYPES = DTYPE_COUNT + 1 };   /* includes DT_none */

typedef struct profile {
  enum profile_mode mode;
  double seconds;              /* seconds from profile_start to profile_stop */
  double inside, outside;      /* overhead of counting one call, in seconds: `inside` is part of the call's
                               ** measured seconds, and `outside` is not */
  uint64_t used[DEVICE_KINDS];   /* [number of the kind]: bit i is set if device i had a counted call; bit 63 stands
                                 ** for device 63 and all later devices */
  profile_row row[DEVICE_KINDS][PROFILE_FAMILIES][PROFILE_DTYPES];   /* [number of the kind][family][1 + dtype] */
} profile;

/* Starts a profile for the Lua state that `owner` identifies, after waiting for all queued work. If another profile
** is running, *other becomes true and no profile is started. ERR_DEVICE, ERR_LATE and ERR_CAPTURE are errors of the
** device *where. */
int profile_start(const void *owner, enum profile_mode mode, bool *other, place *where);

/* Ends the profile and stores it in *result, unless `result` is NULL. Returns false if this owner has no profile. */
bool profile_stop(const void *owner, profile *result);

/* True if a profile of this owner is running. */
bool profile_is_of(const void *owner);

/* From now on this thread's calls of the device `where` are captured into a graph, so they are neither counted nor
** waited for. profile_capture_end ends the capture. */
void profile_capture(place where);
void profile_capture_end(void);

extern atomic_int profile_mode_now;
static inline bool profile_is_on(void) { return atomic_load_explicit(&profile_mode_now, memory_order_relaxed) != PROFILE_OFF; }

/* ---- for dispatch.c: one call ---- */

typedef struct profile_span {
  enum profile_mode mode;      /* PROFILE_OFF: the call is not counted */
  double began, seconds;
} profile_span;

typedef struct work {
  enum dtype dtype;
  double elements, read, written, flops;   /* as in profile_row */
} work;

profile_span profile_begin(place where);
double profile_elapsed(const profile_span *s);

/* Ends the span of a call that returned status st: waits for the call if the mode requires this, sets s->seconds, and
** returns the final status. A failed call is not counted. */
int profile_end(profile_span *s, place where, int st);

/* Adds a call, its seconds and its work to the running profile. */
void profile_count(const profile_span *s, place where, enum profile_family family, work w);

#endif
