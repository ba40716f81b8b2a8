#ifndef LT_GPU_KERNELS_NN_CROSS_ENTROPY_ARGS_H
#define LT_GPU_KERNELS_NN_CROSS_ENTROPY_ARGS_H

/* The parameters of the kernels in cross_entropy.cuh. This header is included by the kernels and by
** gpu/nn/cross_entropy.c. */

enum { CROSS_ENTROPY_THREADS = 256 };

typedef struct cross_entropy_args {
  const void    *in;
  const int64_t *classes;
  void   *losses, *sums, *out;   /* as in cross_entropy_call of base/calls.h */
  double *each;                  /* if `single` is set: the loss of each row, before the losses are added */
  void   *late;                  /* a gpu_late, to which errors are written */
  int64_t rows, n, ignored;
  int32_t threads;               /* number of threads of a row, a power of 2 */
  int32_t what;                  /* number of the call in messages of errors, from gpu_note */
  int32_t ignores, single, mean; /* ignores: set if rows of class `ignored` are ignored; single: set if the losses of
                                 ** all rows are added up; mean: set if their sum is divided by the number of rows
                                 ** that are not ignored */
} cross_entropy_args;

#endif
