#ifndef LT_GPU_KERNELS_SCAN_TOOLS_CUH
#define LT_GPU_KERNELS_SCAN_TOOLS_CUH

/* Scans (prefix sums) over the values of the threads of a warp or of a block. The struct Row defines the operation: the
** type A of the values, the neutral element init(), and merge(a, b), which combines a with the later value b.
** running_sum is the Row for sums. */

#include "gpu/kernels/groups.cuh"

template <class T> struct running_sum {
  typedef T A;
  INLINE A init() { return 0; }
  INLINE A merge(A a, A b) { return a + b; }
};

/* Returns the inclusive scan over the lanes of the warp: the merge of the values of all lanes up to this lane. */
template <class Row> INLINE typename Row::A scan_warp(typename Row::A a) {
  int lane = lane_in_warp();
  _Pragma("unroll") for (int by = 1; by < WARP; by *= 2) {
    typename Row::A before = shuffle_up(a, by);
    if (lane >= by) a = Row::merge(before, a);
  }
  return a;
}

/* Returns the exclusive scan over the lanes of the warp: the merge of the values of all lanes before this lane. Sets
** *all to the merge of the whole warp. */
template <class Row> INLINE typename Row::A scan_lanes_before(typename Row::A a, typename Row::A *all) {
  a = scan_warp<Row>(a);
  typename Row::A before = shuffle_up(a, 1);
  *all = shuffle_from(a, WARP - 1);
  return lane_in_warp() == 0 ? Row::init() : before;
}

/* Returns the exclusive scan over the warps of the block: the merge of the values of all warps before this warp.
** of_warp is the value of this warp. Sets *all to the merge of the whole block. The number of warps must be a power of
** 2. */
template <class Row> INLINE typename Row::A scan_warps_before(typename Row::A of_warp, typename Row::A *all) {
  typedef typename Row::A A;
  __shared__ words<A> slot[WARPS_MOST];
  int lane = lane_in_warp(), warp = (int)threadIdx.x / WARP, warps = (int)blockDim.x / WARP;
  __syncthreads();                                     /* threads may still read the slots for an earlier call */
  if (lane == 0) slot[warp].value = of_warp;
  __syncthreads();
  A running = scan_warp<Row>(lane < warps ? slot[lane].value : Row::init());
  *all = shuffle_from(running, warps - 1);
  A before = shuffle_from(running, warp > 0 ? warp - 1 : 0);
  return warp > 0 ? before : Row::init();
}

/* Returns the exclusive scan over the threads of the block: the merge of the values of all threads before this thread.
** Sets *all to the merge of the whole block. Every thread of the block must call this function. */
template <class Row> INLINE typename Row::A scan_block_before(typename Row::A a, typename Row::A *all) {
  typename Row::A of_warp, lanes = scan_lanes_before<Row>(a, &of_warp);
  return Row::merge(scan_warps_before<Row>(of_warp, all), lanes);
}

#endif
