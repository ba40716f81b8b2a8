/* Converts between the input x of a convolution and columns. Each position of the output y has a column, which contains
** the elements of x that the position reads. A convolution is a matrix product with the columns (im2col, Chellapilla,
** Puri, Simard: High Performance Convolutional Neural Networks, 2006).
**   IN, OUT  DT_float32 …: the dtypes of the kernel's input and output */

#define KERNEL_THREADS CONV_THREADS

#include "gpu/kernels/nn/conv_window.cuh"
#include "gpu/kernels/scalar.cuh"

typedef stored_t<IN>  in_t;
typedef stored_t<OUT> out_t;
typedef compute_t<IN> C;

/* Makes columns from x. A thread copies all elements that one position of y reads from one channel. Neighbouring
** threads write neighbouring elements, and read neighbouring elements if the stride is 1. */
KERNEL(conv_unfold)(conv_columns p) {
  uint32_t i = (uint32_t)grid_thread();
  if (i >= p.threads) return;
  int position = (int)take_part(i, p.line), channel = (int)take_part(i, p.channels), group = (int)take_part(i, p.groups);
  uint32_t at = (uint32_t)(p.first + position);
  int column = (int)take_part(at, p.width), row = (int)at;
  const in_t *x = (const in_t *)p.x + i * p.x_image + group * p.x_group + channel * p.x_channel;
  out_t *out = (out_t *)p.columns + i * p.image + group * p.group + channel * p.channel + position;
  for (int a = 0; a < p.at.kernel[0]; a++) {
    int from_row = tap_reads(p.at, 0, row, a);
    for (int b = 0; b < p.at.kernel[1]; b++) {
      int from = tap_reads(p.at, 1, column, b);
      bool inside = is_inside(p.at, from_row, from);
      *out = inside ? convert<OUT, IN>(x[(int64_t)from_row * p.at.in[1] + from]) : convert<OUT, DT_float32>(0.0f);
      out += p.tap;
    }
  }
}

/* Sums columns to x (col2im). The columns must belong to all positions of y. A thread computes an element of x: it adds
** the copies of this element in the columns, in the order of the kernel's elements. */
KERNEL(conv_fold)(conv_columns p) {
  uint32_t i = (uint32_t)grid_thread();
  if (i >= p.threads) return;
  uint32_t element = take_part(i, p.line), at = element;
  int column = (int)take_part(at, p.width), row = (int)at;
  int channel = (int)take_part(i, p.channels), group = (int)take_part(i, p.groups);
  const in_t *in = (const in_t *)p.columns + i * p.image + group * p.group + channel * p.channel;
  C sum = 0;
  for (int a = 0; a < p.at.kernel[0]; a++) {
    int from_row = tap_of(p.at, 0, row, a);
    for (int b = 0; b < p.at.kernel[1]; b++) {
      int from = tap_of(p.at, 1, column, b);
      if (from_row < 0 || from < 0) continue;
      sum += ::element<IN>::load(in[(a * p.at.kernel[1] + b) * p.tap + (int64_t)from_row * p.at.out[1] + from]);
    }
  }
  ((out_t *)p.x)[i * p.x_image + group * p.x_group + channel * p.x_channel + element] =
    convert<OUT, ::element<IN>::compute>(sum);
}
