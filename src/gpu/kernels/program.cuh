#ifndef LT_GPU_KERNELS_PROGRAM_CUH
#define LT_GPU_KERNELS_PROGRAM_CUH

/* Element-wise programs, for kernels that compute them. gpu/program.c writes a source that defines the following macros
** and then includes the kernels' file:
**    ELEMENTWISE_INPUTS(X)  X(k, stored, computed) for each input k; `stored` is the name of the stored dtype, and
**                           `computed` the name of the compute dtype
**    ELEMENTWISE_RESULTS(X) X(k, stored) for each result k; `stored` is the name of the result's dtype
**    ELEMENTWISE_WIDEST     size in bytes of the largest element that is loaded or stored
**    ELEMENTWISE_BODY       statements that compute the results r.y0, r.y1 … from x0, x1 … */

#include "gpu/kernels/elementwise_args.h"
#include "gpu/kernels/plan.cuh"
#include "gpu/kernels/scalar.cuh"

enum { VECTOR = 16 / ELEMENTWISE_WIDEST };

#define COUNT(...) + 1
enum { RESULTS = 0 ELEMENTWISE_RESULTS(COUNT), OPERANDS = RESULTS ELEMENTWISE_INPUTS(COUNT) };

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

/* Loads elements at … at + VECTOR - 1 of the input. Element at + j is stored in member `field` of v[j]. */
template <int STORED, int COMPUTED>
INLINE void load_vector(const elementwise_in &in, int64_t at, values *v, stored_t<COMPUTED> values::*field) {
  typedef pack<stored_t<STORED>, VECTOR> run;
  run r = *(const run *)((const stored_t<STORED> *)in.data + at);
  for (int j = 0; j < VECTOR; j++) v[j].*field = convert<COMPUTED, STORED>(r.at[j]);
}

/* Like load_vector. If `runs` is not set, the input has a single value along the inner dim, and all of v get this
** value. */
template <int STORED, int COMPUTED>
INLINE void load_row(bool runs, const elementwise_in &in, int64_t at, values *v, stored_t<COMPUTED> values::*field) {
  if (runs) return load_vector<STORED, COMPUTED>(in, at, v, field);
  const auto x = load<STORED, COMPUTED>(in, at);
  for (int j = 0; j < VECTOR; j++) v[j].*field = x;
}

/* Load input k from offset[RESULTS + k]: one element into v, or a vector into v[0] … v[VECTOR - 1]. */
#define LOAD_AT(k, stored, computed) v.x##k = load<DT_##stored, DT_##computed>(a.in[k], offset[RESULTS + k]);
#define LOAD_ROW(k, stored, computed) \
  load_row<DT_##stored, DT_##computed>(a.runs >> k & 1, a.in[k], offset[RESULTS + k], v, &values::x##k);

/* Store result k of one element, r, or of a vector, `made`. The offsets of the results are offset[0 … many - 1]; if many is 1,
** all results have the same offset. */
#define PACK(k, stored) pack<stored_t<DT_##stored>, VECTOR> y##k;
#define PACK_ELEMENT(k, stored) made.y##k.at[j] = r.y##k;
#define STORE_PACK(k, stored) \
  *(pack<stored_t<DT_##stored>, VECTOR> *)((stored_t<DT_##stored> *)a.out[k] + offset[k < many ? k : 0]) = made.y##k;
#define STORE_ONE(k, stored) ((stored_t<DT_##stored> *)a.out[k])[offset[k < many ? k : 0]] = r.y##k;

#endif
