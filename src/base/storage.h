#ifndef LT_BASE_STORAGE_H
#define LT_BASE_STORAGE_H

/* A reference-counted block of memory on a device, shared by tensors and views. */

#include <stdatomic.h>

#include "base/device.h"
#include "base/tls.h"

enum { LARGE_STORAGE = 1 << 20 };         /* minimum size in bytes of the storages that are listed for the
                                          ** out-of-memory message and can have an origin */

typedef struct storage {
  place    place;
  void    *ptr;
  size_t   bytes;
  atomic_int refs;                        /* number of references; a DLPack consumer may drop the last one in any
                                          ** thread */
  int      kept;                          /* number of references that graph nodes, detached tensors or captured graphs
                                          ** hold */
  int      held;                          /* number of references that captured graphs hold */
  bool     exported;                      /* other libraries may have the address of the memory */
  bool     copying;                       /* a device may still read the memory, which was queued by copy_in_later */
  const device *pinned;                   /* the kind of device whose `pin` allocated the memory, or NULL */
  unsigned capture;                       /* storage_capture when the memory was allocated */
  uint32_t version;                       /* increased by every in-place write */
  unsigned epoch;                         /* the device's epoch at allocation; the memory is lost when the device is
                                          ** reopened. Or one of the epochs below */
  void   (*release)(struct storage *s);   /* NULL, or called instead of free for foreign memory (DLPack, loans) */
  void    *owner;                         /* for `release`: the owner of the foreign memory. While the storage has no
                                          ** memory yet: the account to charge, or NULL */
  struct account *account;                /* the account to which the storage is charged, or NULL */

  /* Fields for the out-of-memory message, which names the largest storage. Only storages of at least LARGE_STORAGE
  ** bytes use these fields. */
  struct storage *next, *prev;
  char    *origin;                        /* such as "[7000, 7000] float32 made at train.lua:14", or NULL */
} storage;

/* Allocates a storage of `bytes` bytes with one reference. If the result is ERR_MEMORY, *s is unchanged. */
int  storage_new(place where, size_t bytes, storage **s);
/* Makes a storage of foreign memory; `release` is called with the storage when its last reference is dropped. */
int  storage_wrap(place where, void *ptr, size_t bytes, void (*release)(storage *), void *owner, storage **s);
/* Makes a storage whose memory storage_provide allocates later. Until then the storage is pending. The memory will be
** charged to account `a`, unless `a` is NULL. */
int  storage_new_later(place where, size_t bytes, struct account *a, storage **s);
int  storage_provide(storage *s);
void storage_retain(storage *s);

/* Drops a reference; dropping the last reference frees the memory. */
void storage_drop(storage *s);

/* Like storage_drop, but may be called in any thread, also while the storage's Lua state runs in another thread or
** after the state was closed. */
void storage_drop_elsewhere(storage *s);

/* True if the caller holds the only reference. Then no other thread can make or drop a reference concurrently. */
static inline bool storage_is_sole(const storage *s) { return atomic_load_explicit(&s->refs, memory_order_acquire) == 1; }

/* ---- captured graphs ----
** The calls that a graph of the host stores contain addresses. Therefore the graph holds the storages whose addresses were
** taken during the capture, except those that were allocated in the capture: these belong to the graph's memory. A graph of
** any device holds the storages to which the captured ops write in place, because each replay raises their versions. */

typedef struct storage_holdings {
  place     where;
  storage **list;
  size_t    count, capacity;
  bool      failed;                       /* a storage is missing, because memory was exhausted */
} storage_holdings;

/* The number of the capture of a graph by this thread, on any device, or 0. */
extern _Thread_local FAST_TLS unsigned storage_capture __attribute__((visibility("hidden")));

/* The holdings of the graph that this thread captures on the host, or NULL. */
extern _Thread_local FAST_TLS storage_holdings *storage_holder __attribute__((visibility("hidden")));

/* The storages to which the captured ops of this thread write in place, or NULL. */
extern _Thread_local FAST_TLS storage_holdings *storage_writes __attribute__((visibility("hidden")));

/* Adds a storage of h->where to h, unless it was allocated in the capture. */
void storage_hold(storage_holdings *h, storage *s);
void storage_release_all(storage_holdings *h);

/* Waits until no device reads the memory any more. */
void storage_settle(storage *s);

/* Called for each storage whose address is taken. Afterwards the caller may read and write the memory. */
static inline void storage_touch(storage *s) {
  if (storage_holder) storage_hold(storage_holder, s);
  if (s->copying) storage_settle(s);
}

/* Called when an op has written to the elements of an existing storage. */
static inline void storage_written(storage *s) {
  s->version++;
  if (storage_writes) storage_hold(storage_writes, s);
}

/* True if this thread captures a graph at p, which is on the host: elements have no values then. */
static inline bool place_is_captured(place p) { return storage_holder && place_equal(storage_holder->where, p); }

/* Epochs that no device reaches by reopening. */
enum {
  EPOCH_REVOKED = 0x7fffffff,             /* the host took the memory back (base/loan.h) */
  EPOCH_FAILED  = 0x7ffffffe,             /* the deferred operation that computes the elements failed */
  EPOCH_PENDING = 0x7ffffffd              /* deferred operations (op/deferral.h) read or write the elements */
};

/* True if the memory was lost because the device was reopened, because the host took it back, or because a deferred
** operation failed. */
static inline bool storage_is_lost(const storage *s) {
  return s->epoch != place_epoch(s->place) && s->epoch != EPOCH_PENDING;
}

/* True if deferred operations read or write the storage. Before the memory is used, these operations must run. */
static inline bool storage_is_pending(const storage *s) { return s->epoch == EPOCH_PENDING; }

/* True if the caller holds the only reference besides captured graphs and the list of deferred operations, which holds
** one reference. */
static inline bool storage_has_one_user(const storage *s) {
  return atomic_load_explicit(&s->refs, memory_order_acquire) == 1 + storage_is_pending(s) + s->held;
}

/* The number of live storages on a device, and the bytes and the origin of the largest listed storage (origin "":
** unknown). */
typedef struct storage_census {
  size_t count, largest;
  char   origin[256];
} storage_census;
void storage_count(place where, storage_census *census);

/* For specs of error paths: of the following allocations of storages, numbers n … n + times - 1 fail (n is 1-based).
** n = 0: none fails. */
void storage_fail_after(long n, long times);

#endif
