/* Threads: one OpenMP pool for our loops and, where its build allows, for BLAS. */

#include <cblas.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

#include "cpu.h"

enum { BLAS_SEQUENTIAL, BLAS_PTHREADS, BLAS_OPENMP };     /* openblas_get_parallel() */

enum { MOST = 1024 };         /* as many as lua_thread.c lets scripts ask for */

static int  thread_count;     /* 0: not set, OpenMP's own number */
static int  proved = 1;       /* as many were running at once   */
static int  blas_parallel;
static int  blas_threads;     /* of OpenBLAS's own pool, while cpu_blas_limit does not limit it */
static bool forked;

/* libgomp's pool does not survive a fork: its child would wait for threads that are not there. */
static void in_child(void) {
  forked = true;
  thread_count = 1;
  omp_set_num_threads(1);
}

__attribute__((constructor)) static void start(void) {
  blas_parallel = openblas_get_parallel();
  blas_threads = openblas_get_num_threads();
  pthread_atfork(NULL, NULL, in_child);
}

static void *pass(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

/* How many of n threads the system lets run at once (limits on processes, on memory), the caller's counted: tried,
** because libgomp ends the process when it cannot start one. */
static int try_threads(int n) {
  static pthread_t threads[MOST];
  static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  if (n <= __atomic_load_n(&proved, __ATOMIC_RELAXED)) return n;
  if (n > MOST) n = MOST;
  int started = 0;
  pthread_mutex_lock(&one);
  pthread_mutex_lock(&gate);
  while (started < n - 1 && pthread_create(&threads[started], NULL, pass, &gate) == 0) started++;
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
  if (started + 1 > proved) __atomic_store_n(&proved, started + 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&one);
  return started + 1;
}

int cpu_thread_count(void) {
  int n = __atomic_load_n(&thread_count, __ATOMIC_RELAXED);
  if (n) return n;
  int wanted = omp_get_max_threads(), most = try_threads(wanted);
  if (most < wanted) cpu_set_thread_count(most);
  return most;
}

int cpu_set_thread_count(int n) {
  if (forked && n > 1) return ERR_THREADS;
  if (try_threads(n) < n) return ERR_MEMORY;
  __atomic_store_n(&thread_count, n, __ATOMIC_RELAXED);
  if (blas_parallel != BLAS_PTHREADS) return OK;
  __atomic_store_n(&blas_threads, n, __ATOMIC_RELAXED);
  openblas_set_num_threads(n);
  return OK;
}

bool cpu_blas_shares_pool(void) { return blas_parallel != BLAS_PTHREADS; }

/* OpenMP keeps its number per calling thread, and OpenBLAS reads that: a second Lua state in another
** thread has not set its own yet. */
void cpu_blas_threads(void) {
  int n = __atomic_load_n(&thread_count, __ATOMIC_RELAXED);
  if (n && omp_get_max_threads() != n) omp_set_num_threads(n);
}

/* A pool of OpenBLAS's own is the whole process's: what another thread limits it to at the moment is not what to go
** back to. */
int cpu_blas_limit(int n) {
  bool shared = cpu_blas_shares_pool();
  int before = shared ? omp_get_max_threads() : __atomic_load_n(&blas_threads, __ATOMIC_RELAXED);
  if (!shared) openblas_set_num_threads(n);
  else if (before != n) omp_set_num_threads(n);
  return before;
}

int cpu_threads(int64_t work, int64_t grain) {
  int64_t useful = work / grain;
  if (useful < 2) return 1;
  int most = cpu_thread_count();
  return useful < most ? (int)useful : most;
}

void cpu_describe(char *text, size_t size) {
  static const char *const threading[] = {"one thread", "threads of its own", "our OpenMP threads"};
  snprintf(text, size, "%s kernels, %d OpenMP threads; %s, core %s, on %s", cpu_isa->name, cpu_thread_count(),
           openblas_get_config(), openblas_get_corename(), threading[blas_parallel]);
}
