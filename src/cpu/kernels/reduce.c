/* Inner loops of reductions, a set for each row of ops.def and compute dtype. */

#include "cpu/cpu.h"
#include "cpu/kernels/state.h"

/* The type that finish writes. */
#define GIVES_SAME(A)     A
#define GIVES_ACC(A)      A
#define GIVES_BOOL(A)     bool
#define GIVES_POSITION(A) int64_t

#define FINISH(fn, A_, R_, value)                                                               \
  static void fn(int64_t many, const void *acc, void *out, double n, double correction) {       \
    for (int64_t j = 0; j < many; j++) { A_ a = ((const A_ *)acc)[j]; ((R_ *)out)[j] = (R_)(value); } \
    (void)n, (void)correction;                                                                  \
  }

/* ---- rows whose accumulator A is a number ---- */

#define INIT(D, T, name, A_, first)                                                             \
  static void name##_init_##D(int64_t n, void *acc) {                                           \
    typedef T C;                                                                                \
    typedef A_ A;                                                                               \
    for (int64_t j = 0; j < n; j++) ((A *)acc)[j] = (first);                                    \
    (void)sizeof(C);                                                                            \
  }
#define FOLD(D, T, name, A)                                                                     \
  static void name##_fold_##D(int64_t n, const void *x, int64_t first, void *acc) {             \
    A b = name##_##D##_row(n, x, NULL);                                                         \
    name##_##D##_merge_lanes(1, acc, &b);                                                       \
    (void)first;                                                                                \
  }
#define FOLD_ROWS(D, T, name)                                                                   \
  static void name##_fold_columns_##D(int64_t rows, int64_t n, const void *x, int64_t stride, int64_t first, void *acc) { \
    name##_##D##_columns(rows, n, x, stride, acc, NULL);                                        \
    (void)first;                                                                                \
  }
#define MERGE(D, T, name)                                                                       \
  static void name##_merge_##D(int64_t n, void *acc, const void *later) { name##_##D##_merge_lanes(n, acc, later); }

#define SIMPLE(D, T, name, columns, A, R, init, step, merge, finish)                            \
  columns(D, name##_##D, T, A, step)                                                            \
  ROW(name##_##D, T, A, double, init, merge)                                                    \
  INIT(D, T, name, A, init) MERGE(D, T, name)                                                   \
  FOLD(D, T, name, A) FOLD_ROWS(D, T, name)                                                     \
  FINISH(name##_finish_##D, A, R, finish)

#define SIMPLE_ROW(D, T, name, result, accumulator, ...) \
  SIMPLE(D, T, name, COLUMNS_##accumulator, ACCUM_##accumulator(D, T), GIVES_##result(ACCUM_##accumulator(D, T)), __VA_ARGS__)
#define STATE_ROW(D, T, name, result, state, finish) \
  FINISH(name##_finish_##D, STATE_##state(D), GIVES_##result(double), finish)

#define REDUCE(name, dtypes, result, accumulator, init, step, merge, finish, doc) \
  EACH_##dtypes(SIMPLE_ROW, name, result, accumulator, init, step, merge, finish)
#define REDUCE_STATE(name, dtypes, result, state, finish, doc) \
  EACH_##dtypes(STATE_ROW, name, result, state, finish)
#include "ops.def"

#define ENTRY(D, T, name, A, R, init_, fold_, merge_)                        \
  [DT_##D] = {.size = sizeof(A), .gives = DTYPE_OF(R), .init = init_,        \
              .fold = fold_##_fold_##D, .fold_columns = fold_##_fold_columns_##D, \
              .merge = merge_, .finish = name##_finish_##D},
#define SIMPLE_ENTRY(D, T, name, result, accumulator)                        \
  ENTRY(D, T, name, ACCUM_##accumulator(D, T), GIVES_##result(ACCUM_##accumulator(D, T)), \
        name##_init_##D, name, name##_merge_##D)
#define STATE_ENTRY(D, T, name, result, state) \
  ENTRY(D, T, name, STATE_##state(D), GIVES_##result(double), INIT_##state(D), state, MERGE_##state(D))

const reduce_table ISA_NAME(reduce_table) = {{
#define REDUCE(name, dtypes, result, accumulator, ...) \
  [REDUCE_##name] = {EACH_##dtypes(SIMPLE_ENTRY, name, result, accumulator)},
#define REDUCE_STATE(name, dtypes, result, state, ...) \
  [REDUCE_##name] = {EACH_##dtypes(STATE_ENTRY, name, result, state)},
#include "ops.def"
}};
