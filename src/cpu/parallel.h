#ifndef LT_CPU_PARALLEL_H
#define LT_CPU_PARALLEL_H

/* The CPU's threads: one pool for the whole process, and OpenBLAS inside its tasks. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cancel.h"

/* Item `i` of a parallel region. `worker` is the number of the thread that runs the item. No two threads have the same
** number, so worker k may use the k-th part of a scratch buffer. */
typedef void (*parallel_task)(const void *arg, int64_t i, int worker);

/* Runs items 0 … count - 1 on at most `threads` threads (at least 1), of which the caller is worker 0. Returns when all
** items are done. Neighbouring items mostly run on the same thread. In the next call of the same size, the same items
** mostly run on the same thread again. No result may depend on either.
**
** Items are skipped once the operation is cancelled (cancel.h), so an item should take milliseconds. The results of
** items must not be used after a cancellation.
**
** The caller never waits for a thread that has not begun, but runs that thread's items itself. A region inside a task,
** or a region that finds the pool taken by another host thread, runs on its caller alone. */
void cpu_parallel(int threads, int64_t count, parallel_task task, const void *arg);

/* Returns the number of threads to use for `work` units of work, such as elements or multiplications. If the number
** is above 1, each thread gets at least `grain` units, because less work is not worth a thread. */
int  cpu_threads(int64_t work, int64_t grain);

/* Returns the most threads of an operation: the number that was set, else OMP_NUM_THREADS, else the number of
** processors that this process may use. The number is lower if the system refused to start as many threads. */
int  cpu_thread_count(void);
void cpu_set_thread_count(int n);

/* Returns the greatest number of workers, without the caller: INT_MAX until the system has refused to start a
** thread. */
int  cpu_parallel_limit(void);
void cpu_parallel_retry(void);          /* forgets that the system refused to start a thread */

/* A use of OpenBLAS, or of its LAPACK. Between begin and end, `threads` threads of luatensor may call BLAS at the same
** time: the caller and workers of its regions. Each call runs on the thread that makes it. Uses may be nested. */
typedef struct blas_use {
  int threads;                          /* the number of threads that may call BLAS; fewer than requested, or 0, if
                                        ** memory is short */
  int before;                           /* the host's number of threads, which cpu_blas_end restores */
} blas_use;
blas_use cpu_blas_begin(int threads);
void     cpu_blas_end(const blas_use *use);
bool     cpu_blas_in_use(void);
void     cpu_blas_worker(void);         /* called once by each worker of the pool, before its first task that may call BLAS */

/* The text of lt.config() about OpenBLAS. */
void cpu_blas_describe(char *text, size_t size);

#endif
