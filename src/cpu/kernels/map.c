/* Inner loops of element-wise operations: one loop for each row of ops.def and each compute dtype. */

#include "cpu/cpu.h"
#include "math/scalar.h"

#define RESULT_SAME(T) T
#define RESULT_REAL(T) __typeof__(__real__(T)0)
#define RESULT_BOOL(T) bool

/* Defines one loop. `reads` declares the input arrays X, Y, …, and `loads` sets the expression's variables x, y, … */
#define LOOP(D, T, name, result, expr, reads, loads)                              \
  static void map_##name##_##D(int64_t n, void *out, const void *const *in) {     \
    typedef T C;                                                                  \
    reads RESULT_##result(T) *r = out;                                            \
    FAR_FORM(FAR_##name, )                                                        \
    _Pragma("omp simd")                                                           \
    for (int64_t i = 0; i < n; i++) { loads r[i] = (expr); }                      \
  }

/* The bool inputs of unary functions and of a SELECT are read as bytes, because gcc 12 vectorises neither negations of
** _Bool nor selections by _Bool. */
#define STORED(T) __typeof__(_Generic((T)0, bool: (uint8_t)0, default: (T)0))

#define READ1 const STORED(C) *X = in[0];
#define READ2 const C *X = in[0]; const C *Y = in[1];
#define READ3 READ2 const C *Z = in[2];
#define READS const uint8_t *X = in[0]; const C *Y = in[1], *Z = in[2];
#define LOADS uint8_t x = X[i]; C y = Y[i], z = Z[i];
#define READ4 READ3 const C *W = in[3];
#define LOAD1 C x = X[i];
#define LOAD2 LOAD1 C y = Y[i];
#define LOAD3 LOAD2 C z = Z[i];
#define LOAD4 LOAD3 C w = W[i];

#define LOOP1(D, T, name, result, expr) LOOP(D, T, name, result, expr, READ1, LOAD1)
#define LOOP2(D, T, name, result, expr) LOOP(D, T, name, result, expr, READ2, LOAD2)
#define LOOP3(D, T, name, result, expr) LOOP(D, T, name, result, expr, READ3, LOAD3)
#define LOOPS(D, T, name, result, expr) LOOP(D, T, name, result, expr, READS, LOADS)
#define LOOP4(D, T, name, result, expr) LOOP(D, T, name, result, expr, READ4, LOAD4)

#define USUAL1(function) function(x)
#define USUAL2(function) function(x, y)

/* Defines far_sin_float32 and similar functions, for elements that the expression of ops.def cannot compute. If
** `test` is true for an element of the block, the function computes the block and returns true. Otherwise it returns
** false. Only elements for which `test` is true are computed by the slower `expr`, because the bits of an element must
** not depend on its neighbours. */
#define FAR(name, inputs, test, expr)                                             \
  EACH_REALFLOAT(LOOP##inputs, far_##name, SAME, (test) ? (expr) : USUAL##inputs(m_##name)) \
  EACH_REALFLOAT(FAR_TEST, name, READ##inputs, LOAD##inputs, test)
#define FAR_TEST(D, T, name, reads, loads, test)                                  \
  static bool far_##name##_##D(int64_t n, void *out, const void *const *in) {     \
    typedef T C; reads int far = 0;                                               \
    _Pragma("omp simd reduction(|:far)")                                          \
    for (int64_t i = 0; i < n; i++) { loads far |= (test); }                      \
    return far && (map_far_##name##_##D(n, out, in), true);                       \
  }
FAR_FORM(FAR_sin, ) FAR_FORM(FAR_cos, ) FAR_FORM(FAR_tan, ) FAR_FORM(FAR_remainder, )
INLINE bool far_never(int64_t n, void *out, const void *const *in) { (void)n, (void)out, (void)in; return false; }
#undef FAR
#define FAR(name, inputs, test, expr) if (GENERIC((C)0, FLOATS(far_##name), CASE_ELSE(far_never))(n, out, in)) return;

#define UNARY(name, dtypes, result, expr, doc)      EACH_##dtypes(LOOP1, name, result, expr)
#define BINARY(name, dtypes, result, expr, doc)     EACH_##dtypes(LOOP2, name, result, expr)
#define SELECT(name, dtypes, result, expr, doc)     EACH_##dtypes(LOOPS, name, result, expr)
#define TERNARY(name, dtypes, result, expr, doc)    EACH_##dtypes(LOOP3, name, result, expr)
#define QUATERNARY(name, dtypes, result, expr, doc) EACH_##dtypes(LOOP4, name, result, expr)
#include "ops.def"

/* nextafter of half floats uses the stored bits, so the compute dtype is the half float itself. */
#define NEXTAFTER_HALF(D, infinity)                                               \
  static void map_nextafter_##D(int64_t n, void *out, const void *const *in) {    \
    const uint16_t *X = in[0], *Y = in[1];                                        \
    uint16_t *r = out;                                                            \
    _Pragma("omp simd")                                                           \
    for (int64_t i = 0; i < n; i++) r[i] = nextafter_half(X[i], Y[i], infinity);  \
  }
NEXTAFTER_HALF(float16, 0x7c00)
NEXTAFTER_HALF(bfloat16, 0x7f80)

#define ENTRY(D, T, name) [DT_##D] = map_##name##_##D,
#define ROW(name, dtypes, ...) [OP_##name] = {EACH_##dtypes(ENTRY, name)},

const map_table ISA_NAME(map_table) = {{
#define UNARY ROW
#define BINARY ROW
#define TERNARY ROW
#define QUATERNARY ROW
#include "ops.def"
  [OP_nextafter][DT_float16] = map_nextafter_float16,
  [OP_nextafter][DT_bfloat16] = map_nextafter_bfloat16,
}};
