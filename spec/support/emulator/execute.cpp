/* Runs kernels. The blocks of a launch run one after another. The threads of a block also run one after another, on
** one fiber. A thread that waits for other threads keeps its fiber, and the next thread gets another fiber. A kernel
** without barriers therefore runs as a plain loop. */

#include "emulator.h"
#include "fiber.h"
#include "simt_abi.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace emulator {

enum { LANES_LEAST = 32, MAX_THREADS = 1024 };     /* LANES_LEAST: the smallest number of lanes of a warp */

/* ---- the block that is running ---- */

struct thread {
  unsigned index[3];
  fiber   *on;
  bool     at_warp;                    /* the thread waits for other lanes of its warp */
  int      waits;                      /* number of comparisons in vain (atomicCAS) */
  simt_mask mask, ballot;
  unsigned source;
  unsigned long long value, result;
  int      predicate;
};

static struct {
  const launch *l;
  simt_state *now;
  int  threads, started, finished;
  int  at_barrier, barrier_sum, barrier_result;
  thread *current;
  thread  all[MAX_THREADS];
  int  lanes;                          /* number of lanes of a warp: 32 or 64 */
  simt_mask here[MAX_THREADS / LANES_LEAST];   /* for each warp: bit mask of the lanes that wait for other lanes */
  std::vector<thread *> waiting;       /* the threads that wait at the barrier */
  std::vector<thread *> ready;         /* the threads whose wait has ended; those before index next_ready have already
                                       ** continued */
  size_t next_ready;
  fiber *starting;                     /* the fiber that is about to run its first thread of this block */
  int  failed;
} block;

static fiber home;                     /* the stack from which execute() was called */
static std::vector<fiber *> &idle = *new std::vector<fiber *>;
static std::vector<fiber *> &all_fibers = *new std::vector<fiber *>;

static void fail(int result, const char *why) {
  const unsigned *t = block.current->index, *b = block.now->block;
  fprintf(stderr, "emulator: kernel %s, block (%u, %u, %u), thread (%u, %u, %u): %s\n", block.l->kernel->name,
          b[0], b[1], b[2], t[0], t[1], t[2], why);
  block.failed = result;
}

static void wake(thread *t) {
  if (block.next_ready == block.ready.size()) {
    block.ready.clear();
    block.next_ready = 0;
  }
  block.ready.push_back(t);
}

static void start_next(fiber *f) {
  int n = block.started++;
  if (settings.reverse) n = block.threads - 1 - n;
  const unsigned *size = block.l->block;
  thread *t = &block.all[n];
  *t = thread();
  t->index[0] = n % size[0];
  t->index[1] = n / size[0] % size[1];
  t->index[2] = n / size[0] / size[1];
  t->on = f;
  block.current = t;
  memcpy(block.now->thread, t->index, sizeof t->index);
}

/* ---- fibers ---- */

static void fiber_body();

static fiber *take_fiber() {
  if (idle.empty()) {
    fiber *f = new fiber;
    if (!fiber_make(f, fiber_body)) { delete f; return nullptr; }
    all_fibers.push_back(f);
    return f;
  }
  fiber *f = idle.back();
  idle.pop_back();
  return f;
}

/* Returns the fiber that runs next if a thread waits or a fiber has no more threads. Returns `home` if no fiber can
** run. */
static fiber *next_fiber() {
  if (block.failed) return &home;
  if (block.next_ready < block.ready.size()) return block.ready[block.next_ready++]->on;
  if (block.started == block.threads) return &home;
  block.starting = take_fiber();
  if (!block.starting) block.failed = LAUNCH_OUT_OF_RESOURCES;
  return block.starting ? block.starting : &home;
}

/* The function that every fiber runs. Each iteration runs threads of one block until all threads have started, and
** then lets the fiber wait for another block. */
static void fiber_body() {
  fiber *self = block.starting;
  fiber_started();
  for (;;) {
    start_next(self);
    block.l->kernel->run(block.l->arguments);
    idle.push_back(self);
    fiber_switch(self, next_fiber());
  }
}

/* Resets all fibers after a failed kernel, because its interrupted threads must not continue. */
static void remake_fibers() {
  idle.clear();
  for (fiber *f : all_fibers)
    if (fiber_make(f, fiber_body)) idle.push_back(f);
}

/* Runs other fibers, `next` first, until wake() was called for this thread. If block.failed is set, the thread never
** continues. */
static void switch_to(fiber *next) {
  thread *self = block.current;
  fiber_switch(self->on, next);
  block.current = self;
  memcpy(block.now->thread, self->index, sizeof self->index);
}

static void pause() { switch_to(next_fiber()); }

/* ---- the functions of struct simt_host, which kernels call ---- */

