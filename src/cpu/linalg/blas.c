/* Sets OpenBLAS's number of threads and maps its buffers. OpenBLAS computes each call on the calling thread, and
** luatensor distributes the work. The OpenMP build of OpenBLAS uses OpenMP's number of threads, which each thread
** sets for itself. The pthread build has one number for the whole process. The host program may use both numbers,
** too, so luatensor restores them.
**
** OpenBLAS maps a buffer of 128 MiB for each call that runs at the same time as others, and keeps the buffer for
** later calls. If there is no memory, OpenBLAS retries forever. Therefore luatensor maps the buffers that may be
** needed in advance.
**
** Accelerate has none of OpenBLAS's functions. It chooses its number of threads itself. */

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/lock.h"
#include "cpu/cpu.h"
#include "cpu/linalg/cblas.h"
#include "cpu/linalg/gemm.h"

enum { BLAS_PTHREADS = 1, BLAS_OPENMP = 2 };     /* kinds of threads that openblas_get_parallel() returns */

enum {
  LEAST  = 25,              /* the number of concurrent calls for which every build of OpenBLAS has buffers */
  MOST   = 1024,
  BUFFER = (128 + 8) << 20  /* the size in bytes of a buffer (128 MiB), and 8 MiB as a margin for other memory */
};

#ifdef __APPLE__
__attribute__((weak)) char *openblas_get_config(void);
__attribute__((weak)) char *openblas_get_corename(void);
__attribute__((weak)) int   openblas_get_parallel(void);
__attribute__((weak)) int   openblas_get_num_threads(void);
__attribute__((weak)) void  openblas_set_num_threads(int n);
static bool is_openblas(void) { return openblas_get_parallel != NULL; }
#else
/* On systems other than macOS, the references are not weak, because the linker does not load functions of a static
** library for weak references. */
static bool is_openblas(void) { return true; }
#endif

/* Functions that may be absent, so that their addresses are NULL. OpenMP's functions exist if OpenBLAS loads OpenMP.
** Some builds of OpenBLAS do not export its memory functions. */
__attribute__((weak)) int   omp_get_max_threads(void);
__attribute__((weak)) void  omp_set_num_threads(int n);
__attribute__((weak)) void *blas_memory_alloc(int unused);
__attribute__((weak)) void  blas_memory_free(void *buffer);

static int kind;                     /* BLAS_PTHREADS, BLAS_OPENMP, or 0 if OpenBLAS has no threads */
static int most = LEAST;             /* the most threads that may call OpenBLAS: the number for which OpenBLAS was
                                     ** built */
static atomic_int users;             /* the number of threads that may be calling OpenBLAS */
static atomic_int mapped;            /* the number of buffers that OpenBLAS has mapped */
static int uses, host_threads;       /* pthread build: the number of current uses, and the process's number of threads
                                     ** before the first of them; LOCK_BLAS guards both */

__attribute__((constructor)) static void start(void) {
  if (!is_openblas()) {
    most = MOST;
    mapped = INT_MAX;
    return;
  }
  const char *built_for = strstr(openblas_get_config(), "MAX_THREADS=");
  kind = openblas_get_parallel();
  if (kind == BLAS_OPENMP && (!omp_get_max_threads || !omp_set_num_threads)) kind = BLAS_PTHREADS;
  if (built_for && atoi(built_for + 12) > LEAST) most = atoi(built_for + 12);
  if (most > MOST) most = MOST;
  if (!blas_memory_alloc || !blas_memory_free) mapped = INT_MAX;
}

/* ---- one thread for each call ---- */

static int keep_to_one(void) {
  int before = 1;
  if (kind == BLAS_OPENMP) {
    before = omp_get_max_threads();
    if (before != 1) omp_set_num_threads(1);
  } else if (kind == BLAS_PTHREADS) {
    lock_take(LOCK_BLAS);
    if (uses++ == 0 && (host_threads = openblas_get_num_threads()) != 1) openblas_set_num_threads(1);
    lock_release(LOCK_BLAS);
  }
  return before;
}

static void put_back(int before) {
  if (kind == BLAS_OPENMP) {
    if (before != 1) omp_set_num_threads(before);
  } else if (kind == BLAS_PTHREADS) {
    lock_take(LOCK_BLAS);
    if (--uses == 0 && host_threads != 1) openblas_set_num_threads(host_threads);
    lock_release(LOCK_BLAS);
  }
}

bool cpu_blas_in_use(void) { return atomic_load_explicit(&users, memory_order_relaxed) > 0; }

void cpu_blas_worker(void) { if (kind == BLAS_OPENMP) omp_set_num_threads(1); }

/* ---- buffers ---- */

static bool has_room(void) {
  void *p = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return false;
  munmap(p, BUFFER);
  return true;
}

/* Makes OpenBLAS map `wanted` buffers, of which `others` may be in use. Returns the number of mapped buffers, which
** is less than `wanted` if memory is short. OpenBLAS keeps freed buffers mapped. */
static int map_buffers(int wanted, int others) {
  void *first = NULL;
  int count = 0, sure = atomic_load(&mapped) - others;
  for (; count < wanted && (count < sure || has_room()); count++) {
    void **buffer = blas_memory_alloc(0);
    *buffer = first;                       /* links the buffers to a list */
    first = buffer;
  }
  while (first) {
    void *next = *(void **)first;
    blas_memory_free(first);
    first = next;
  }
  if (count > atomic_load(&mapped)) atomic_store(&mapped, count);
  return count;
}

/* Maps buffers for n users that were added to `users`. Returns the number of these users that have a buffer. */
static int buffers_for(int n) {
  lock_take(LOCK_BLAS);
  int wanted = atomic_load(&users), others = wanted - n, have = map_buffers(wanted, others);
  if (have < others + 1) {
    cpu_empty_cache(0);
    have = map_buffers(wanted, others);
  }
  lock_release(LOCK_BLAS);
  return have >= wanted ? n : have > others ? have - others : 0;
}

/* ---- beginning and ending a use ---- */

blas_use cpu_blas_begin(int threads) {
  blas_use use = {.threads = threads < most ? threads : most};
  if (atomic_fetch_add(&users, use.threads) + use.threads > atomic_load(&mapped)) {
    int granted = buffers_for(use.threads);
    atomic_fetch_sub(&users, use.threads - granted);
    use.threads = granted;
  }
  use.before = use.threads > 0 ? keep_to_one() : 1;
  return use;
}

void cpu_blas_end(const blas_use *use) {
  if (use->threads == 0) return;
  put_back(use->before);
  atomic_fetch_sub(&users, use->threads);
}

bool cpu_blas_lacks_avx512(void) {
  static const char *const cores[] = {"Haswell", "Zen"};
  if (!is_openblas()) return false;
  for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++)
    if (strcmp(openblas_get_corename(), cores[i]) == 0) return true;
  return false;
}

void cpu_blas_describe(char *text, size_t size) {
  if (is_openblas()) snprintf(text, size, "%s, core %s, a thread a call", openblas_get_config(), openblas_get_corename());
  else snprintf(text, size, "Accelerate");
}
