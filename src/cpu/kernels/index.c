/* Inner loops for access to the elements whose positions index tensors contain: the range check of the indices, the
** computation of the target's offsets, and copies and additions of single elements and rows. */

#include <string.h>

#include "cpu/cpu.h"
#include "math/scalar.h"

/* Sets *r to the least and the greatest of 0 and n indices, and to the number of zeros. The range check counts zeros,
** because indices are 1-based or negative. */
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

/* Implement `places` and `more_places` of index_table in cpu.h. Calls with constant `line`, `by` and `step` become
** separate loops, which the compiler vectorises well. */
INLINE void set_places(int64_t n, int64_t *restrict at, bool more, int64_t first, int64_t line, const int64_t *restrict v, int64_t by,
                       int64_t length, int64_t step) {
  #pragma omp simd
  for (int64_t i = 0; i < n; i++) {
    int64_t p = v[i * by], start = more ? at[i] : first + i * line;
    at[i] = start + (p + (p < 0 ? length : -1)) * step;
  }
}

INLINE void choose_loop(int64_t n, int64_t *at, bool more, int64_t first, int64_t line, const place_run *r) {
  if (r->by == 1 && r->step == 1) set_places(n, at, more, first, line, r->index, 1, r->length, 1);
  else if (r->by == 1) set_places(n, at, more, first, line, r->index, 1, r->length, r->step);
  else if (r->by == 0) set_places(n, at, more, first, line, r->index, 0, r->length, r->step);
  else set_places(n, at, more, first, line, r->index, r->by, r->length, r->step);
}

static void places(int64_t n, int64_t *at, int64_t first, int64_t line, const place_run *r) {
  if (line == 0) choose_loop(n, at, false, first, 0, r);
  else choose_loop(n, at, false, first, line, r);
}

static void more_places(int64_t n, int64_t *at, const place_run *r) { choose_loop(n, at, true, 0, 0, r); }

/* get copies n single elements from offsets `at` of the target t to the values v, and put copies in the opposite
** direction. `stride` is the stride of the values in elements. `size`, the bytes of an element, is a constant in
** every inlined call. The loops are unrolled, because a processor can copy two elements in a cycle, but takes only one
** branch. */
INLINE void get_steps(const int size, int64_t n, const int64_t *restrict at, const char *restrict t, char *restrict v, int64_t stride) {
  #pragma GCC unroll 4
  for (int64_t i = 0; i < n; i++) memcpy(v + i * stride * size, t + at[i] * size, (size_t)size);
}

INLINE void get(const int size, int64_t n, const int64_t *at, const char *t, char *v, int64_t stride) {
  if (stride == 1) get_steps(size, n, at, t, v, 1);
  else get_steps(size, n, at, t, v, stride);
}

INLINE void put(const int size, int64_t n, const int64_t *at, char *t, const char *v, int64_t stride) {
  #pragma GCC unroll 4
  for (int64_t i = 0; i < n; i++) memcpy(t + at[i] * size, v + i * stride * size, (size_t)size);
}

#define MOVE(size)                                                                                             \
  static void get_##size(int64_t n, const int64_t *at, void *t, void *v, int64_t s) { get(size, n, at, t, v, s); } \
  static void put_##size(int64_t n, const int64_t *at, void *t, void *v, int64_t s) { put(size, n, at, t, v, s); }
MOVE(1) MOVE(2) MOVE(4) MOVE(8) MOVE(16)

/* Define the additions for dtype D, whose elements have the C type T: add_at adds single elements at offsets, and
** add_row adds a row. Sums are computed in the compute dtype and stored as D. */
#define ADD_AT(D, T)                                                                                    \
  static void add_at_##D(int64_t n, const int64_t *at, void *target, void *values, int64_t stride) {    \
    T *t = target;                                                                                      \
    const T *v = values;                                                                                \
    _Pragma("GCC unroll 4")                                                                             \
    for (int64_t i = 0; i < n; i++) t[at[i]] = to_##D(from_##D(t[at[i]]) + from_##D(v[i * stride]));    \
  }
#define ADD_STEPS(D, T)                                                                                 \
  INLINE void add_steps_##D(int64_t n, T *restrict t, int64_t ts, const T *restrict v, int64_t vs) {    \
    for (int64_t i = 0; i < n; i++) t[i * ts] = to_##D(from_##D(t[i * ts]) + from_##D(v[i * vs]));      \
  }
#define ADD_ROW(D, T)                                                                                   \
  static void add_row_##D(int64_t n, void *target, int64_t ts, const void *values, int64_t vs) {        \
    if (ts == 1 && vs == 1) add_steps_##D(n, target, 1, values, 1);                                     \
    else add_steps_##D(n, target, ts, values, vs);                                                      \
  }
#define ADD_OF(name, store, ...) ADD_AT(name, store) ADD_STEPS(name, store) ADD_ROW(name, store)
DTYPES(ADD_OF)

#define ADD_AT_ENTRY(name, ...) [DT_##name] = add_at_##name,
#define ADD_ROW_ENTRY(name, ...) [DT_##name] = add_row_##name,
const index_table ISA_NAME(index_table) = {
  .survey = survey,
  .places = places,
  .more_places = more_places,
  .get = {get_1, get_2, get_4, get_8, get_16},
  .put = {put_1, put_2, put_4, put_8, put_16},
  .add = {DTYPES(ADD_AT_ENTRY)},
  .add_row = {DTYPES(ADD_ROW_ENTRY)},
};
