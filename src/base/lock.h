#ifndef LT_BASE_LOCK_H
#define LT_BASE_LOCK_H

/* The locks of everything that Lua states share. They are in one place because a fork takes all of them, so that the
** child finds consistent lists and free locks, whatever other threads were doing. */

/* The locks, in their order: a thread that holds a lock may only take later ones. */
enum lock {
  LOCK_DEVICES,        /* the list of the kinds of devices */
  LOCK_PROFILE,        /* the owner of the profile */
  LOCK_STORAGES,       /* the list of large storages */
  LOCK_LOANS,          /* the list of memory that hosts lend */
  LOCK_PINNED,         /* the list of page-locked memory */
  LOCK_BLAS,           /* OpenBLAS's settings and buffers */
  LOCK_FFT_PLANS,
  LOCK_MEMORY,         /* the CPU's allocator */
  LOCK_COUNT
};

/* While a thread waits for a lock, the lock's owner inherits the higher priority of the two. Otherwise a thread of
** real-time priority might wait forever for an owner that never gets the processor. */
void lock_take(enum lock l);
void lock_release(enum lock l);

#endif
