#include "base/lock.h"

#include <pthread.h>

static pthread_mutex_t locks[LOCK_COUNT];

void lock_take(enum lock l)    { pthread_mutex_lock(&locks[l]); }
void lock_release(enum lock l) { pthread_mutex_unlock(&locks[l]); }

static void make_locks(void) {
  pthread_mutexattr_t inherits;
  pthread_mutexattr_init(&inherits);
  pthread_mutexattr_setprotocol(&inherits, PTHREAD_PRIO_INHERIT);
  for (int l = 0; l < LOCK_COUNT; l++)
    if (pthread_mutex_init(&locks[l], &inherits) != 0) pthread_mutex_init(&locks[l], NULL);
  pthread_mutexattr_destroy(&inherits);
}

static void before_fork(void) {
  for (int l = 0; l < LOCK_COUNT; l++) pthread_mutex_lock(&locks[l]);
}

static void in_parent(void) {
  for (int l = LOCK_COUNT - 1; l >= 0; l--) pthread_mutex_unlock(&locks[l]);
}

/* libgfortran, which OpenBLAS needs, calls pthread_mutex_destroy when the process ends, but refers to it weakly. Without
** this strong reference, a fully static link (-static) would leave the function out, and the call would crash. */
__attribute__((used)) static int (*const mutex_destroy)(pthread_mutex_t *) = pthread_mutex_destroy;

/* A fork gives the child new locks, because the child cannot release the locks that a thread of the parent holds. */
__attribute__((constructor)) static void start(void) {
  make_locks();
  pthread_atfork(before_fork, in_parent, make_locks);
}
