#ifndef LT_CPU_SELECT_H
#define LT_CPU_SELECT_H

/* Selection from a contiguous line: finds the elements of given ranks without a sort of the line. */

#include "cpu/cpu.h"

typedef struct select_line {
  const sort_kernel *kernel;
  int64_t n, first, end;               /* the length of the line; the 0-based ranks first … end - 1 are wanted */
  int     size;                        /* the size in bytes of an element */
  int     threads;                     /* the number of threads for the line */
} select_line;

/* Writes the wanted keys of the line x to the front of `keys`. If the line contains NaN, these keys are those of NaN.
** keys and scratch have space for n keys. If the line is not long (cpu_select_long), its keys must be in `keys`; x is
** not read then. After a cancellation, the keys are not defined. */
void cpu_select(const select_line *l, const void *x, void *keys, void *scratch);

/* True if cpu_select reads a line of n elements itself. */
bool cpu_select_long(int64_t n);

#endif
