#ifndef LT_GPU_KERNELS_NN_NORM_ARGS_H
#define LT_GPU_KERNELS_NN_NORM_ARGS_H

/* The parameters of the kernels in norm.cuh. This header is included by the kernels and by gpu/nn/norm.c. */

enum { NORM_THREADS = 256 };

/* The two sums a and b that norm_sums computes for each parameter over the parameter's elements. d is the distance of
** an element from the mean, and g is the gradient of the element's result.
**   NORM_SUM_moments   a sums d², b sums d; d is here the distance from the first element
**   NORM_SUM_channels  a sums g * d, b sums g
**   NORM_SUM_rows      a sums g * d / deviation, b sums g; mean and standard deviation belong to the element's row */
enum norm_sum { NORM_SUM_moments, NORM_SUM_channels, NORM_SUM_rows };

typedef struct norm_args {
  const void *in, *gradient, *weight, *bias;
  void       *out, *stats, *running_mean, *running_var, *dweight, *dbias;
  double     *parts;                   /* the sums of each chunk: [chunks][2][parameters] */
  double     *sums;                    /* the sums over all chunks: [2][parameters] */
  int64_t     rows, segments, run, groups;
  int64_t     chunk, chunks;           /* chunk: number of sets of `groups` rows in a chunk */
  int32_t     threads;                 /* number of threads of a row or a parameter, a power of 2 */
  int32_t     sum, channels, rms, given, backward, logarithm;
  double      eps, momentum, correction;
} norm_args;

#endif
