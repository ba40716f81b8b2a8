/* Convolutions without columns, for groups of few channels. A thread computes an element of y or of x's gradient, and
** a block computes an element of w's gradient.
**   STORE  DT_float32 …: the dtype of x, w and y */

#define KERNEL_THREADS CONV_THREADS

#include "gpu/kernels/nn/conv_window.cuh"
#include "gpu/kernels/groups.cuh"
#include "gpu/kernels/scalar.cuh"

typedef stored_t<STORE>  stored;
typedef compute_t<STORE> C;

INLINE C load(const void *p, int64_t i) { return element<STORE>::load(((const stored *)p)[i]); }
INLINE void store(void *p, int64_t i, C x) { ((stored *)p)[i] = convert<STORE, element<STORE>::compute>(x); }

INLINE int64_t area(const int32_t (&length)[2]) { return (int64_t)length[0] * length[1]; }

/* Returns the number of the plane of channel c of an image, counted over all images. */
INLINE int64_t plane(uint32_t image, int channels, int c) { return (int64_t)image * channels + c; }

/* Adds to `sum` the products of one channel's elements of x and w that contribute to y at (row, column). The
** parameters x and w are the offsets of the channel's first elements in p.x and p.w. */
INLINE C sum_window(const conv_direct &p, C sum, int64_t x, int64_t w, int row, int column) {
  for (int a = 0; a < p.at.kernel[0]; a++) {
    int from_row = tap_reads(p.at, 0, row, a);
    for (int b = 0; b < p.at.kernel[1]; b++) {
      int from = tap_reads(p.at, 1, column, b);
      if (is_inside(p.at, from_row, from))
        sum = m_fma(load(p.x, x + (int64_t)from_row * p.at.in[1] + from), load(p.w, w + a * p.at.kernel[1] + b), sum);
    }
  }
  return sum;
}

KERNEL(conv_direct_forward)(conv_direct p) {
  uint32_t i = (uint32_t)grid_thread(), thread = i;
  if (i >= p.threads) return;
  uint32_t at = take_part(i, p.line);
  int column = (int)take_part(at, p.width), row = (int)at, o = (int)take_part(i, p.channels);
  int first = o / p.out_group * p.in_group;
  C sum = 0;
  for (int c = 0; c < p.in_group; c++)
    sum = sum_window(p, sum, plane(i, p.groups * p.in_group, first + c) * area(p.at.in),
                     ((int64_t)o * p.in_group + c) * area(p.at.kernel), row, column);
  if (p.bias) sum += load(p.bias, o);
  store(p.y, thread, sum);
}

/* Adds to `sum` the products of one channel's elements of y and w that contribute to the gradient of x at (row,
** column). The parameters y and w are the offsets of the channel's first elements in p.y and p.w. */
INLINE C sum_back(const conv_direct &p, C sum, int64_t y, int64_t w, int row, int column) {
  for (int a = 0; a < p.at.kernel[0]; a++) {
    int from_row = tap_of(p.at, 0, row, a);
    for (int b = 0; b < p.at.kernel[1]; b++) {
      int from = tap_of(p.at, 1, column, b);
      if (from_row >= 0 && from >= 0)
        sum = m_fma(load(p.y, y + (int64_t)from_row * p.at.out[1] + from), load(p.w, w + a * p.at.kernel[1] + b), sum);
    }
  }
  return sum;
}

KERNEL(conv_direct_input)(conv_direct p) {
  uint32_t i = (uint32_t)grid_thread(), thread = i;
  if (i >= p.threads) return;
  uint32_t at = take_part(i, p.line);
  int column = (int)take_part(at, p.width), row = (int)at, c = (int)take_part(i, p.channels);
  int group = c / p.in_group, in_group = c % p.in_group;
  C sum = 0;
  for (int k = 0; k < p.out_group; k++) {
    int o = group * p.out_group + k;
    sum = sum_back(p, sum, plane(i, p.groups * p.out_group, o) * area(p.at.out),
                   ((int64_t)o * p.in_group + in_group) * area(p.at.kernel), row, column);
  }
  store(p.x, thread, sum);
}

/* Each block of conv_direct_weight computes one element of w's gradient. Thread t adds the products for positions t,
** t + CONV_THREADS … of y, counted over all images. weight_sum merges the sums of the threads. */
struct weight_sum {
  typedef C A;
  static __device__ __forceinline__ C merge(C a, C b) { return a + b; }
};

KERNEL_COOPERATIVE(conv_direct_weight)(conv_direct p) {
  const int taps = (int)area(p.at.kernel), tap = (int)(blockIdx.x % taps), a = tap / p.at.kernel[1], b = tap % p.at.kernel[1];
  const int rest = (int)(blockIdx.x / taps), o = rest / p.in_group, c = o / p.out_group * p.in_group + rest % p.in_group;
  const uint32_t positions = p.line.d;
  C sum = 0;
  uint32_t i = threadIdx.x % positions;
  for (int64_t image = threadIdx.x / positions; image < p.images;) {
    uint32_t at = i;
    int from = tap_reads(p.at, 1, (int)take_part(at, p.width), b), from_row = tap_reads(p.at, 0, (int)at, a);
    int64_t x = (image * p.groups * p.in_group + c) * area(p.at.in) + (int64_t)from_row * p.at.in[1] + from;
    int64_t y = (image * p.groups * p.out_group + o) * positions + i;
    if (is_inside(p.at, from_row, from)) sum = m_fma(load(p.x, x), load(p.y, y), sum);
    i += CONV_THREADS % positions;
    image += CONV_THREADS / positions + (i >= positions);
    if (i >= positions) i -= positions;
  }
  sum = merge_group<weight_sum>(sum, CONV_THREADS);
  if (threadIdx.x == 0) store(p.w, blockIdx.x, sum);
}
