#ifndef LT_CPU_PARALLEL_H
#define LT_CPU_PARALLEL_H

/* The CPU's threads: one pool for the whole process, and the use of OpenBLAS from the pool's tasks. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cancel.h"

/* Runs item i of a parallel region. `worker` is the number of the thread that runs the item, from 0. Threads of a
** region have different numbers, so worker k may use the k-th part of a scratch buffer. */
typedef void (*parallel_task)(const void *arg, int64_t i, int worker);

/* Runs items 0 … count - 1 on at most `threads` threads (at least 1). The caller is worker 0. Returns when all items
** are done. Neighbouring items usually run on the same thread. In successive calls with equal counts, item i usually
** runs on the same thread. No result may depend on this.
**
** Items are skipped once the operation is cancelled (cancel.h), so an item should take milliseconds. After a
** cancellation, the results of items must not be used.
**
** The caller never waits for a thread that has not begun: the caller runs that thread's items itself. A region runs
** only on its caller if the region is inside a task, or if another host thread uses the pool. */
void cpu_parallel(int threads, int64_t count, parallel_task task, const void *arg);

/* Returns the number of threads to use for `work` units of work, such as elements or multiplications. If the
** number is above 1, each thread gets at least `grain` units, because a thread with less work costs more time than
** it saves. */
int  cpu_threads(int64_t work, int64_t grain);

/* Returns the most threads of an operation: the number that cpu_set_thread_count set, else OMP_NUM_THREADS, else
** the number of processors that this process may use. The result is lower if the system refused to start so many
** threads. */
int  cpu_thread_count(void);
void cpu_set_thread_count(int n);

/* Returns the most workers that the pool can have, not counting the caller. The result is INT_MAX as long as the
** system has not refused to start a thread. */
int  cpu_parallel_limit(void);
void cpu_parallel_retry(void);          /* lets the pool try again to start threads after the system refused */

/* A use of OpenBLAS or of its LAPACK functions. Between begin and end, at most `threads` threads of luatensor may
** call BLAS at the same time: the caller and the workers of its regions. Each call runs on one thread. Uses may be
** nested. */
typedef struct blas_use {
  int threads;                          /* the number of threads that may call BLAS; if memory is short, fewer than
                                        ** requested or 0 */
  int before;                           /* the host's number of OpenBLAS threads, which cpu_blas_end restores */
} blas_use;
blas_use cpu_blas_begin(int threads);
void     cpu_blas_end(const blas_use *use);
bool     cpu_blas_in_use(void);
void     cpu_blas_worker(void);         /* each worker of the pool calls this once, before its first task that may
                                        ** call BLAS */

/* Writes the text of lt.config() about OpenBLAS. */
void cpu_blas_describe(char *text, size_t size);

#endif
