/* Inner loops of two element-wise operations after each other: the first computes p = x op y, the second computes p op z or
** z op p. The intermediate result is rounded as if it were stored, so that the last bits are those of two loops, but it
** stays in a register. */

#include "cpu/cpu.h"

#define PAIR(D, T, first, p, second, result, name, Y_AT)                                \
  static void first##_##second##_##name##_##D(int64_t n, void *out, const void *const *in) { \
    const T *X = in[0], *Y = in[1], *Z = in[2]; T *r = out;                             \
    _Pragma("omp simd")                                                                 \
    for (int64_t i = 0; i < n; i++) { T x = X[i], y = Y[Y_AT], z = Z[i], made = p; r[i] = result; } \
  }

/* Y is an array, or one element. */
#define FORMS(D, T, first, p, second, result)                                           \
  PAIR(D, T, first, p, second, result, arrays, i) PAIR(D, T, first, p, second, result, one, 0)
#define FIRSTS(M, ...) M(__VA_ARGS__, add, x + y) M(__VA_ARGS__, subtract, x - y) M(__VA_ARGS__, multiply, x * y)
#define SECONDS(D, T, first, p)                                                         \
  FORMS(D, T, first, p, add, made + z) FORMS(D, T, first, p, subtract, made - z)        \
  FORMS(D, T, first, p, subtract_from, z - made) FORMS(D, T, first, p, multiply, made * z)
FIRSTS(SECONDS, float32, float)
FIRSTS(SECONDS, float64, double)

#define ENTRY(D, first, second) [PAIR_##second] = {first##_##second##_arrays_##D, first##_##second##_one_##D}
#define ROW(D, T, first, p)                                                             \
  [PAIR_##first] = {ENTRY(D, first, add), ENTRY(D, first, subtract), ENTRY(D, first, multiply), ENTRY(D, first, subtract_from)},

const pair_table ISA_NAME(pair_table) = {{
  [DT_float32] = {FIRSTS(ROW, float32, float)},
  [DT_float64] = {FIRSTS(ROW, float64, double)},
}};
