#ifndef LT_CPU_PARALLEL_H
#define LT_CPU_PARALLEL_H

/* The CPU's threads: one pool for the whole process, and OpenBLAS inside its tasks. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cancel.h"

/* Item `i` of a parallel region. `worker` is the number of the thread that runs the item: no two threads have the same
** one, so that worker k may use the k-th part of a scratch buffer. */
typedef void (*parallel_task)(const void *arg, int64_t i, int worker);

/* Runs items 0 … count - 1 on at most `threads` threads (at least 1), of which the caller is worker 0; returns when all
** are done. Items that follow one another mostly run on the same thread, and the same items on the same thread in the next
** call of the same size; no result may depend on either.
**
** Items are skipped once the operation is cancelled (cancel.h), so an item should take milliseconds, and the results of
** items must not be trusted after a cancellation.
**
** The caller never waits for a thread that has not begun: it runs the items of such a thread itself. A region inside a
** task, or one that finds the pool taken by another host thread, runs on its caller alone. */
void cpu_parallel(int threads, int64_t count, parallel_task task, const void *arg);

/* The number of threads that a family may use for `work` elements, if a thread is worth `grain` elements. */
int  cpu_threads(int64_t work, int64_t grain);

/* The most threads of an operation: the number that was set, else OMP_NUM_THREADS, else the number of processors that
** this process may use. Fewer if the system refused to start as many. */
int  cpu_thread_count(void);
void cpu_set_thread_count(int n);

/* The greatest number of workers, without the caller: INT_MAX until the system has refused to start a thread. */
int  cpu_parallel_limit(void);
void cpu_parallel_retry(void);          /* forgets a refusal */

/* A use of OpenBLAS, or of its LAPACK. Between begin and end `threads` threads of ours, the caller and workers of its
** regions, may call BLAS at the same time; each call runs on the thread that makes it. Uses may be nested. */
typedef struct blas_use {
  int threads;                          /* the number of threads that may call; less than requested, or 0, if memory is
                                        ** short */
  int before;                           /* the host's setting, which the end restores */
} blas_use;
blas_use cpu_blas_begin(int threads);
void     cpu_blas_end(const blas_use *use);
bool     cpu_blas_in_use(void);
void     cpu_blas_worker(void);         /* called once by each worker of the pool, before its first task that may call BLAS */

/* The text of lt.config() about OpenBLAS. */
void cpu_blas_describe(char *text, size_t size);

#endif
