#ifndef LT_BASE_LOCK_H
#define LT_BASE_LOCK_H

/* The locks of everything that several Lua states share. They are in one place because a fork takes them all, so that the
** child finds whole lists and free locks, whatever other threads were doing. */

/* A thread that holds a lock may only take later ones. */
enum lock {
  LOCK_DEVICES,        /* the list of the kinds of devices */
  LOCK_PROFILE,        /* who profiles */
  LOCK_STORAGES,       /* the list of large storages */
  LOCK_PINNED,         /* the list of page-locked memory */
  LOCK_BLAS,           /* OpenBLAS's settings and buffers */
  LOCK_FFT_PLANS,
  LOCK_MEMORY,         /* the CPU's allocator */
  LOCK_COUNT
};

/* While a thread waits for a lock, its owner has the higher priority of the two: a thread of real-time priority cannot wait
** for one that never gets the processor. */
void lock_take(enum lock l);
void lock_release(enum lock l);

#endif
