#ifndef LT_GPU_KERNELS_NN_CONV_ARGS_H
#define LT_GPU_KERNELS_NN_CONV_ARGS_H

/* The parameters of the kernels in conv.cuh and conv_direct.cuh. This header is included by the kernels and by
** gpu/nn/conv.c. */

#include "gpu/kernels/plan.cuh"

enum { CONV_THREADS = 256 };

/* The geometry of a convolution. Each array is {height, width}. */
typedef struct conv_window {
  int32_t in[2], out[2], kernel[2], stride[2], dilation[2], pad[2];
} conv_window;

/* The columns of a piece of x. The piece has some images and groups, `channels` channels of each group, and the
** positions of y from `first` on. `x` and `columns` point to the first image and channel. Steps are in elements. */
typedef struct conv_columns {
  void       *x, *columns;
  conv_window at;
  int32_t     taps;                    /* kernel[0] * kernel[1] */
  int32_t     first;
  uint32_t    threads;
  gpu_divisor line;                    /* number of threads of a channel: the piece's positions of y (conv_unfold), or
                                       ** the elements of x (conv_fold) */
  gpu_divisor width;                   /* number of threads of a row of y (conv_unfold) or of x (conv_fold) */
  gpu_divisor channels, groups;
  int64_t     x_image, x_group, x_channel;
  int64_t     image, group, channel, tap;   /* distances, in elements, between images, groups, channels and taps of
                                            ** the columns; positions are adjacent */
} conv_columns;

/* The parameters of a convolution without columns. x and y point to the first of `images` images. */
typedef struct conv_direct {
  void       *x, *w, *y;
  const void *bias;
  conv_window at;
  uint32_t    threads;
  gpu_divisor line, width;             /* line: number of elements of a plane; width: number of elements of a row. Plane
                                       ** and row belong to x in conv_direct_input, otherwise to y */
  gpu_divisor channels;                /* number of planes of an image of x or y */
  int32_t     groups, in_group, out_group;   /* groups: number of groups; in_group, out_group: number of channels of x
                                             ** and of y in a group */
  int64_t     images;
} conv_direct;

#endif
