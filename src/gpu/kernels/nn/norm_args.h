#ifndef LT_GPU_KERNELS_NN_NORM_ARGS_H
#define LT_GPU_KERNELS_NN_NORM_ARGS_H

/* The parameters of the kernels in norm.cuh. This header is included by the kernels and by gpu/nn/norm.c. */

#include "gpu/kernels/plan.cuh"

enum {
  NORM_THREADS = 256,        /* number of threads of a block, unless a row has more */
  NORM_MOST    = 512,        /* the maximum number of threads of a row */
  NORM_ROUNDS  = 2,          /* number of vectors that a thread of norm_apply computes */
  NORM_COLUMNS = 32          /* number of parameters that a block of norm_finish computes */
};

/* The number of elements of a row that a thread keeps in registers, for the size of the compute dtype in bytes. */
#define NORM_ITEMS(size) (64 / (size))

/* The two sums a and b that norm_sums computes for each parameter over the parameter's elements. d is the distance of
** an element from the mean, and g is the gradient of the element's result.
**   NORM_SUM_moments   a sums d², b sums d; d is here the distance from the first element
**   NORM_SUM_channels  a sums g * d, b sums g
**   NORM_SUM_rows      a sums g * d / deviation, b sums g; mean and standard deviation belong to the element's row */
enum norm_sum { NORM_SUM_moments, NORM_SUM_channels, NORM_SUM_rows };

/* The numbers of a channel, from which norm_apply computes the channel's results. With d = x - from - mean, the result is
** d * by + add, and the gradient of x is g * by + d * slope + add. */
enum norm_number { NORM_FROM, NORM_MEAN, NORM_BY, NORM_ADD, NORM_SLOPE, NORM_NUMBERS };

/* A divisor of numbers of up to 63 bits. If `wide` is not set, the numbers have 31 bits. */
typedef struct norm_divisor {
  gpu_divisor small;
  int64_t     length;
  int32_t     wide;
} norm_divisor;

typedef struct norm_args {
  const void *in, *gradient, *weight, *bias;
  void       *out, *stats, *running_mean, *running_var, *dweight, *dbias;
  double     *parts;                   /* the sums of each chunk: [chunks][2][parameters] */
  void       *numbers;                 /* the numbers of each channel in the compute dtype: [NORM_NUMBERS][segments] */
  int64_t     rows, segments, run, groups;
  int64_t     vectors;                 /* number of vectors of the tensor that norm_apply computes */
  int64_t     chunk, chunks;           /* chunk: number of sets of `groups` rows in a chunk */
  norm_divisor by_run, by_segments, by_groups;   /* by_run counts vectors in norm_sums and norm_apply, otherwise elements */
  int32_t     threads;                 /* number of threads of a row or a parameter, a power of 2 */
  int32_t     sum, channels, rms, given, backward, logarithm;
  double      eps, momentum, correction;
} norm_args;

#endif