static int host_next() {
  block.finished++;
  if (block.started == block.threads) return 0;
  start_next(block.current->on);
  return 1;
}

static int host_barrier(int p) {
  block.barrier_sum += p;
  if (++block.at_barrier < block.threads) {
    block.waiting.push_back(block.current);
    pause();
    return block.barrier_result;
  }
  block.barrier_result = block.barrier_sum;
  block.at_barrier = block.barrier_sum = 0;
  for (thread *t : block.waiting) wake(t);
  block.waiting.clear();
  return block.barrier_result;
}

static int number(const thread *t) { return int(t - block.all); }

static unsigned host_lane() { return unsigned(number(block.current) % block.lanes); }

static thread *warp_of(const thread *t) { return &block.all[number(t) / block.lanes * block.lanes]; }

/* Returns the bit mask of the warp's lanes that have a thread. The last warp of a block may have fewer threads than
** lanes. */
static simt_mask lanes_of(const thread *t) {
  int n = block.threads - int(warp_of(t) - block.all);
  if (n > block.lanes) n = block.lanes;
  return ~simt_mask(0) >> (64 - n);
}

static simt_mask host_active() { return simt_mask(1) << host_lane(); }

static void impossible(int result, const char *why) {
  fail(result, why);
  pause();
}

/* Gives each lane of the mask its result. Called when all lanes of the mask have arrived. */
static void finish_exchange(thread *warp, simt_mask mask) {
  simt_mask ballot = 0;
  for (simt_mask rest = mask; rest; rest &= rest - 1) {
    const thread &t = warp[__builtin_ctzll(rest)];
    if (t.mask != mask) impossible(LAUNCH_FAILED, "lanes of a warp meet with different masks");
    if (t.source >= unsigned(block.lanes) || !(mask >> t.source & 1))
      impossible(LAUNCH_FAILED, "a shuffle reads a lane that is not in its mask");
    ballot |= simt_mask(t.predicate) << __builtin_ctzll(rest);
  }
  for (simt_mask rest = mask; rest; rest &= rest - 1) {
    thread *t = &warp[__builtin_ctzll(rest)];
    t->result = warp[t->source].value;
    t->ballot = ballot;
    t->at_warp = false;
    if (t != block.current) wake(t);
  }
}

/* Waits until all lanes of the mask have called this function, and exchanges their values and predicates. */
static void meet(simt_mask mask, unsigned long long value, unsigned source, int predicate) {
  thread *self = block.current, *warp = warp_of(self);
  unsigned lane = host_lane();
  simt_mask &here = block.here[number(self) / block.lanes];
  mask &= lanes_of(self);
  if (!(mask >> lane & 1)) impossible(LAUNCH_FAILED, "calls a warp function with a mask that leaves it out");
  self->at_warp = true;
  self->mask = mask;
  self->value = value;
  self->source = source;
  self->predicate = predicate;
  here |= simt_mask(1) << lane;
  if ((here & mask) != mask) return pause();
  here &= ~mask;
  finish_exchange(warp, mask);
}

static simt_mask host_vote(simt_mask mask, int p) {
  meet(mask, 0, host_lane(), p);
  return block.current->ballot;
}

static unsigned long long host_exchange(simt_mask mask, unsigned long long bits, unsigned source) {
  meet(mask, bits, source, 0);
  return block.current->result;
}

static void host_fail(int result, const char *why) { impossible(result, why); }

/* With the setting `contend`, starts a thread of the block that has not started, or else runs the thread that has not run
** for the longest time. A kernel fails if a thread waits for too many rounds. */
static void host_yield(int waits) {
  thread *self = block.current;
  if (!settings.contend) return;
  if (waits && ++self->waits > settings.contend) impossible(LAUNCH_FAILED, "waits for a lock for too many rounds");
  wake(self);
  fiber *next = block.started < block.threads ? block.starting = take_fiber() : next_fiber();
  if (!next) block.failed = LAUNCH_OUT_OF_RESOURCES;
  switch_to(next ? next : &home);
}

static const simt_host host = {host_next, host_barrier, host_vote, host_exchange, host_active, host_lane, host_fail, host_yield};

/* ---- running a block and a launch ---- */

static void stuck() {
  char why[120];
  int at_warp = 0;
  for (int i = 0; i < block.started; i++) {
    thread *t = &block.all[settings.reverse ? block.threads - 1 - i : i];
    if (t->at_warp) at_warp++, block.current = t;
  }
  if (at_warp) {
    snprintf(why, sizeof why, "waits for lanes of its warp that do not come (mask 0x%llx)", block.current->mask);
  } else {
    block.current = block.waiting[0];
    snprintf(why, sizeof why, "waits at a barrier that %d of %d threads never reach",
             block.threads - block.at_barrier, block.threads);
  }
  fail(LAUNCH_FAILED, why);
}

