/* Values added through index tensors, in the order of positions. D: the dtype. */

#include "index.cuh"
#include "math/scalar.h"
#include "typed.cuh"

typedef PASTE(type_, D) stored;

/* Sorted picks: a thread has one run of equal keys, at one of `many` positions of the dims (from `picked` on) along
** which no index moves. by_key: threads are neighbours along the keys, else along these dims. */
KERNEL(add_runs)(const __grid_constant__ index_plan p, int picked, position n, position many, int by_key, const position *keys,
                 const position *picks, stored *target, const stored *values) {
  position i = (position)grid_thread();
  if (i >= n * many || p.late->set) return;
  position k = by_key ? i % n : i / many, other = by_key ? i / n : i % many, mine = keys[k];
  if (k > 0 && keys[k - 1] == mine) return;
  place at, rest = {};
  locate(p, picked, picks[k], &at);
  for (int d = (int)p.ndim - 1; d >= picked; d--) {
    position left = d > picked ? divide(other, p.dim[d]) : 0;
    int64_t here = other - left * (position)p.dim[d].length;
    rest.side[SIDE_VALUE] += here * p.dim[d].step[SIDE_VALUE];
    rest.side[SIDE_TARGET] += here * p.dim[d].step[SIDE_TARGET];
    other = left;
  }
  values += rest.side[SIDE_VALUE];
  stored *to = target + at.side[SIDE_TARGET] + rest.side[SIDE_TARGET], sum = *to;
  int64_t from = at.side[SIDE_VALUE];
  for (;;) {
    sum = PASTE(to_, D)(PASTE(from_, D)(sum) + PASTE(from_, D)(values[from]));
    if (++k == n || keys[k] != mine) break;
    from = walk(p, picked, picks[k]).side[SIDE_VALUE];
  }
  *to = sum;
}

#ifdef ATOMIC
/* Integers may come in any order. All indices were looked at before. */
KERNEL(add_each)(const __grid_constant__ index_plan p, ATOMIC *target, const ATOMIC *values) {
  position i = (position)grid_thread();
  if (i >= p.count || p.late->set) return;
  place at;
  locate(p, (int)p.ndim, i, &at);
  atomicAdd(&target[at.side[SIDE_TARGET]], values[at.side[SIDE_VALUE]]);
}
#endif
