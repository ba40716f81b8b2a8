/* Checks indices before anything is written through them. If several positions write to the same element, finds the
** last of them, or sorts the positions by element. The plans in this file have only dims along which indices vary, so
** each position is a pick. A key is the number of the element that a pick selects. */

#define KERNEL_THREADS 1024
#include "gpu/kernels/index.cuh"

enum { FEW = 1024 };                    /* maximum number of picks that one block sorts by comparing all pairs */

/* Checks all indices of one index tensor. */
KERNEL(check)(const int64_t *data, uint64_t count, int64_t length, int what, gpu_late *late) {
  uint64_t i = grid_thread();
  if (i >= count) return;
  int64_t v = data[i], in = v + (v < 0 ? length : -1);
  if ((uint64_t)in >= (uint64_t)length) report_late(late, what, (int64_t)i, v);
}

/* Returns the key of pick i. If an index is out of range, reports the error and returns 0. */
INLINE position find_key(const index_plan &p, position i) {
  place at;
  if (locate(p, (int)p.ndim, i, &at)) return (position)at.side[SIDE_KEY];
  complain(p, (int)p.ndim, i);
  return 0;
}

/* Sets elected[key] to 1 + the last pick with this key. `elected` must contain only zeros before the launch. */
KERNEL(elect)(const __grid_constant__ index_plan first, position *elected) {
  const index_plan &p = in_place(first);
  position i = (position)grid_thread();
  if (i < p.count) atomicMax(&elected[find_key(p, i)], i + 1);
}

KERNEL(find_keys)(const __grid_constant__ index_plan first, position *keys) {
  const index_plan &p = in_place(first);
  position i = (position)grid_thread();
  if (i < p.count) keys[i] = find_key(p, i);
}

/* Sets elected[pick] to pick + 1 for the last pick of each key, and to 0 for all other picks. Keys and picks must be
** sorted by key. */
KERNEL(elect_last)(const position *keys, const position *picks, position n, position *elected) {
  position i = (position)grid_thread();
  if (i < n) elected[picks[i]] = i + 1 == n || keys[i + 1] != keys[i] ? picks[i] + 1 : 0;
}

/* Processes at most FEW picks in one block. Sets elected[pick] like elect_last or, if `elected` is NULL, writes keys
** and picks sorted by key. */
KERNEL_COOPERATIVE(order_few)(const __grid_constant__ index_plan first, position *keys, position *picks, position *elected) {
  const index_plan &p = in_place(first);
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
