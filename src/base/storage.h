#ifndef LT_BASE_STORAGE_H
#define LT_BASE_STORAGE_H

/* A block of memory on a device, shared by tensors and views, counted by references. */

#include <stdatomic.h>

#include "base/device.h"

enum { LARGE_STORAGE = 1 << 20 };         /* bytes from which a storage is listed, with its origin */

typedef struct storage {
  place    place;
  void    *ptr;
  size_t   bytes;
  atomic_int refs;                        /* the last one may be dropped in any thread: a DLPack consumer's */
  int      kept;                          /* how many of them are what gradients will need, or detached */
  uint32_t version;                       /* raised by every in-place write */
  unsigned epoch;                         /* of the device when it was made: it is lost when the device is reopened */
  void   (*release)(struct storage *s);   /* memory that is not ours (DLPack): called instead of free */
  void    *owner;                         /* for release */
  struct account *account;                /* of the Lua state that it is charged to, or NULL */

  /* Set for listed storages only: the out-of-memory message tells this about the largest ones. */
  struct storage *next, *prev;
  char    *origin;                        /* "train.lua:14: [7000, 7000] float32", or NULL */
} storage;

/* Makes a storage of `bytes` with one reference. *s is unchanged on ERR_MEMORY. */
int  storage_new(place where, size_t bytes, storage **s);
/* Wraps memory that `release` gives back. */
int  storage_wrap(place where, void *ptr, size_t bytes, void (*release)(storage *), void *owner, storage **s);
void storage_retain(storage *s);

/* Ends a reference; the last one frees the memory. */
void storage_drop(storage *s);

/* The same in any thread, while the Lua state of the storage is at work in another one or closed. */
void storage_drop_elsewhere(storage *s);

/* True if the caller holds the only reference, so that no other thread can make or drop one meanwhile. */
static inline bool storage_is_sole(const storage *s) { return atomic_load_explicit(&s->refs, memory_order_acquire) == 1; }

/* True if its device lost it. */
static inline bool storage_is_lost(const storage *s) {
  return s->epoch != place_epoch(s->place);
}

/* Number of live storages on a device, and the largest listed one: its bytes and origin, copied
** into `origin` ("" when unknown). */
typedef struct storage_census {
  size_t count, largest;
  char   origin[256];
} storage_census;
void storage_count(place where, storage_census *census);

/* For specs of the error paths: allocations n … n + times - 1 of a storage from now on fail; n = 0: none. */
void storage_fail_after(long n, long times);

#endif
