/* The pool of threads. A region is a parallel loop over items. The items are cut into chunks, and each thread has a
** share of neighbouring chunks. In the next region of the same size the thread has the same share, because its caches
** may still contain the share's data. A thread that has finished its share takes chunks of other shares. A share is one
** 64-bit word, and taking a chunk is one compare-and-swap, which fails after the end of the region. Therefore no thread
** waits for a thread that wakes too late.
**
** Threads without work spin for a short time, because small operations follow each other within microseconds. Then they
** sleep, so that other processes can use the processor. */

#define _GNU_SOURCE          /* declares pthread_setname_np and sched_getcpu */

#include "cpu/parallel.h"

#include <fenv.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

enum {
  MOST   = 1024,         /* the most threads that scripts can request (src/lua/device/thread.c) */
  CHUNKS = 8,            /* the number of chunks of a share: a delayed thread delays only an eighth of its share,
                         ** because other threads take the rest */
  FAN    = 4,            /* the number of sleeping threads that each thread wakes, because waking a thread is a system
                         ** call of about 2 µs */
  STACK  = 1 << 20,      /* the size in bytes of a thread's stack: four times the stack of OpenBLAS's deepest
                         ** routine */
  ROOM   = 128 << 20,    /* the size in bytes of the address space that must remain free when a thread is started */
  MOVE_AFTER  = 1000000, /* the least time in nanoseconds between two moves of a thread to another processor; a move
                         ** takes about 30 µs */
  LONG_SPIN   = 1000000, /* the time in nanoseconds that a thread spins for the next region before it sleeps: the
                         ** longest serial part of a training step; with 200 µs instead, a step takes 1.15 times as
                         ** long */
  SHORT_SPIN  = 20000,   /* the time in nanoseconds that a thread spins if other processes use the processor */
  LOOK        = 10000000, /* the time in nanoseconds that the caller sleeps before it checks for cancellation */
  FINISH_SPIN = 100000,  /* the time in nanoseconds that the caller spins for the last chunks before it sleeps */
  LOST        = 50000    /* in nanoseconds: if a spinning thread reads the clock twice and more time than this has
                         ** passed, another process must have used the processor meanwhile */
};

/* The state of a thread. seats[0] is for the caller of a region, and seats[k] for worker k. */
typedef struct seat {
  _Alignas(128) _Atomic uint64_t share;   /* the remaining chunks of the thread's share, in the format of pack() */
  atomic_bool     asleep;
  pthread_mutex_t lock;
  pthread_cond_t  wake;
} seat;

static seat seats[MOST];

/* The current region. Its caller writes the fields while all shares are empty. */
static struct region {
  parallel_task task;
  const void *arg;
  int64_t count, chunks;
  int     threads;
  atomic_int processor;                /* the number of the processor that runs the caller */
  fenv_t  environment;                 /* the caller's rounding mode, and whether denormal numbers are flushed to
                                       ** zero */
  atomic_int  done;                    /* the number of chunks that workers have finished */
  atomic_bool stopped;                 /* true: the caller's operation is cancelled */
  atomic_bool caller_sleeps;
  pthread_mutex_t lock;
  pthread_cond_t  finished;
} region = {.lock = PTHREAD_MUTEX_INITIALIZER, .finished = PTHREAD_COND_INITIALIZER};

static atomic_bool taken;              /* true: a caller uses the pool; a region of another caller then runs on that
                                       ** caller's thread alone */
static atomic_int  workers;            /* the number of started workers; only the caller that uses the pool changes
                                       ** it */
static atomic_bool refused;            /* true: the system refused to start another worker */

/* ---- shares ---- */

static uint64_t pack(int next, int end, int threads) {
  return (uint64_t)next | (uint64_t)end << 24 | (uint64_t)threads << 48;
}
static int next_of(uint64_t share)    { return (int)(share & 0xffffff); }
static int end_of(uint64_t share)     { return (int)(share >> 24 & 0xffffff); }
static int threads_of(uint64_t share) { return (int)(share >> 48); }

