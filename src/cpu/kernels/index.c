/* Inner loops of access through index tensors: range check, target offsets, single elements, rows that add. */

#include "cpu/cpu.h"
#include "math/scalar.h"

/* Least and greatest of n values, and how many are 0: what a range check needs. */
static void survey(int64_t n, const int64_t *v, index_range *r) {
  int64_t least = 0, most = 0, zeros = 0;
  #pragma omp simd reduction(min:least) reduction(max:most) reduction(+:zeros)
  for (int64_t i = 0; i < n; i++) {
    least = v[i] < least ? v[i] : least;
    most = v[i] > most ? v[i] : most;
    zeros += v[i] == 0;
  }
  *r = (index_range){least, most, zeros};
}

/* Constants for `by` and `step`, where this is inlined, make loops of their own that are vectorised well. */
INLINE void add_places(int64_t n, int64_t *at, const int64_t *v, int64_t by, int64_t length, int64_t step) {
  #pragma omp simd
  for (int64_t i = 0; i < n; i++) {
    int64_t p = v[i * by];
    at[i] += (p + (p < 0 ? length : -1)) * step;
  }
}

static void places(int64_t n, int64_t *at, const int64_t *v, int64_t by, int64_t length, int64_t step) {
  if (by == 1 && step == 1) add_places(n, at, v, 1, length, 1);
  else if (by == 1) add_places(n, at, v, 1, length, step);
  else if (by == 0) add_places(n, at, v, 0, length, step);
  else add_places(n, at, v, by, length, step);
}

/* Single elements of one size at offsets of the target; `stride` is the values'. */
#define MOVE_ELEMENTS(T)                                                                                \
  static void get_##T(int64_t n, const int64_t *at, void *target, void *values, int64_t stride) {       \
    const T *restrict t = target;                                                                       \
    T *restrict v = values;                                                                             \
    if (stride == 1) for (int64_t i = 0; i < n; i++) v[i] = t[at[i]];                                   \
    else for (int64_t i = 0; i < n; i++) v[i * stride] = t[at[i]];                                      \
  }                                                                                                     \
  static void put_##T(int64_t n, const int64_t *at, void *target, void *values, int64_t stride) {       \
    T *t = target;                                                                                      \
    const T *v = values;                                                                                \
    for (int64_t i = 0; i < n; i++) t[at[i]] = v[i * stride];                                           \
  }
MOVE_ELEMENTS(uint8_t)
MOVE_ELEMENTS(uint16_t)
MOVE_ELEMENTS(uint32_t)
MOVE_ELEMENTS(uint64_t)
MOVE_ELEMENTS(complex128_t)

/* t[i] += v[i], and single elements at offsets; in the compute type, stored as D. */
#define ADD(D, T, ...)                                                                                  \
  static void add_at_##D(int64_t n, const int64_t *at, void *target, void *values, int64_t stride) {    \
    T *t = target;                                                                                      \
    const T *v = values;                                                                                \
    for (int64_t i = 0; i < n; i++) t[at[i]] = to_##D(from_##D(t[at[i]]) + from_##D(v[i * stride]));    \
  }                                                                                                     \
  static void add_row_##D(int64_t n, void *target, int64_t ts, const void *values, int64_t vs) {        \
    T *restrict t = target;                                                                             \
    const T *restrict v = values;                                                                       \
    if (ts == 1 && vs == 1)                                                                             \
      for (int64_t i = 0; i < n; i++) t[i] = to_##D(from_##D(t[i]) + from_##D(v[i]));                   \
    else                                                                                                \
      for (int64_t i = 0; i < n; i++) t[i * ts] = to_##D(from_##D(t[i * ts]) + from_##D(v[i * vs]));    \
  }
#define ADD_OF(name, store, compute, accum, kind) ADD(name, store)
DTYPES(ADD_OF)

#define ADD_AT_ENTRY(name, store, compute, accum, kind) [DT_##name] = add_at_##name,
#define ADD_ROW_ENTRY(name, store, compute, accum, kind) [DT_##name] = add_row_##name,
const index_table ISA_NAME(index_table) = {
  .survey = survey,
  .places = places,
  .get = {get_uint8_t, get_uint16_t, get_uint32_t, get_uint64_t, get_complex128_t},
  .put = {put_uint8_t, put_uint16_t, put_uint32_t, put_uint64_t, put_complex128_t},
  .add = {DTYPES(ADD_AT_ENTRY)},
  .add_row = {DTYPES(ADD_ROW_ENTRY)},
};
