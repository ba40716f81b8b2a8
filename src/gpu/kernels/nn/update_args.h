#ifndef LT_GPU_KERNELS_NN_UPDATE_ARGS_H
#define LT_GPU_KERNELS_NN_UPDATE_ARGS_H

/* Parameters of update.cuh's kernels, for both sides. */

#include "gpu/kernels/plan.cuh"

enum { UPDATE_THREADS = 256, UPDATE_MOST = 5, UPDATE_MOST_NUMBERS = 10 };

typedef struct update_args {
  void   *at[UPDATE_MOST];             /* parameter, gradient, states */
  int64_t count;                       /* update_flat: number of elements */
  double  number[UPDATE_MOST_NUMBERS];
} update_args;

#endif
