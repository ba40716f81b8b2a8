/* Element-wise programs. gpu/elementwise.c writes a source that defines the following macros and then includes this
** file:
**    ELEMENTWISE_INPUTS(X)  X(k, stored, computed) for each input k; `stored` is the name of the stored dtype, and
**                           `computed` the name of the compute dtype
**    ELEMENTWISE_RESULTS(X) X(k, stored) for each result k; `stored` is the name of the result's dtype
**    ELEMENTWISE_WIDEST     size in bytes of the largest element that is loaded or stored
**    ELEMENTWISE_BODY       statements that compute the results r.y0, r.y1 … from x0, x1 … */

#include "gpu/kernels/elementwise_args.h"

#define KERNEL_THREADS ELEMENTWISE_THREADS

#include "gpu/kernels/plan.cuh"
#include "gpu/kernels/scalar.cuh"

enum { VECTOR = 16 / ELEMENTWISE_WIDEST };

/* One element of each input, converted to the input's compute dtype. */
#define FIELD(k, stored, computed) stored_t<DT_##computed> x##k;
struct values { ELEMENTWISE_INPUTS(FIELD) };

/* One element of each result. */
#define RESULT(k, stored) stored_t<DT_##stored> y##k;
struct results { ELEMENTWISE_RESULTS(RESULT) };

#define NAME(k, stored, computed) const auto x##k = v.x##k;
INLINE results compute(const elementwise_args &a, const values &v) {
  results r;
  ELEMENTWISE_INPUTS(NAME)
  ELEMENTWISE_BODY
  return r;
}

/* Returns the element `offset` elements after the input's first element, or the input's number if the input is a
** number. */
template <int STORED, int COMPUTED> INLINE stored_t<COMPUTED> load(const elementwise_in &in, int64_t offset) {
  if (in.data) return convert<COMPUTED, STORED>(((const stored_t<STORED> *)in.data)[offset]);
  return from_word<COMPUTED>(in.value);
}

/* ---- operands that are contiguous or a single value ---- */

#define LOAD_SAME(k, stored, computed) \
  if (!(a.runs >> k & 1)) same.x##k = load<DT_##stored, DT_##computed>(a.in[k], 0);
#define LOAD_ONE(k, stored, computed) \
  if (a.runs >> k & 1) v.x##k = load<DT_##stored, DT_##computed>(a.in[k], at);
#define LOAD_VECTOR(k, stored, computed) \
  if (a.runs >> k & 1) load_vector<DT_##stored, DT_##computed>(a.in[k], at, v, &values::x##k);

/* Loads elements at … at + VECTOR - 1 of the input. Element at + j is stored in member `field` of v[j]. */
template <int STORED, int COMPUTED>
INLINE void load_vector(const elementwise_in &in, int64_t at, values *v, stored_t<COMPUTED> values::*field) {
  typedef pack<stored_t<STORED>, VECTOR> run;
  run r = *(const run *)((const stored_t<STORED> *)in.data + at);
  for (int j = 0; j < VECTOR; j++) v[j].*field = convert<COMPUTED, STORED>(r.at[j]);
}

#define PACK(k, stored) pack<stored_t<DT_##stored>, VECTOR> y##k;
#define PACK_ELEMENT(k, stored) made.y##k.at[j] = r.y##k;
#define STORE_PACK(k, stored) \
  *(pack<stored_t<DT_##stored>, VECTOR> *)((stored_t<DT_##stored> *)a.out[k] + offset[k < many ? k : 0]) = made.y##k;
#define STORE_ONE(k, stored) ((stored_t<DT_##stored> *)a.out[k])[offset[k < many ? k : 0]] = r.y##k;

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

#define COUNT(...) + 1
enum { RESULTS = 0 ELEMENTWISE_RESULTS(COUNT), OPERANDS = RESULTS ELEMENTWISE_INPUTS(COUNT) };

#define LOAD_ROW(k, stored, computed) \
  load_row<DT_##stored, DT_##computed>(a.runs >> k & 1, a.in[k], offset[RESULTS + k], v, &values::x##k);

/* Like load_vector. If `runs` is not set, the input has a single value along the inner dim, and all of v get this
** value. */
template <int STORED, int COMPUTED>
INLINE void load_row(bool runs, const elementwise_in &in, int64_t at, values *v, stored_t<COMPUTED> values::*field) {
  if (runs) return load_vector<STORED, COMPUTED>(in, at, v, field);
  const auto x = load<STORED, COMPUTED>(in, at);
  for (int j = 0; j < VECTOR; j++) v[j].*field = x;
}

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

#define LOAD_AT(k, stored, computed) v.x##k = load<DT_##stored, DT_##computed>(a.in[k], offset[RESULTS + k]);

KERNEL(elementwise_strided)(elementwise_args a, gpu_plan p) {
  const uint32_t i = (uint32_t)grid_thread();
  if (i >= p.count) return;
  int64_t offset[OPERANDS];
  plan_offsets(p, i, offset);
  values v;
  ELEMENTWISE_INPUTS(LOAD_AT)
  store(a, v, offset, RESULTS);
}
