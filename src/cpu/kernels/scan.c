/* Inner loops of scans, a set for each row of ops.def and compute dtype. */

#include "cpu/cpu.h"
#include "cpu/kernels/fold.h"

/* Each step of a line depends on the previous one, so several lines at a time hide the latency. */
enum { LINES = 8 };

/* The types of results: sums and products of integers are wide; floats, summed in double, are stored in their own
** type. */
#define GIVES_WIDE_float32 float
#define GIVES_WIDE_float64 double
#define GIVES_WIDE_complex64  complex64_t
#define GIVES_WIDE_complex128 complex128_t
#define GIVES_WIDE_bool    int64_t
#define GIVES_WIDE_uint8   uint64_t
#define GIVES_WIDE_uint16  uint64_t
#define GIVES_WIDE_uint32  uint64_t
#define GIVES_WIDE_uint64  uint64_t
#define GIVES_WIDE_int8    int64_t
#define GIVES_WIDE_int16   int64_t
#define GIVES_WIDE_int32   int64_t
#define GIVES_WIDE_int64   int64_t
#define GIVES_WIDE(D, T)   GIVES_WIDE_##D
#define GIVES_SAME(D, T)   T

#define SCAN_LOOPS(D, T, name, A_, R_, init, step)                                              \
  INLINE void name##_lines_##D(int64_t lines, const line_tile *t, const T *X, R_ *OUT, A_ *carry) { \
    typedef T C;                                                                                \
    typedef A_ A;                                                                               \
    A at[LINES];                                                                                \
    for (int64_t k = 0; k < lines; k++) at[k] = carry[k];                                       \
    for (int64_t i = 0; i < t->n; i++)                                                          \
      for (int64_t k = 0; k < lines; k++) {                                                     \
        A a = at[k];                                                                            \
        C x = X[k * t->x_line + i];                                                             \
        OUT[k * t->out_line + i] = (R_)(at[k] = (step));                                        \
      }                                                                                         \
    for (int64_t k = 0; k < lines; k++) carry[k] = at[k];                                       \
  }                                                                                             \
  static void name##_rows_##D(const line_tile *t, A_ *carry) {                                  \
    const T *X = t->x;                                                                          \
    R_ *OUT = t->out;                                                                           \
    int64_t k = 0;                                                                              \
    for (; k + LINES <= t->lines; k += LINES)                                                   \
      name##_lines_##D(LINES, t, X + k * t->x_line, OUT + k * t->out_line, carry + k);          \
    for (; k < t->lines; k++) name##_lines_##D(1, t, X + k * t->x_line, OUT + k * t->out_line, carry + k); \
  }                                                                                             \
  static void name##_columns_##D(const line_tile *t, A_ *carry) {                               \
    typedef T C;                                                                                \
    typedef A_ A;                                                                               \
    for (int64_t i = 0; i < t->n; i++) {                                                        \
      const T *X = (const T *)t->x + i * t->x_step;                                             \
      R_ *OUT = (R_ *)t->out + i * t->out_step;                                                 \
      _Pragma("omp simd")                                                                       \
      for (int64_t j = 0; j < t->lines; j++) {                                                  \
        A a = carry[j];                                                                         \
        C x = X[j];                                                                             \
        OUT[j] = (R_)(carry[j] = (step));                                                       \
      }                                                                                         \
    }                                                                                           \
  }                                                                                             \
  static void name##_scan_##D(const line_tile *t, void *carry) {                                \
    if (t->x_step == 1 && t->out_step == 1) name##_rows_##D(t, carry);                          \
    else name##_columns_##D(t, carry);                                                          \
  }                                                                                             \
  static void name##_init_##D(int64_t n, void *carry) {                                         \
    typedef T C;                                                                                \
    typedef A_ A;                                                                               \
    for (int64_t j = 0; j < n; j++) ((A *)carry)[j] = (init);                                   \
    (void)sizeof(C);                                                                            \
  }                                                                                             \
  static void name##_put_##D(int64_t n, const void *carry, void *out, int64_t out_line) {       \
    for (int64_t j = 0; j < n; j++) ((R_ *)out)[j * out_line] = (R_)((const A_ *)carry)[j];     \
  }

#define SCAN_ROW(D, T, name, accumulator, init, step) \
  SCAN_LOOPS(D, T, name, ACCUM_##accumulator(D, T), GIVES_##accumulator(D, T), init, step)
#define SCAN(name, reduction, dtypes, accumulator, init, step, doc) \
  EACH_##dtypes(SCAN_ROW, name, accumulator, init, step)
#include "ops.def"

#define ENTRY(D, T, name, accumulator)                                                          \
  [DT_##D] = {.size = sizeof(ACCUM_##accumulator(D, T)), .gives = DTYPE_OF(GIVES_##accumulator(D, T)), \
              .init = name##_init_##D, .put = name##_put_##D, .scan = name##_scan_##D},
const scan_table ISA_NAME(scan_table) = {{
#define SCAN(name, reduction, dtypes, accumulator, ...) [SCAN_##name] = {EACH_##dtypes(ENTRY, name, accumulator)},
#include "ops.def"
}};
