/* Adds values to a target through index tensors (INDEX_add). A run is the sequence of the positions with the same key,
** which are added to the same element. The first RUN_PART additions to an element are in the order of the positions. The
** later positions of a longer run are cut into parts of RUN_PART positions, and the sum of each part is added, in order.
** add_each and add_small add integers in any order. D is the dtype. */

#define KERNEL_THREADS 512
#include "gpu/kernels/index.cuh"
#include "math/scalar.h"
#include "gpu/kernels/typed.cuh"

typedef PASTE(type, D) stored;

enum {
  AHEAD    = 8,                         /* number of values for the same element that are loaded at the same time */
  RUN_PART = 512                        /* number of positions of a run that a thread adds; the same constant as in
                                        ** gpu/index.c */
};

INLINE stored add(stored x, stored y) { return PASTE(to, D)(PASTE(from, D)(x) + PASTE(from, D)(y)); }

/* Returns the value for picks[k]. A pick is a row-major position in the dims that have indices, which are dims 0 …
** picked - 1. */
INLINE stored value_of(const index_plan &p, int picked, const position *picks, position k, const stored *values) {
  return values[walk(p, picked, picks[k]).side[SIDE_VALUE]];
}

/* The picks, sorted by key, and the values of a thread. */
struct run_of {
  int             picked;
  position        n;
  const position *keys, *picks;
  const stored   *values;
};

/* Adds to `sum`, in order, the values for pick k and the later picks with key `mine`, but for at most `most` picks.
** Returns the result. */
INLINE stored add_run(const index_plan &p, const run_of &r, position k, position most, position mine, stored sum) {
  const position end = r.n - k < most ? r.n : k + most;
  while (k < end && r.keys[k] == mine) {
    if (k + AHEAD <= end && r.keys[k + AHEAD - 1] == mine) {
      stored next[AHEAD];
#pragma unroll
      for (int j = 0; j < AHEAD; j++) next[j] = value_of(p, r.picked, r.picks, k + j, r.values);
#pragma unroll
      for (int j = 0; j < AHEAD; j++) sum = add(sum, next[j]);
      k += AHEAD;
    } else sum = add(sum, value_of(p, r.picked, r.picks, k++, r.values));
  }
  return sum;
}

/* Returns the number of the first pick, from `low` on, that has key `mine` or a greater key. If `after` is set, returns
** the first pick that has a greater key. */
INLINE position find_key(const run_of &r, position low, position high, position mine, bool after) {
  while (low < high) {
    position middle = low + (high - low) / 2, key = r.keys[middle];
    if (key < mine || (after && key == mine)) low = middle + 1;
    else high = middle;
  }
  return low;
}

INLINE bool begins_run(const run_of &r, position k) { return k == 0 || r.keys[k - 1] != r.keys[k]; }

/* Each later part of a long run belongs to one pick whose number is a multiple of RUN_PART. Returns the first pick of the
** part that belongs to pick k, or n if there is none. `first` is the first pick of the run. */
INLINE position part_of(const run_of &r, position first, position k) {
  position from = first + (k - first + RUN_PART - 1) / RUN_PART * RUN_PART;
  return from > first && from < r.n && r.keys[from] == r.keys[k] ? from : r.n;
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
** positions. A thread adds the values of one key, or of one part of a long run, at one of these positions. The sum of a
** later part of a run is stored in parts[number of the part's pick / RUN_PART][position]. If by_key is set, neighbouring
** threads have neighbouring keys. Otherwise they have neighbouring positions. */
KERNEL(add_runs)(const __grid_constant__ index_plan p, int picked, position n, position many, int by_key,
                 const position *keys, const position *picks, stored *target, const stored *values, stored *parts) {
  position i = (position)grid_thread();
  if (i >= n * many || p.late->set) return;
  position k = by_key ? i % n : i / many, along = by_key ? i / n : i % many;
  run_of r = {picked, n, keys, picks, values};
  const bool begins = begins_run(r, k);
  if (!begins && k % RUN_PART != 0) return;
  place other = walk_others(p, picked, along), at;
  r.values += other.side[SIDE_VALUE];
  if (begins) {
    locate(p, picked, picks[k], &at);
    stored *to = target + at.side[SIDE_TARGET] + other.side[SIDE_TARGET];
    *to = add_run(p, r, k, RUN_PART, keys[k], *to);
    return;
  }
  const position from = part_of(r, find_key(r, 0, k, keys[k], false), k);
  if (from == n) return;
  const stored start = value_of(p, picked, picks, from, r.values);
  parts[k / RUN_PART * many + along] = add_run(p, r, from + 1, RUN_PART - 1, keys[k], start);
}

/* Adds the sums of the later parts of each long run to the target. A thread adds all parts of one run at one of the `many`
** positions. */
KERNEL(add_parts)(const __grid_constant__ index_plan p, int picked, position n, position many, const position *keys,
                  const position *picks, stored *target, const stored *parts) {
  position i = (position)grid_thread(), number = i / many, k = number * RUN_PART, along = i - number * many;
  const run_of r = {picked, n, keys, picks, nullptr};
  if (k >= n || p.late->set || begins_run(r, k)) return;
  const position mine = keys[k], first = find_key(r, 0, k, mine, false);
  if (k - first > RUN_PART || part_of(r, first, k) == n) return;
  const position end = find_key(r, k, n, mine, true), count = (end - first - 1) / RUN_PART;
  place other = walk_others(p, picked, along), at;
  locate(p, picked, picks[k], &at);
  stored *to = target + at.side[SIDE_TARGET] + other.side[SIDE_TARGET], sum = *to;
#pragma unroll 8
  for (position j = 0; j < count; j++) sum = add(sum, parts[(number + j) * many + along]);
  *to = sum;
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
