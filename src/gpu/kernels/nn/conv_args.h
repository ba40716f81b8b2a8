#ifndef LT_GPU_KERNELS_NN_CONV_ARGS_H
#define LT_GPU_KERNELS_NN_CONV_ARGS_H

/* The parameters of conv.cuh's and conv_direct.cuh's kernels, for both sides. */

#include "gpu/kernels/plan.cuh"

enum { CONV_THREADS = 256 };

/* Lengths are {height, width}. */
typedef struct conv_window {
  int32_t in[2], out[2], kernel[2], stride[2], dilation[2], pad[2];
} conv_window;

/* A piece of the unfolded x, called columns: some images and groups, `channels` channels of each group, and `count`
** positions of y from `first` on. x and columns point to the first image and channel. Steps are in elements. */
typedef struct conv_columns {
  void       *x, *columns;
  conv_window at;
  int32_t     taps;                    /* kernel[0] * kernel[1] */
  int32_t     first;
  uint32_t    threads;
  gpu_divisor line;                    /* threads of a channel: positions of y (unfold) or elements of x (fold) */
  gpu_divisor width;                   /* threads of a row */
  gpu_divisor channels, groups;
  int64_t     x_image, x_group, x_channel;
  int64_t     image, group, channel, tap;   /* steps of columns; positions are adjacent */
} conv_columns;

/* A convolution without columns. x, w and y point to the first of `images` images. */
typedef struct conv_direct {
  void       *x, *w, *y;
  const void *bias;
  conv_window at;
  uint32_t    threads;
  gpu_divisor line, width;             /* threads of a plane and of a row; each thread computes one element */
  gpu_divisor channels;                /* planes of an image */
  int32_t     groups, in_group, out_group;   /* channels of a group */
  int64_t     images;
} conv_direct;

#endif
