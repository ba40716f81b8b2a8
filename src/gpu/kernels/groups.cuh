#ifndef LT_GPU_KERNELS_GROUPS_CUH
#define LT_GPU_KERNELS_GROUPS_CUH

/* Cooperation of the threads in a block: exchanges values between the lanes of a warp, and merges the values of a
** group of threads. */

#include "gpu/kernels/prelude.cuh"

enum { WARP = LANES, WARPS_MOST = 1024 / WARP };      /* numbers of threads of a warp, and of warps of a block */

/* A value of any type as 32-bit words, because the shuffle instructions exchange words. */
template <class T> union words {
  enum { COUNT = (sizeof(T) + 3) / 4 };
  T        value;
  unsigned word[COUNT];
};

#define SHUFFLE(name, instruction)                                                                     \
  template <class T> INLINE T name(T x, int lanes) {                                                   \
    words<T> w;                                                                                        \
    w.value = x;                                                                                       \
    for (int i = 0; i < words<T>::COUNT; i++) w.word[i] = instruction(w.word[i], lanes);               \
    return w.value;                                                                                    \
  }
SHUFFLE(shuffle_down, lane_down)           /* returns x of the lane that is `lanes` lanes later */
SHUFFLE(shuffle_up, lane_up)               /* returns x of the lane that is `lanes` lanes earlier; the first `lanes`
                                           ** lanes get their own x */
SHUFFLE(shuffle_from, lane_from)           /* returns x of the lane with the number `lanes` */

INLINE int lane_in_warp() { return (int)threadIdx.x % WARP; }

/* Merges the values of each group of `size` (a power of 2) neighbouring threads by Row::merge. All threads of a group
** get the result. Every thread of the block must call this function. Neighbours are merged first, so that rounding
** errors grow only with the logarithm of `size`. */
template <class Row> INLINE typename Row::A merge_group(typename Row::A a, int size) {
  typedef typename Row::A A;
  int lane = lane_in_warp(), inside = size < WARP ? size : WARP;
  for (int by = 1; by < inside; by *= 2) a = Row::merge(a, shuffle_down(a, by));
  if (size <= WARP) return shuffle_from(a, lane & ~(size - 1));
  __shared__ words<A> slot[WARPS_MOST];
  int warps = size / WARP, warp = (int)threadIdx.x / WARP;
  __syncthreads();                                     /* threads may still read the slots for an earlier call */
  if (lane == 0) slot[warp].value = a;
  __syncthreads();
  a = slot[(warp & ~(warps - 1)) + (lane & (warps - 1))].value;
  for (int by = 1; by < warps; by *= 2) a = Row::merge(a, shuffle_down(a, by));
  return shuffle_from(a, 0);
}

/* Merges, by Row::merge, the values of `rows` threads that are `columns` threads apart. The block has at most THREADS
** threads. Every thread of the block must call this function. */
template <class Row, int THREADS>
INLINE typename Row::A merge_columns(typename Row::A a, int columns, int rows) {
  __shared__ words<typename Row::A> all[THREADS];
  int t = (int)threadIdx.x, row = t / columns, half = 1;
  while (half < rows) half *= 2;
  __syncthreads();
  all[t].value = a;
  __syncthreads();
  for (half /= 2; half > 0; half /= 2) {
    if (row < half && row + half < rows)
      all[t].value = Row::merge(all[t].value, all[t + half * columns].value);
    __syncthreads();
  }
  return all[t % columns].value;
}

#endif
