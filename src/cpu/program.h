#ifndef LT_CPU_PROGRAM_H
#define LT_CPU_PROGRAM_H

/* Element-wise programs of which a reduction reads a result block by block, so that the result needs no memory.
** All results are contiguous, and have one shape. */

#include "cpu/cpu.h"

/* ---- reductions (reduce.c) ---- */

/* Like cpu_reduce_program, for n reductions of the same elements, for which reduces_together is true. The program is
** computed once. */
int reduce_all_program(const reduce_call *const *c, int n, const elementwise_call *program, int result);

/* True if the reductions are by rows of neighbouring elements, and are cut into the same pieces. */
bool reduces_together(const reduce_call *const *c, int n);

/* ---- what a reduction calls (elementwise.c) ---- */

typedef struct program_source program_source;

/* Returns the number of threads that the program would use as a call of its own. */
int program_threads(const elementwise_call *c);

/* Prepares the program for workers 0 … threads - 1. Fails with ERR_NO_KERNEL or ERR_MEMORY. */
int  program_open(const elementwise_call *c, int result, int threads, program_source **s);
void program_close(program_source *s);

/* Computes elements first … first + n - 1, in row-major order. Writes those of the result to `to`, in the dtype of the
** call's operand, and stores those of the other results. */
void program_read(const program_source *s, int worker, int64_t first, int64_t n, char *to);

#endif
