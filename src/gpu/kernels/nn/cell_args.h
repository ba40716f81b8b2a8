#ifndef LT_GPU_KERNELS_NN_CELL_ARGS_H
#define LT_GPU_KERNELS_NN_CELL_ARGS_H

/* The parameter of the kernels in cell.cuh. This header is included by the kernels and by gpu/nn/cell.c. */

enum {                                                       /* in the order of enum cell_operand (base/calls.h) */
  CELL_ARG_gates, CELL_ARG_before, CELL_ARG_c, CELL_ARG_h, CELL_ARG_other, CELL_ARG_dy, CELL_ARG_dh, CELL_ARG_dc,
  CELL_ARG_dgates, CELL_ARG_dother, CELL_ARGS
};

typedef struct cell_args {
  int64_t rows, width;
  void   *data[CELL_ARGS];
  int64_t row[CELL_ARGS];
} cell_args;

#endif
