/* The kernels of element-wise programs (program.cuh). */

#include "gpu/kernels/elementwise_args.h"

#define KERNEL_THREADS ELEMENTWISE_THREADS

#include "gpu/kernels/program.cuh"

/* ---- operands that are contiguous or a single value ---- */

#define LOAD_SAME(k, stored, computed) \
  if (!(a.runs >> k & 1)) same.x##k = load<DT_##stored, DT_##computed>(a.in[k], 0);
#define LOAD_ONE(k, stored, computed) \
  if (a.runs >> k & 1) v.x##k = load<DT_##stored, DT_##computed>(a.in[k], at);
#define LOAD_VECTOR(k, stored, computed) \
  if (a.runs >> k & 1) load_vector<DT_##stored, DT_##computed>(a.in[k], at, v, &values::x##k);

/* store_vector stores the results of VECTOR elements, and store the results of one element. The offsets of the results
** are offset[0 … many - 1]; if many is 1, all results have the same offset. */
INLINE void store_vector(const elementwise_args &a, const values *v, const int64_t *offset, int many) {
  struct { ELEMENTWISE_RESULTS(PACK) } made;
  for (int j = 0; j < VECTOR; j++) {
    const results r = compute(a, v[j]);
    ELEMENTWISE_RESULTS(PACK_ELEMENT)
  }
  ELEMENTWISE_RESULTS(STORE_PACK)
}

INLINE void store(const elementwise_args &a, const values &v, const int64_t *offset, int many) {
  const results r = compute(a, v);
  ELEMENTWISE_RESULTS(STORE_ONE)
}

KERNEL(elementwise_flat)(elementwise_args a) {
  const int64_t at = (int64_t)grid_thread() * VECTOR;
  values same;
  if (at >= a.count) return;
  ELEMENTWISE_INPUTS(LOAD_SAME)
  if (at + VECTOR <= a.count) {
    values v[VECTOR];
    for (int j = 0; j < VECTOR; j++) v[j] = same;
    ELEMENTWISE_INPUTS(LOAD_VECTOR)
    store_vector(a, v, &at, 1);
    return;
  }
  for (int64_t first = at, at = first; at < a.count; at++) {
    values v = same;
    ELEMENTWISE_INPUTS(LOAD_ONE)
    store(a, v, &at, 1);
  }
}

/* ---- any strides ---- */

/* Computes one vector of a row. The plan's inner dim counts vectors. Along the inner dim, each input is contiguous or
** has a single value. */
KERNEL(elementwise_rows)(elementwise_args a, gpu_plan p) {
  const uint32_t i = (uint32_t)grid_thread();
  if (i >= p.count) return;
  int64_t offset[OPERANDS];
  plan_offsets(p, i, offset);
  values v[VECTOR];
  ELEMENTWISE_INPUTS(LOAD_ROW)
  store_vector(a, v, offset, RESULTS);
}

KERNEL(elementwise_strided)(elementwise_args a, gpu_plan p) {
  const uint32_t i = (uint32_t)grid_thread();
  if (i >= p.count) return;
  int64_t offset[OPERANDS];
  plan_offsets(p, i, offset);
  values v;
  ELEMENTWISE_INPUTS(LOAD_AT)
  store(a, v, offset, RESULTS);
}
