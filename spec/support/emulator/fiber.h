#ifndef EMULATOR_FIBER_H
#define EMULATOR_FIBER_H

/* Fibers: stacks between which execute.cpp switches, one for each waiting thread of a block. A switch takes about 3
** ns on x86-64. On other processors ucontext is used, which makes two system calls for each switch. */

#include <cstddef>

namespace emulator {

struct fiber {
  void  *stack = nullptr;      /* lowest address; the page below it is inaccessible, so that overflows are detected */
  size_t size = 0;
  void  *context = nullptr;    /* the stack pointer at the last switch from this fiber (x86-64), or a ucontext_t */
  void  *fake_stack = nullptr; /* the state that ASan stores for this stack */
};

/* Allocates a stack for f, unless it has one. The next switch to f calls body(), which must not return. */
bool fiber_make(fiber *f, void (*body)());

/* Stores the state of the running fiber in `from` and continues `to`. A later switch to `from` returns from this
** call. */
void fiber_switch(fiber *from, fiber *to);

/* Tells ASan that the switch to a new fiber is complete. Must be the first call in body(). */
void fiber_started();

/* Stores the bounds of the calling thread's stack in *home, which ASan needs. Must be called before the first switch
** from `home`. */
void fiber_home(fiber *home);

}

#endif