static bool has_chunks(uint64_t share) { return next_of(share) < end_of(share); }

/* Takes a chunk of the owner's share for thread `me`. Returns the chunk's number, or -1 if the share is empty or the
** region does not include thread `me`. A region does not end before all taken chunks have run. Therefore thread `me`
** may read the fields of `region` after it has taken a chunk. */
static int take_chunk(int me, int owner) {
  uint64_t share = atomic_load_explicit(&seats[owner].share, memory_order_relaxed);
  while (has_chunks(share) && me < threads_of(share))
    if (atomic_compare_exchange_weak_explicit(&seats[owner].share, &share, share + 1, memory_order_acquire, memory_order_relaxed))
      return next_of(share);
  return -1;
}

/* Runs the items of a chunk, unless the operation is cancelled. */
static void run_chunk(int chunk, int me) {
  int64_t end = region.count * (chunk + 1) / region.chunks;
  for (int64_t i = region.count * chunk / region.chunks; i < end && !cancel_due(); i++) region.task(region.arg, i, me);
}

/* Runs chunks of all shares until no chunk remains, beginning with the thread's own share. Returns the number of
** chunks run. */
static int run_chunks(int me, int threads) {
  int done = 0;
  for (int k = 0; k < threads; k++)
    for (int chunk; (chunk = take_chunk(me, (me + k) % threads)) >= 0; done++) run_chunk(chunk, me);
  return done;
}

/* ---- waiting ---- */

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Lets the other hardware thread of the core run for a moment. */
static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

enum spin { SPIN_READY, SPIN_LATE, SPIN_LOST };

/* Spins until `ready` returns true, until the nanoseconds are over, or until another process has used the
** processor. */
static enum spin spin(bool (*ready)(const void *), const void *arg, int64_t nanoseconds) {
  enum { LOOKS = 16 };                  /* the number of rounds between two readings of the clock; a reading takes 30
                                        ** ns */
  int64_t start = now(), last = start, time = start;
  for (; time - start < nanoseconds && time - last < LOST; last = time, time = now())
    for (int i = 0; i < LOOKS; i++) {
      if (ready(arg)) return SPIN_READY;
      pause_briefly();
    }
  return time - last < LOST ? SPIN_LATE : SPIN_LOST;
}

static bool has_work(const void *at) { return has_chunks(atomic_load(&((const seat *)at)->share)); }

static bool is_done(const void *chunks) {
  return atomic_load_explicit(&region.done, memory_order_acquire) == *(const int *)chunks;
}

/* Spins for *patience nanoseconds, then sleeps until the thread's share has chunks. *patience is set to SHORT_SPIN if
** other processes use the processor. *patience doubles, up to about LONG_SPIN, if work arrived while the thread was
** spinning. */
static void wait_for_work(seat *s, int64_t *patience) {
  enum spin end = spin(has_work, s, *patience);
  if (end == SPIN_LOST) *patience = SHORT_SPIN;
  if (end == SPIN_READY) {
    if (*patience < LONG_SPIN) *patience *= 2;
    return;
  }
  pthread_mutex_lock(&s->lock);
  atomic_store(&s->asleep, true);
  while (atomic_load(&s->asleep) && !has_work(s)) pthread_cond_wait(&s->wake, &s->lock);
  atomic_store(&s->asleep, false);
  pthread_mutex_unlock(&s->lock);
}

static void wake(seat *s) {
  if (!atomic_load(&s->asleep)) return;
  pthread_mutex_lock(&s->lock);
  atomic_store(&s->asleep, false);
  pthread_mutex_unlock(&s->lock);
  pthread_cond_signal(&s->wake);
}

/* Wakes up to FAN threads, from thread FAN * me + 1 on. Each of these threads wakes the next FAN threads in the same
** way, until all threads of the region are awake. */
static void wake_next(int me, int threads) {
  for (int k = FAN * me + 1; k <= FAN * me + FAN && k < threads; k++) wake(&seats[k]);
}

