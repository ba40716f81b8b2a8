#ifndef LT_OP_USER_KERNEL_H
#define LT_OP_USER_KERNEL_H

/* Launches of kernels that scripts write. */

#include "base/tensor.h"

/* An argument: the address of a tensor's first element, or the low bytes of a value if t is NULL. */
typedef struct user_kernel_input {
  const tensor *t;
  uint64_t      value;
  bool          written;
} user_kernel_input;

typedef struct user_kernel_job {
  void    *kernel;                     /* made by the device's user_kernel_make */
  unsigned grid[3], block[3], shared;  /* shared: bytes */
  int      count;
  user_kernel_input in[USER_KERNEL_ARGUMENTS];
} user_kernel_job;

int user_kernel_run(place where, const user_kernel_job *j);

#endif
