/* Inner loops of reductions: one reduce_kernel for each row of ops.def and each compute dtype. */

#include "cpu/cpu.h"
#include "cpu/kernels/state.h"

/* The C type of the elements that `finish` writes, for accumulators of type A. */
#define GIVES_SAME(A)     A
#define GIVES_ACC(A)      A
#define GIVES_BOOL(A)     bool
#define GIVES_POSITION(A) int64_t

#define FINISH(fn, A_, R_, value)                                                               \
  static void fn(int64_t many, const void *acc, void *out, double n, double correction) {       \
    for (int64_t j = 0; j < many; j++) { A_ a = ((const A_ *)acc)[j]; ((R_ *)out)[j] = (R_)(value); } \
    (void)n, (void)correction;                                                                  \
  }

/* ---- rows with a number as accumulator ---- */

/* The C type to which elements of dtype D are converted for the `step` of a row of ops.def. */
#define TAKES_WIDE(D)  WIDE_##D
#define TAKES_SAME(D)  SAME_##D
#define TAKES_FLAG(D)  SAME_##D
#define TAKES_COUNT(D) SAME_##D

#define FOLD(D, name, A)                                                                        \
  static void name##_fold_##D(int64_t rows, int64_t n, const void *x, int64_t stride, int64_t first, void *acc) { \
    fold_rows_##A(name##_join_##D, name##_row_##D, rows, n, x, stride, acc);                    \
    (void)first;                                                                                \
  }
#define FOLD_ROWS(D, name)                                                                      \
  static void name##_fold_columns_##D(int64_t rows, int64_t n, const void *x, int64_t stride, int64_t first, void *acc) { \
    name##_columns_##D(rows, n, x, stride, acc, NULL);                                        \
    (void)first;                                                                                \
  }
#define MERGE(D, name, A)                                                                       \
  static void name##_merge_##D(int64_t n, void *acc, const void *later) { merge_##A(name##_join_##D, n, acc, later); }

#define SIMPLE(D, name, C, A, R, init, step, merge, finish)                                     \
  FOLDS(D, name, C, A, double, init, step, merge)                                            \
  MERGE(D, name, A) FOLD(D, name, A) FOLD_ROWS(D, name)                                         \
  FINISH(name##_finish_##D, A, R, finish)

#define SIMPLE_ROW(D, T, name, result, accumulator, ...) \
  SIMPLE(D, name, TAKES_##accumulator(D), accumulator##_##D, GIVES_##result(accumulator##_##D), __VA_ARGS__)
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
  ENTRY(D, T, name, accumulator##_##D, GIVES_##result(accumulator##_##D), name##_init_##D, name, name##_merge_##D)
#define STATE_ENTRY(D, T, name, result, state) \
  ENTRY(D, T, name, STATE_##state(D), GIVES_##result(double), INIT_##state(D), state, MERGE_##state(D))

const reduce_table ISA_NAME(reduce_table) = {{
#define REDUCE(name, dtypes, result, accumulator, ...) \
  [REDUCE_##name] = {EACH_##dtypes(SIMPLE_ENTRY, name, result, accumulator)},
#define REDUCE_STATE(name, dtypes, result, state, ...) \
  [REDUCE_##name] = {EACH_##dtypes(STATE_ENTRY, name, result, state)},
#include "ops.def"
}};