static int run_block() {
  block.started = block.finished = block.at_barrier = block.barrier_sum = block.failed = 0;
  block.waiting.clear();
  block.ready.clear();
  block.next_ready = 0;
  memset(block.here, 0, sizeof block.here);
  while (!block.failed && block.finished < block.threads) {
    fiber *f = next_fiber();
    if (f != &home) fiber_switch(&home, f);
    else if (!block.failed) stuck();
  }
  return block.failed;
}

static volatile sig_atomic_t running;

static int run_grid(const launch &l) {
  unsigned *b = block.now->block;
  for (b[2] = 0; b[2] < l.grid[2]; b[2]++)
    for (b[1] = 0; b[1] < l.grid[1]; b[1]++)
      for (b[0] = 0; b[0] < l.grid[0]; b[0]++)
        if (int r = run_block()) return r;
  return SUCCESS;
}

int execute(const launch &l) {
  simt_state *now = l.module->state;
  block.l = &l;
  block.now = now;
  block.lanes = now->lanes = settings.lanes;
  block.threads = int(l.block[0] * l.block[1] * l.block[2]);
  memcpy(now->block_size, l.block, sizeof l.block);
  memcpy(now->grid_size, l.grid, sizeof l.grid);
  memset(l.module->shared, 0xcb, l.shared);          /* a pattern, because the contents of dynamic shared memory are
                                                     ** undefined */
  now->host = &host;
  running = 1;
  fiber_home(&home);
  int result = run_grid(l);
  running = 0;
  if (result) remake_fibers();
  return result;
}

/* ---- faults ---- */

static struct sigaction former[NSIG];

static void say(const char *text) {
  if (write(2, text, strlen(text)) < 0) return;
}

/* Leaves a failed kernel. The signal handler continues with this function, on the kernel's stack, whose contents are
** no longer needed. */
static void escape() {
  fiber_switch(block.current->on, &home);
}

static void escape_from(void *context) {
  fiber *f = block.current->on;
  uintptr_t top = reinterpret_cast<uintptr_t>(f->stack) + f->size - 256;
  ucontext_t *c = static_cast<ucontext_t *>(context);
#if defined __x86_64__
  c->uc_mcontext.gregs[REG_RSP] = greg_t(top - 8);   /* a called function expects this alignment of the stack
                                                     ** pointer */
  c->uc_mcontext.gregs[REG_RIP] = greg_t(reinterpret_cast<uintptr_t>(escape));
#elif defined __aarch64__
  c->uc_mcontext.sp = top;
  c->uc_mcontext.pc = reinterpret_cast<uintptr_t>(escape);
#else
#error "how does a signal handler return to another place on this machine?"
#endif
}

static void in_kernel(int signal, const siginfo_t *info) {
  char why[80];
  int result = signal == SIGFPE ? LAUNCH_FAILED : signal == SIGILL ? MISALIGNED_ADDRESS : ILLEGAL_ADDRESS;
  if (result == ILLEGAL_ADDRESS) snprintf(why, sizeof why, "illegal address %p", info->si_addr);
  else snprintf(why, sizeof why, signal == SIGFPE ? "integer division by zero" : "misaligned address");
  fail(result, why);
}

static void on_fault(int signal, siginfo_t *info, void *context) {
  if (running) {
    in_kernel(signal, info);
    return escape_from(context);
  }
  if ((signal == SIGSEGV || signal == SIGBUS) && memory_is_device(info->si_addr)) {
    void *frames[32];
    say("emulator: host access to device memory\n");
    backtrace_symbols_fd(frames, backtrace(frames, 32), 2);
    abort();
  }
  const struct sigaction &f = former[signal];
  if (f.sa_flags & SA_SIGINFO) return f.sa_sigaction(signal, info, context);
  if (f.sa_handler != SIG_DFL && f.sa_handler != SIG_IGN) return f.sa_handler(signal);
  ::signal(signal, SIG_DFL);                         /* when the handler returns, the instruction raises the signal
                                                     ** again, which ends the process */
}

void catch_faults() {
  void *warm[1];
  backtrace(warm, 1);                                /* loads libgcc now, because a signal handler must not load
                                                     ** libraries */
  stack_t s = {};
  /* a separate stack for the handler, because a kernel may overflow its own stack */
  s.ss_size = 64 << 10;
  s.ss_sp = mmap(nullptr, s.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t is;
  if (!sigaltstack(nullptr, &is) && (is.ss_flags & SS_DISABLE)) sigaltstack(&s, nullptr);
  struct sigaction a = {};
  a.sa_sigaction = on_fault;
  a.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &a, &former[signal]);
}

}
