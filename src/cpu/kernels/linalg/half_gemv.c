/* Products of a matrix of half floats and a vector of float32. The elements are converted in registers. */

#include "cpu/cpu.h"
#include "cpu/kernels/half/halves.h"

#ifdef HAS_HALVES

typedef float vector __attribute__((vector_size(4 * HALVES)));

enum { SUMS = 4 };      /* the vectors of sums of a dot product, which hide the latency of FMA; also the number of rows
                        ** that are added at a time, so that the result is read and written less often */

INLINE vector load(const float *p) { vector v; memcpy(&v, p, sizeof v); return v; }
INLINE void store(float *p, vector v) { memcpy(p, &v, sizeof v); }

typedef void widen(float *d, const uint16_t *s);

INLINE vector load_half(widen convert, const uint16_t *p) {
  float f[HALVES];
  convert(f, p);
  return load(f);
}

/* Loads n < HALVES elements, and zeros. */
INLINE vector load_part(const float *p, int64_t n) {
  float f[HALVES] = {0};
  memcpy(f, p, (size_t)n * sizeof *p);
  return load(f);
}
INLINE vector load_half_part(widen convert, const uint16_t *p, int64_t n) {
  uint16_t h[HALVES] = {0};
  memcpy(h, p, (size_t)n * sizeof *p);
  return load_half(convert, h);
}

INLINE void dot(widen convert, int64_t n, const uint16_t *x, const float *v, float *sum) {
  vector s[SUMS] = {{0}};
  int64_t i = 0;
  for (; i + SUMS * HALVES <= n; i += SUMS * HALVES) {
    #pragma GCC unroll 4
    for (int k = 0; k < SUMS; k++) s[k] += load_half(convert, x + i + k * HALVES) * load(v + i + k * HALVES);
  }
  for (; i + HALVES <= n; i += HALVES) s[0] += load_half(convert, x + i) * load(v + i);
  if (i < n) s[1] += load_half_part(convert, x + i, n - i) * load_part(v + i, n - i);
  float part[HALVES];
  store(part, (s[0] + s[1]) + (s[2] + s[3]));
  for (int w = HALVES / 2; w > 0; w /= 2)
    for (int j = 0; j < w; j++) part[j] += part[j + w];
  *sum += part[0];
}

/* Adds `rows` <= SUMS rows, a constant number, to n elements of sum. */
INLINE void add_some(widen convert, const int rows, int64_t n, const uint16_t *x, int64_t stride, const float *factor,
                     float *sum) {
  int64_t j = 0;
  for (; j + HALVES <= n; j += HALVES) {
    vector s = load(sum + j);
    #pragma GCC unroll 4
    for (int r = 0; r < rows; r++) s += load_half(convert, x + r * stride + j) * factor[r];
    store(sum + j, s);
  }
  if (j == n) return;
  vector s = load_part(sum + j, n - j);
  for (int r = 0; r < rows; r++) s += load_half_part(convert, x + r * stride + j, n - j) * factor[r];
  memcpy(sum + j, &s, (size_t)(n - j) * sizeof *sum);
}

INLINE void add_rows(widen convert, int64_t rows, int64_t n, const uint16_t *x, int64_t stride, const float *factor,
                     float *sum) {
  int64_t r = 0;
  for (; r + SUMS <= rows; r += SUMS) add_some(convert, SUMS, n, x + r * stride, stride, factor + r, sum);
  for (; r < rows; r++) add_some(convert, 1, n, x + r * stride, stride, factor + r, sum);
}

#define KERNELS(D)                                                                                          \
  static void dot_##D(int64_t n, const void *x, const float *v, float *sum) { dot(widen_##D, n, x, v, sum); } \
  static void add_rows_##D(int64_t rows, int64_t n, const void *x, int64_t stride, const float *factor, float *sum) { \
    add_rows(widen_##D, rows, n, x, stride, factor, sum);                                                   \
  }
KERNELS(float16)
KERNELS(bfloat16)

const half_gemv_table ISA_NAME(half_gemv_table) = {{dot_float16, dot_bfloat16}, {add_rows_float16, add_rows_bfloat16}};

#else
const half_gemv_table ISA_NAME(half_gemv_table) = {{NULL}, {NULL}};
#endif
