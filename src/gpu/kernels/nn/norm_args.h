#ifndef LT_GPU_KERNELS_NN_NORM_ARGS_H
#define LT_GPU_KERNELS_NN_NORM_ARGS_H

/* Parameters of norm.cuh's kernels, for both sides. */

enum { NORM_THREADS = 256 };

/* The two sums that norm_sums makes for each parameter. moments: distances d from the first element, and their squares.
** channels: g * d and g, by the statistics of channels. rows: g * d / deviation and g, by the statistics of rows. */
enum norm_sum { NORM_SUM_moments, NORM_SUM_channels, NORM_SUM_rows };

typedef struct norm_args {
  const void *in, *gradient, *weight, *bias;
  void       *out, *stats, *running_mean, *running_var, *dweight, *dbias;
  double     *parts;                   /* [chunks][2][parameters] */
  double     *sums;                    /* [2][parameters]: the sums over all chunks */
  int64_t     rows, segments, run, groups;
  int64_t     chunk, chunks;           /* sets of `groups` rows in a chunk */
  int32_t     threads;                 /* threads of a row or a parameter, a power of 2 */
  int32_t     sum, channels, rms, given, backward, logarithm;
  double      eps, momentum, correction;
} norm_args;

#endif
