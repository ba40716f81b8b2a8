#ifndef LT_GPU_KERNELS_LINALG_GEMM_ARGS_H
#define LT_GPU_KERNELS_LINALG_GEMM_ARGS_H

/* The parameters of the kernels in gemm.cuh, and the numbers of threads of gemm.cuh and gemm_list.cuh, for host and
** device code. Strides and steps are in elements. */

#include "math/base.h"

enum { GEMM_THREADS = 256, GEMM_LIST_THREADS = 256 };

/* A factor a or b of the product. A line is a row of a or a column of b. k is the index over which products of elements
** are summed. */
typedef struct gemm_side {
  const void *data;
  int64_t count, stride;               /* count: number of lines; stride: distance between neighbouring lines */
  int64_t k_stride, step[2];           /* k_stride: distance between neighbours along k; step: distances between
                                       ** neighbouring products along the two dims of the batch */
} gemm_side;

typedef struct gemm_arguments {
  gemm_side a, b;
  void     *c;
  int64_t   c_stride[2], c_step[2];
  int64_t   k;
  uint32_t  across;                    /* number of tiles in a row of tiles of c */
  bool      along[2];                  /* for a and b: true if neighbours along k are closer in memory than
                                       ** neighbouring lines */
  double    alpha_f, beta_f;           /* alpha is alpha_f + i * alpha_im for floats and complex numbers, and alpha_i
                                       ** for integers; beta is stored in the same way */
  double    alpha_im, beta_im;
  int64_t   alpha_i, beta_i;
} gemm_arguments;

#endif
