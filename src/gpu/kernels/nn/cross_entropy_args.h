#ifndef LT_GPU_KERNELS_NN_CROSS_ENTROPY_ARGS_H
#define LT_GPU_KERNELS_NN_CROSS_ENTROPY_ARGS_H

/* Parameters of cross_entropy.cuh's kernels, for both sides. */

enum { CROSS_ENTROPY_THREADS = 256 };

typedef struct cross_entropy_args {
  const void    *in;
  const int64_t *classes;
  void   *losses, *sums, *out;   /* as in calls.h's cross_entropy_call */
  double *each;                  /* losses of all rows, before the sum */
  void   *late;                  /* gpu_late */
  int64_t rows, n, ignored;
  int32_t threads;               /* threads of a row, a power of 2 */
  int32_t what;                  /* gpu_note()'s number */
  int32_t ignores, single, mean; /* single: one loss for all rows */
} cross_entropy_args;

#endif
