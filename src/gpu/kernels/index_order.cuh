/* Checks indices before anything is written through them, and orders the positions that write to one place. This is
** done by electing the last position, or by sorting positions by the key of the place. The plans of this file only have
** dims along which indices move. */

#include "gpu/kernels/index.cuh"

enum { FEW = 1024 };                    /* picks that one block sorts by comparing all pairs */

/* Checks one index tensor. */
KERNEL(check)(const int64_t *data, uint64_t count, int64_t length, int what, gpu_late *late) {
  uint64_t i = grid_thread();
  if (i >= count) return;
  int64_t v = data[i], in = v + (v < 0 ? length : -1);
  if ((uint64_t)in >= (uint64_t)length) report_late(late, what, (int64_t)i, v);
}

/* Returns the key of pick i. If an index is out of range, the error is reported and the key is 0. */
INLINE position find_key(const index_plan &p, position i) {
  place at;
  if (locate(p, (int)p.ndim, i, &at)) return (position)at.side[SIDE_KEY];
  complain(p, (int)p.ndim, i);
  return 0;
}

/* Elects the last pick of each key. elected is initially zero, and is indexed by key. */
KERNEL(elect)(const __grid_constant__ index_plan p, position *elected) {
  position i = (position)grid_thread();
  if (i < p.count) atomicMax(&elected[find_key(p, i)], i + 1);
}

KERNEL(find_keys)(const __grid_constant__ index_plan p, position *keys) {
  position i = (position)grid_thread();
  if (i < p.count) keys[i] = find_key(p, i);
}

/* Elects the last pick of each run of sorted keys. elected is indexed by pick. */
KERNEL(elect_last)(const position *keys, const position *picks, position n, position *elected) {
  position i = (position)grid_thread();
  if (i < n) elected[picks[i]] = i + 1 == n || keys[i + 1] != keys[i] ? picks[i] + 1 : 0;
}

/* Handles up to FEW picks in one block. Sets elected, which is indexed by pick. If `elected` is NULL, sorts keys and
** picks instead. */
KERNEL_COOPERATIVE(order_few)(const __grid_constant__ index_plan p, position *keys, position *picks, position *elected) {
  __shared__ position all[FEW];
  int n = (int)p.count, i = threadIdx.x, rank = 0, later = 0;
  if (i < n) all[i] = find_key(p, i);
  __syncthreads();
  if (i >= n) return;
  position mine = all[i];
  for (int k = 0; k < n; k++) {
    rank += all[k] < mine || (all[k] == mine && k < i);
    later += all[k] == mine && k > i;
  }
  if (elected) elected[i] = later ? 0 : i + 1;
  else {
    keys[rank] = mine;
    picks[rank] = i;
  }
}
