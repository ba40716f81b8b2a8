/* Adds values to a target through index tensors (INDEX_add). The additions to an element are in the order of the
** positions, except that add_each and add_small add integers in any order. D is the dtype. */

#define KERNEL_THREADS 512
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

enum { EACH = 4 };                      /* number of positions of a thread whose loads are in flight together */

/* Adds v to sum number `key` in shared memory. A sum of 64 bits consists of two words, because shared memory has fast
** additions of 32 bits only: sums[key] and sums[keys + key], the high word. */
INLINE void add_shared(unsigned *sums, int, int key, uint32_t v) { atomicAdd(&sums[key], v); }
INLINE void add_shared(unsigned *sums, int keys, int key, uint64_t v) {
  unsigned low = (unsigned)v, high = (unsigned)(v >> 32);
  if (atomicAdd(&sums[key], low) > ~low) high++;
  if (high) atomicAdd(&sums[keys + key], high);
}

INLINE uint32_t shared_sum(const unsigned *sums, int, int key, uint32_t) { return sums[key]; }
INLINE uint64_t shared_sum(const unsigned *sums, int keys, int key, uint64_t) {
  return sums[key] | (uint64_t)sums[keys + key] << 32;
}

/* Like add_each, for a target with few elements, which have the keys 0 … keys - 1. Many atomics on few places in global
** memory would wait for each other. A block therefore adds its values in shared memory, and then adds each sum to the
** target. There is one index tensor, and indices vary along all dims. */
KERNEL_COOPERATIVE(add_small)(const __grid_constant__ index_plan p, int keys, ATOMIC *target, const ATOMIC *values) {
  extern __shared__ __align__(8) unsigned char memory[];
  unsigned *sums = (unsigned *)memory;
  if (p.late->set) return;
  for (int k = threadIdx.x; k < keys * (int)(sizeof(ATOMIC) / sizeof *sums); k += blockDim.x) sums[k] = 0;
  __syncthreads();
  position step = (position)grid_threads();
  for (position i = (position)grid_thread(); i < p.count; i += EACH * step) {
    place at[EACH];
    bool fits[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) at[k] = walk(p, (int)p.ndim, i + k * step < p.count ? i + k * step : i);
    look_up(p, at, fits);
#pragma unroll
    for (int k = 0; k < EACH; k++)
      if (i + k * step < p.count) add_shared(sums, keys, (int)at[k].side[SIDE_KEY], values[at[k].side[SIDE_VALUE]]);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < keys; k += blockDim.x) {
    ATOMIC sum = shared_sum(sums, keys, k, (ATOMIC)0);
    if (sum) atomicAdd(&target[k * p.source[0].target], sum);
  }
}
#endif