/* Sleeps until workers are done. If the operation can be cancelled, sleeps at most LOOK nanoseconds and then checks
** for cancellation. The caller must hold region.lock. */
static void sleep_until_done(void) {
  if (!this_operation.asked) {
    pthread_cond_wait(&region.finished, &region.lock);
    return;
  }
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += LOOK;
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&region.finished, &region.lock, &end);
  pthread_mutex_unlock(&region.lock);
  if (cancel_due()) atomic_store(&region.stopped, true);
  pthread_mutex_lock(&region.lock);
}

/* Returns as soon as workers have finished `chunks` chunks in total. */
static void wait_for_workers(int chunks) {
  if (this_operation.stopped) atomic_store(&region.stopped, true);
  if (is_done(&chunks) || spin(is_done, &chunks, FINISH_SPIN) == SPIN_READY) return;
  pthread_mutex_lock(&region.lock);
  atomic_store(&region.caller_sleeps, true);
  while (atomic_load(&region.done) != chunks) sleep_until_done();
  atomic_store(&region.caller_sleeps, false);
  pthread_mutex_unlock(&region.lock);
}

static void report_done(int chunks) {
  atomic_fetch_add(&region.done, chunks);
  if (!atomic_load(&region.caller_sleeps)) return;
  pthread_mutex_lock(&region.lock);
  pthread_mutex_unlock(&region.lock);
  pthread_cond_signal(&region.finished);
}

/* ---- workers ---- */

static bool is_region_stopped(void *unused) {
  (void)unused;
  return atomic_load_explicit(&region.stopped, memory_order_relaxed);
}

#ifdef __linux__
/* Moves this thread off the caller's processor. In virtual machines whose host takes idle processors away, Linux
** wakes a thread on the processor of the waking thread instead of on an idle processor. Without this function both
** threads would share one processor. */
static void avoid_caller(int64_t *moved) {
  cpu_set_t all, others;
  int processor = atomic_load_explicit(&region.processor, memory_order_relaxed);
  if (sched_getcpu() != processor || now() - *moved < MOVE_AFTER || sched_getaffinity(0, sizeof all, &all) != 0) return;
  *moved = now();
  others = all;
  CPU_CLR((size_t)processor, &others);
  if (CPU_COUNT(&others) == 0) return;
  sched_setaffinity(0, sizeof others, &others);
  sched_setaffinity(0, sizeof all, &all);
}

static int processor_now(void) { return sched_getcpu(); }
#else
static void avoid_caller(int64_t *moved) { (void)moved; }
static int processor_now(void) { return -1; }
#endif

static void *work(void *at) {
  seat *mine = at;
  int me = (int)(mine - seats);
  int64_t moved = 0, patience = LONG_SPIN;
  bool knows_blas = false;               /* true: this worker has set its OpenMP number of threads; this happens only if
                                         ** BLAS is in use, because OpenMP then maps 64 MiB of address space */
  for (;;) {
    wait_for_work(mine, &patience);
    wake_next(me, threads_of(atomic_load(&mine->share)));
    avoid_caller(&moved);
    int chunk = take_chunk(me, me);
    if (chunk < 0) continue;
    fesetenv(&region.environment);
    if (!knows_blas && cpu_blas_in_use()) {
      cpu_blas_worker();
      knows_blas = true;
    }
    this_operation = (operation){.asked = is_region_stopped};
    run_chunk(chunk, me);
    report_done(1 + run_chunks(me, region.threads));
  }
  return NULL;
}

/* Blocks all signals except faults, and saves the previous mask in *before. The host's threads handle signals, but a
** fault must reach the thread that causes it. */
static void block_signals(sigset_t *before) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
  sigset_t all;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_SETMASK, &all, before);
}

