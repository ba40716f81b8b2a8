#ifndef LT_GPU_KERNELS_LINALG_GEMM_ARGS_H
#define LT_GPU_KERNELS_LINALG_GEMM_ARGS_H

/* The parameters of gemm.cuh's kernels, for host and device. Strides are in elements. */

#include "math/base.h"

enum { GEMM_THREADS = 256 };

/* The lines of a factor: rows of a, or columns of b. */
typedef struct gemm_side {
  const void *data;
  int64_t count, stride;               /* number of lines, and the stride between them */
  int64_t k_stride, step;              /* stride along k; step between products of the batch */
} gemm_side;

typedef struct gemm_arguments {
  gemm_side a, b;
  void     *c;
  int64_t   c_stride[2], c_step;
  int64_t   k;
  uint32_t  across;                    /* tiles in a row of c */
  bool      along[2];                  /* for a and b: true if neighbours along k are adjacent in memory */
  double    alpha_f, beta_f;           /* for floats and, with im, complex numbers; integers use alpha_i and beta_i */
  double    alpha_im, beta_im;
  int64_t   alpha_i, beta_i;
} gemm_arguments;

#endif
