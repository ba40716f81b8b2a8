#ifndef LT_GPU_KERNELS_NN_UPDATE_ARGS_H
#define LT_GPU_KERNELS_NN_UPDATE_ARGS_H

/* The parameters of the kernels in update.cuh. This header is included by the kernels and by gpu/nn/update.c. */

#include "gpu/kernels/plan.cuh"

enum { UPDATE_THREADS = 256, UPDATE_MOST = 5, UPDATE_MOST_NUMBERS = 10 };

typedef struct update_args {
  void   *at[UPDATE_MOST];             /* at[0] is the parameter, at[1] the gradient, and at[2 …] are the states */
  int64_t count;                       /* number of elements; used only by update_flat */
  double  number[UPDATE_MOST_NUMBERS];
  const double *cell;                  /* only with UPDATE_CELL: the numbers, in place of `number` */
} update_args;

#endif
