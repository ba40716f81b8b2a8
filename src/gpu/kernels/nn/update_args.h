#ifndef LT_GPU_KERNELS_NN_UPDATE_ARGS_H
#define LT_GPU_KERNELS_NN_UPDATE_ARGS_H

/* The parameters of the kernels in update.cuh. This header is included by the kernels and by gpu/nn/update.c. */

#include "gpu/kernels/plan.cuh"

enum { UPDATE_THREADS = 256, UPDATE_MOST = 5, UPDATE_MOST_NUMBERS = 10 };

/* The update of one parameter. */
typedef struct update_args {
  void   *at[UPDATE_MOST];             /* at[0] is the parameter, at[1] the gradient, and at[2 …] are the states */
  int64_t count;                       /* number of elements; used only by update_flat */
  uint32_t first;                      /* number of the first block for this parameter; used only by update_flat */
  union {
    double number[UPDATE_MOST_NUMBERS];
    const double *cell;                /* only with UPDATE_CELL: the address of the numbers */
  };
} update_args;

enum { UPDATE_PARAMETERS = 30 };       /* the most that fit into 4 KiB, which is the limit of a kernel's parameters */

/* The parameters that one launch of update_flat updates. */
typedef struct update_list {
  update_args parameter[UPDATE_PARAMETERS];
  int32_t     count;
} update_list;

#endif
