#ifndef LT_GPU_KERNELS_NN_CONV_ARGS_H
#define LT_GPU_KERNELS_NN_CONV_ARGS_H

/* The parameters of conv.cuh's and conv_direct.cuh's kernels, for both sides. */

#include "gpu/kernels/plan.cuh"

enum { CONV_THREADS = 256 };

/* Lengths are {height, width}. */
typedef struct conv_window {
  int32_t in[2], out[2], kernel[2], stride[2], dilation[2], pad[2];
} conv_window;

/* A piece of the unfolded x, "columns": `channels` of each of the groups in it, of some images, at `count` positions of
** y from `first` on. x and columns: of its first image and channel; steps in elements. */
typedef struct conv_columns {
  void       *x, *columns;
  conv_window at;
  int32_t     taps;                    /* kernel[0] * kernel[1] */
  int32_t     first;
  uint32_t    threads;
  gpu_divisor line;                    /* threads of a channel: positions of y (unfold), elements of x (fold) */
  gpu_divisor width;                   /* of a row of them */
  gpu_divisor channels, groups;
  int64_t     x_image, x_group, x_channel;
  int64_t     image, group, channel, tap;   /* of columns; positions are neighbours */
} conv_columns;

/* A convolution without columns: x, w and y of the first of `images` images. */
typedef struct conv_direct {
  void       *x, *w, *y;
  const void *bias;
  conv_window at;
  uint32_t    threads;
  gpu_divisor line, width;             /* elements of a plane that threads are of, and of a row of it */
  gpu_divisor channels;                /* such planes of an image */
  int32_t     groups, in_group, out_group;   /* channels of a group */
  int64_t     images;
} conv_direct;

#endif
