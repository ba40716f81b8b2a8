#ifndef LT_GPU_KERNELS_NN_CONV_WINDOW_CUH
#define LT_GPU_KERNELS_NN_CONV_WINDOW_CUH

/* The relation between the positions of x and of y in a convolution. */

#include "gpu/kernels/nn/conv_args.h"

#if LT_ON_GPU

/* Removes the last part of a thread's number i, which encodes (…, channel, row, column), and returns this part.
** `length` is the number of values of this part. */
INLINE uint32_t take_part(uint32_t &i, const gpu_divisor &length) {
  uint32_t rest = divide(i, length), part = i - rest * length.d;
  i = rest;
  return part;
}

/* Returns the position of x that position p of y reads for element `tap` of the kernel, along dim d. The result is
** outside of x if it is not in 0 … w.in[d] - 1. */
INLINE int tap_reads(const conv_window &w, int d, int p, int tap) {
  return p * w.stride[d] - w.pad[d] + tap * w.dilation[d];
}
INLINE bool is_inside(const conv_window &w, int y, int x) {
  return (unsigned)y < (unsigned)w.in[0] && (unsigned)x < (unsigned)w.in[1];
}

/* Returns the position of y that reads position i of x for element `tap` of the kernel, along dim d, or -1 if there
** is none. */
INLINE int tap_of(const conv_window &w, int d, int i, int tap) {
  int at = i + w.pad[d] - tap * w.dilation[d];
  if (at < 0) return -1;
  int p = w.stride[d] == 1 ? at : at / w.stride[d];
  return p * w.stride[d] == at && p < w.out[d] ? p : -1;
}

#endif

#endif
