/* Inner loops of cheap element-wise operations that read and write half floats. A loop computes the expression of
** ops.def in float32. The converted elements stay in registers, because writing and reading them would take longer than
** an addition. Costly operations such as exp gain nothing: their loops are up to 30 % slower with the conversions. */

#include "cpu/cpu.h"
#include "cpu/kernels/half/halves.h"
#include "math/scalar.h"

#ifdef HAS_HALVES

/* The operations that have a loop. HALF_FORM(HALF_op, …) is empty for the other operations. */
#define HALF_square     , HALF_ROW
#define HALF_reciprocal , HALF_ROW
#define HALF_rsqrt      , HALF_ROW
#define HALF_add        , HALF_ROW
#define HALF_subtract   , HALF_ROW
#define HALF_multiply   , HALF_ROW
#define HALF_divide     , HALF_ROW
#define HALF_maximum    , HALF_ROW
#define HALF_minimum    , HALF_ROW
#define HALF_sqrt       , HALF_ROW
#define HALF_relu       , HALF_ROW
#define HALF_hardsigmoid_      , HALF_ROW
#define HALF_hardswish_        , HALF_ROW
#define HALF_sigmoid_back_     , HALF_ROW
#define HALF_tanh_back_        , HALF_ROW
#define HALF_relu_back_        , HALF_ROW
#define HALF_hardsigmoid_back_ , HALF_ROW
#define HALF_hardswish_back_   , HALF_ROW
#define HALF_NOTHING(...)
#define HALF_FORM(...) HALF_SECOND(__VA_ARGS__, HALF_NOTHING, )
#define HALF_SECOND(first, second, ...) second

/* Computes r[i] from X[i] and Y[i] for HALVES elements. */
typedef void half_vector(uint16_t *r, const uint16_t *X, const uint16_t *Y);

/* Computes n elements. The last elements are copied to a whole vector, so that the same code computes them. */
INLINE void half_loop(half_vector op, int64_t n, void *out, const void *const *in, bool binary) {
  const uint16_t *X = in[0], *Y = in[binary];
  uint16_t *r = out;
  int64_t i = 0;
  for (; i + HALVES <= n; i += HALVES) op(r + i, X + i, Y + i);
  if (i == n) return;
  uint16_t x[HALVES] = {0}, y[HALVES] = {0}, last[HALVES];
  size_t bytes = (size_t)(n - i) * sizeof *r;
  memcpy(x, X + i, bytes);
  memcpy(y, Y + i, bytes);
  op(last, x, y);
  memcpy(r + i, last, bytes);
}

#define HALF_VECTOR(D, name, expr)                                                      \
  INLINE void vector_##name##_##D(uint16_t *r, const uint16_t *X, const uint16_t *Y) {  \
    typedef float C; C u[HALVES], v[HALVES], w[HALVES];                                 \
    widen_##D(u, X); widen_##D(v, Y);                                                   \
    _Pragma("omp simd")                                                                 \
    for (int j = 0; j < HALVES; j++) { C x = u[j], y = v[j]; (void)y; w[j] = (expr); }  \
    narrow_##D(r, w);                                                                   \
  }
#define HALF_LOOP(D, name, expr, binary)                                                \
  HALF_VECTOR(D, name, expr)                                                            \
  static void half_##name##_##D(int64_t n, void *out, const void *const *in) {          \
    half_loop(vector_##name##_##D, n, out, in, binary);                                 \
  }
#define HALF_ROW(name, expr, binary) HALF_LOOP(float16, name, expr, binary) HALF_LOOP(bfloat16, name, expr, binary)
#define UNARY(name, dtypes, result, expr, doc)  HALF_FORM(HALF_##name)(name, expr, false)
#define BINARY(name, dtypes, result, expr, doc) HALF_FORM(HALF_##name)(name, expr, true)
#include "ops.def"

/* Change the sign bits of half floats of either dtype. */
static void half_negative(int64_t n, void *out, const void *const *in) {
  const uint16_t *X = in[0];
  uint16_t *r = out;
  _Pragma("omp simd")
  for (int64_t i = 0; i < n; i++) r[i] = X[i] ^ 0x8000u;
}
static void half_abs(int64_t n, void *out, const void *const *in) {
  const uint16_t *X = in[0];
  uint16_t *r = out;
  _Pragma("omp simd")
  for (int64_t i = 0; i < n; i++) r[i] = X[i] & 0x7fffu;
}

static void half_copysign(int64_t n, void *out, const void *const *in) {
  const uint16_t *X = in[0], *Y = in[1];
  uint16_t *r = out;
  _Pragma("omp simd")
  for (int64_t i = 0; i < n; i++) r[i] = (X[i] & 0x7fffu) | (Y[i] & 0x8000u);
}

#undef HALF_ROW
#define HALF_ROW(name) [OP_##name] = {half_##name##_float16, half_##name##_bfloat16},
const half_table ISA_NAME(half_table) = {{
#define UNARY(name, ...)  HALF_FORM(HALF_##name)(name)
#define BINARY(name, ...) HALF_FORM(HALF_##name)(name)
#include "ops.def"
  [OP_negative] = {half_negative, half_negative},
  [OP_abs] = {half_abs, half_abs},
  [OP_copysign] = {half_copysign, half_copysign},
}};

#else
const half_table ISA_NAME(half_table) = {{{NULL}}};
#endif
