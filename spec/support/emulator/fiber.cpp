#include "fiber.h"

#include <cstdint>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
#define __sanitizer_start_switch_fiber(fake, stack, size)
#define __sanitizer_finish_switch_fiber(fake, stack, size)
#define ASAN_UNPOISON_MEMORY_REGION(address, size)
#endif

#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace emulator {

#ifdef __SANITIZE_ADDRESS__
enum { STACK = 256 << 10 };    /* bytes; more than without ASan, whose red zones enlarge stack frames */
#else
enum { STACK = 64 << 10 };
#endif

static bool allocate(fiber *f) {
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  void *p = mmap(nullptr, STACK + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return false;
  mprotect(p, page, PROT_NONE);
  f->stack = static_cast<char *>(p) + page;
  f->size = STACK;
  return true;
}

#ifdef __x86_64__

/* Saves the registers that a called function must preserve, stores the stack pointer in *from, and continues on the
** stack `to`. */
extern "C" void emulator_switch(void **from, void *to);
__asm__(
  ".text\n.type emulator_switch, @function\nemulator_switch:\n"
  "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
  "  movq %rsp, (%rdi)\n"
  "  movq %rsi, %rsp\n"
  "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
  "  ret\n.size emulator_switch, .-emulator_switch\n");

static void prepare(fiber *f, void (*body)()) {
  uintptr_t *top = reinterpret_cast<uintptr_t *>(static_cast<char *>(f->stack) + f->size);
  *--top = 0;                                       /* body's return address, which is never used; also aligns the
                                                    ** stack as after a call */
  *--top = reinterpret_cast<uintptr_t>(body);
  for (int i = 0; i < 6; i++) *--top = 0;
  f->context = top;
}

static void change(fiber *from, fiber *to) { emulator_switch(&from->context, to->context); }

#else

static void prepare(fiber *f, void (*body)()) {
  if (!f->context) f->context = new ucontext_t;
  ucontext_t *c = static_cast<ucontext_t *>(f->context);
  getcontext(c);
  c->uc_stack.ss_sp = f->stack;
  c->uc_stack.ss_size = f->size;
  c->uc_link = nullptr;
  makecontext(c, body, 0);
}

static void change(fiber *from, fiber *to) {
  if (!from->context) from->context = new ucontext_t;
  swapcontext(static_cast<ucontext_t *>(from->context), static_cast<ucontext_t *>(to->context));
}

#endif

bool fiber_make(fiber *f, void (*body)()) {
  if (!f->stack && !allocate(f)) return false;
  ASAN_UNPOISON_MEMORY_REGION(f->stack, f->size);   /* frames of functions that never returned are still poisoned */
  f->fake_stack = nullptr;
  prepare(f, body);
  return true;
}

void fiber_switch(fiber *from, fiber *to) {
  __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->size);
  change(from, to);
  __sanitizer_finish_switch_fiber(from->fake_stack, nullptr, nullptr);
}

void fiber_started() { __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr); }

void fiber_home(fiber *home) {
#ifdef __SANITIZE_ADDRESS__
  thread_local fiber own;
  if (!own.stack) {
    pthread_attr_t a;
    pthread_getattr_np(pthread_self(), &a);
    pthread_attr_getstack(&a, &own.stack, &own.size);
    pthread_attr_destroy(&a);
  }
  home->stack = own.stack;
  home->size = own.size;
#else
  (void)home;
#endif
}

}
