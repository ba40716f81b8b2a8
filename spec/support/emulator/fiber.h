#ifndef EMULATOR_FIBER_H
#define EMULATOR_FIBER_H

/* Fibers: stacks that pass control to each other, one for each waiting thread of a block. A switch takes about 3 ns
** on x86-64; other processors use ucontext, with two system calls. */

#include <cstddef>

namespace emulator {

struct fiber {
  void  *stack = nullptr;      /* lowest address, above an inaccessible page */
  size_t size = 0;
  void  *context = nullptr;    /* stack pointer at the last switch */
  void  *fake_stack = nullptr; /* used by ASan */
};

/* Gives f a stack (if it has none), so that the next switch to f starts body(). body never returns. */
bool fiber_make(fiber *f, void (*body)());

/* Stores the calling stack in `from`, which continues at the next switch to it. */
void fiber_switch(fiber *from, fiber *to);

/* Must be the first call in body(). */
void fiber_started();

/* Stores the bounds of the calling thread's own stack, before the thread switches away. */
void fiber_home(fiber *home);

}

#endif
