/* Adds values to a target through index tensors (INDEX_add). The additions to an element are in the order of the
** positions, except that add_each adds integers in any order. D is the dtype. */

#define KERNEL_THREADS 256
#include "gpu/kernels/index.cuh"
#include "math/scalar.h"
#include "gpu/kernels/typed.cuh"

typedef PASTE(type, D) stored;

enum { AHEAD = 8 };                     /* number of values for the same element that are loaded at the same time */

INLINE stored add(stored x, stored y) { return PASTE(to, D)(PASTE(from, D)(x) + PASTE(from, D)(y)); }

/* Returns the value for picks[k]. A pick is a row-major position in the dims that have indices, which are dims 0 …
** picked - 1. */
INLINE stored value_of(const index_plan &p, int picked, const position *picks, position k, const stored *values) {
  return values[walk(p, picked, picks[k]).side[SIDE_VALUE]];
}

/* Adds to `sum`, in order, the values for picks[k] and all later picks with the same key, and returns the result. The
** n picks are sorted by key. */
INLINE stored add_run(const index_plan &p, int picked, position n, const position *keys, const position *picks,
                      position k, const stored *values, stored sum) {
  position mine = keys[k];
  do {
    if (k + AHEAD <= n && keys[k + AHEAD - 1] == mine) {
      stored next[AHEAD];
#pragma unroll
      for (int j = 0; j < AHEAD; j++) next[j] = value_of(p, picked, picks, k + j, values);
#pragma unroll
      for (int j = 0; j < AHEAD; j++) sum = add(sum, next[j]);
      k += AHEAD;
    } else sum = add(sum, value_of(p, picked, picks, k++, values));
  } while (k < n && keys[k] == mine);
  return sum;
}

/* Returns the offsets of position number i (row-major) of dims picked … ndim - 1, along which no index varies. */
INLINE place walk_others(const index_plan &p, int picked, position i) {
  place at = {};
  for (int d = (int)p.ndim - 1; d >= picked; d--) {
    position rest = d > picked ? divide(i, p.dim[d]) : 0;
    int64_t here = i - rest * (position)p.dim[d].length;
    at.side[SIDE_VALUE] += here * p.dim[d].step[SIDE_VALUE];
    at.side[SIDE_TARGET] += here * p.dim[d].step[SIDE_TARGET];
    i = rest;
  }
  return at;
}

/* Adds values for picks that are sorted by key. No index varies along the dims from `picked` on, which have `many`
** positions. A thread adds all values of one key at one of these positions. If by_key is set, neighbouring threads have
** neighbouring keys. Otherwise they have neighbouring positions. */
KERNEL(add_runs)(const __grid_constant__ index_plan p, int picked, position n, position many, int by_key,
                 const position *keys, const position *picks, stored *target, const stored *values) {
  position i = (position)grid_thread();
  if (i >= n * many || p.late->set) return;
  position k = by_key ? i % n : i / many;
  if (k > 0 && keys[k - 1] == keys[k]) return;
  place other = walk_others(p, picked, by_key ? i / n : i % many), at;
  locate(p, picked, picks[k], &at);
  stored *to = target + at.side[SIDE_TARGET] + other.side[SIDE_TARGET];
  *to = add_run(p, picked, n, keys, picks, k, values + other.side[SIDE_VALUE], *to);
}

#ifdef ATOMIC
/* Adds integers by atomics, in any order, because the order does not change the sums. The indices have already been
** checked. */
KERNEL(add_each)(const __grid_constant__ index_plan p, ATOMIC *target, const ATOMIC *values) {
  position i = (position)grid_thread();
  if (i >= p.count || p.late->set) return;
  place at;
  locate(p, (int)p.ndim, i, &at);
  atomicAdd(&target[at.side[SIDE_TARGET]], values[at.side[SIDE_VALUE]]);
}
#endif