static bool start_worker(int me) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_mutex_init(&seats[me].lock, NULL);
  pthread_cond_init(&seats[me].wake, NULL);
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  bool started = pthread_attr_setstacksize(&attributes, STACK) == 0 && pthread_create(&thread, &attributes, work, &seats[me]) == 0;
  pthread_attr_destroy(&attributes);
#ifdef __linux__
  if (started) pthread_setname_np(thread, "luatensor");
#endif
  return started;
}

/* True if ROOM bytes of address space are free. If the address space is limited, the stacks of threads must not take
** all of it, because results need address space, too. */
static bool leaves_room(void) {
  void *p = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p != MAP_FAILED) munmap(p, ROOM);
  return p != MAP_FAILED;
}

/* Starts workers until the workers and the caller together are `threads` threads. Returns the number of available
** threads including the caller, at most `threads`. */
static int start_workers(int threads) {
  int there = atomic_load_explicit(&workers, memory_order_relaxed) + 1;
  if (there >= threads || atomic_load_explicit(&refused, memory_order_relaxed)) return there < threads ? there : threads;
  sigset_t before;
  block_signals(&before);
  while (there < threads && leaves_room() && start_worker(there)) there++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  atomic_store(&workers, there - 1);
  if (there < threads) atomic_store(&refused, true);
  return there;
}

int cpu_parallel_limit(void) { return atomic_load(&refused) ? atomic_load(&workers) : INT_MAX; }

void cpu_parallel_retry(void) { atomic_store(&refused, false); }

/* ---- regions ---- */

static void run_alone(int64_t count, parallel_task task, const void *arg) {
  for (int64_t i = 0; i < count; i++) {
    task(arg, i, 0);
    if (i + 1 < count && cancel_due()) return;
  }
}

/* Runs a region on the pool. The caller must have set `taken`. */
static void run_region(int threads, int64_t count, parallel_task task, const void *arg) {
  int chunks = count < (int64_t)CHUNKS * threads ? (int)count : CHUNKS * threads;
  region.task = task;
  region.arg = arg;
  region.count = count;
  region.chunks = chunks;
  region.threads = threads;
  fegetenv(&region.environment);
  atomic_store_explicit(&region.processor, processor_now(), memory_order_relaxed);
  atomic_store_explicit(&region.done, 0, memory_order_relaxed);
  atomic_store_explicit(&region.stopped, false, memory_order_relaxed);
  for (int t = threads - 1; t >= 0; t--) atomic_store(&seats[t].share, pack(chunks * t / threads, chunks * (t + 1) / threads, threads));
  wake_next(0, threads);
  wait_for_workers(chunks - run_chunks(0, threads));
}

void cpu_parallel(int threads, int64_t count, parallel_task task, const void *arg) {
  if (this_operation.stopped) return;          /* workers would notice the cancellation too late */
  if (threads > count) threads = (int)count;
  if (threads < 2 || atomic_load_explicit(&taken, memory_order_relaxed) || atomic_exchange(&taken, true)) {
    run_alone(count, task, arg);
    return;
  }
  threads = start_workers(threads);
  if (threads > 1) run_region(threads, count, task, arg);
  else run_alone(count, task, arg);
  atomic_store_explicit(&taken, false, memory_order_release);
}

/* ---- forks ---- */

/* Resets the pool in the child of a fork, which has no workers. The child starts its own workers when a region needs
** workers. */
static void in_child(void) {
  for (int t = 0; t < MOST && (t == 0 || t <= atomic_load(&workers)); t++) {
    atomic_store(&seats[t].share, 0);
    atomic_store(&seats[t].asleep, false);
  }
  atomic_store(&workers, 0);
  atomic_store(&refused, false);
  atomic_store(&taken, false);
  atomic_store(&region.caller_sleeps, false);
  pthread_mutex_init(&region.lock, NULL);
  pthread_cond_init(&region.finished, NULL);
}

__attribute__((constructor)) static void prepare(void) { pthread_atfork(NULL, NULL, in_child); }
