#ifndef LT_BASE_LOCK_H
#define LT_BASE_LOCK_H

/* The locks of all data that several Lua states share. All locks are in this file, because fork() takes all of them
** before it copies the process. The child then has consistent lists and free locks, whatever other threads were
** doing. */

/* The locks, in their order: a thread that holds a lock may take only locks that are listed after it. */
enum lock {
  LOCK_DEVICES,        /* the list of the kinds of devices */
  LOCK_PROFILE,        /* the owner and the thread of the running profile */
  LOCK_STORAGES,       /* the list of large storages */
  LOCK_LOANS,          /* the list of memory that hosts lend */
  LOCK_PINNED,         /* the list of page-locked memory */
  LOCK_PJRT,           /* the plugins of PJRT, and all memory and queued work of their devices */
  LOCK_BLAS,           /* OpenBLAS's settings and buffers */
  LOCK_FFT_PLANS,
  LOCK_LIBRARIES,      /* the loading of GPUs' libraries */
  LOCK_GRAPHS,         /* the blocks of the CPU's captured graphs */
  LOCK_MEMORY,         /* the CPU's allocator */
  LOCK_COUNT
};

/* lock_take waits for a lock. Meanwhile the lock's owner inherits the higher priority of the two threads. Otherwise a
** thread of real-time priority might wait forever for an owner that never gets the processor. */
void lock_take(enum lock l);
void lock_release(enum lock l);

#endif
