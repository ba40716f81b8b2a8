#ifndef EMULATOR_FIBER_H
#define EMULATOR_FIBER_H

/* Stacks of their own that hand the processor to each other: one for each thread of a block that waits.
** A switch costs some 3 ns on x86-64; elsewhere ucontext does it, with two system calls. */

#include <cstddef>

namespace emulator {

struct fiber {
  void  *stack = nullptr;      /* the lowest address, above a page nobody may touch */
  size_t size = 0;
  void  *context = nullptr;    /* where it stopped */
  void  *fake_stack = nullptr; /* ASan's */
};

/* Gives f a stack (if it has none) and lets it start in body() at the next switch to it. body never returns. */
bool fiber_make(fiber *f, void (*body)());

/* The stack that calls becomes `from`, and goes on when somebody switches to it. */
void fiber_switch(fiber *from, fiber *to);

/* To be called first in body(). */
void fiber_started();

/* Tells where the calling thread's own stack is, before it switches from there. */
void fiber_home(fiber *home);

}

#endif
