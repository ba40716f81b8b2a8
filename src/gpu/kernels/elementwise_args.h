#ifndef LT_GPU_KERNELS_ELEMENTWISE_ARGS_H
#define LT_GPU_KERNELS_ELEMENTWISE_ARGS_H

/* The parameters of the kernels in elementwise.cuh. This header is included by the kernels and by
** gpu/elementwise.c. */

#include "gpu/kernels/plan.cuh"

enum { ELEMENTWISE_THREADS = 256, ELEMENTWISE_MOST_IN = 11, ELEMENTWISE_MOST_OUT = 8, ELEMENTWISE_MOST_CONSTANTS = 32 };

/* The layouts of the inputs of a program whose results are contiguous. FLAT: each input is contiguous or has one value.
** ROWS: so is each input along the inner dim of the plan, whose length is a multiple of a vector. STRIDED: any strides. */
enum { LAYOUT_FLAT, LAYOUT_ROWS, LAYOUT_STRIDED };

/* An input: the elements at `data` or, if `data` is NULL, the number `value` in the input's compute dtype. */
typedef struct elementwise_in {
  const void *data;
  gpu_word    value;
} elementwise_in;

typedef struct elementwise_args {
  void    *out[ELEMENTWISE_MOST_OUT];
  elementwise_in in[ELEMENTWISE_MOST_IN];
  gpu_word constant[ELEMENTWISE_MOST_CONSTANTS];     /* arguments, so that a kernel serves all numbers */
  int64_t  count;            /* number of elements; used only by elementwise_flat */
  uint32_t runs;             /* bit k is set if input k is contiguous (elementwise_rows: along the inner dim);
                             ** otherwise the input has one value */
} elementwise_args;

#endif
