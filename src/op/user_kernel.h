#ifndef LT_OP_USER_KERNEL_H
#define LT_OP_USER_KERNEL_H

/* Launches kernels that a script compiled from its own source. */

#include "base/tensor.h"

/* An argument of the kernel: the address of tensor t's first element or, if t is NULL, the low bytes of `value`.
** `written` is true if the kernel writes the tensor. */
typedef struct user_kernel_input {
  const tensor *t;
  uint64_t      value;
  bool          written;
} user_kernel_input;

typedef struct user_kernel_job {
  void    *kernel;                     /* made by the device's user_kernel_make */
  unsigned grid[3], block[3], shared;  /* shared: bytes of dynamic shared memory of a block */
  int      count;
  user_kernel_input in[USER_KERNEL_ARGUMENTS];
} user_kernel_job;

int user_kernel_run(place where, const user_kernel_job *j);

#endif
