/* Conversions between dtypes of contiguous elements, and copies between layouts. */

#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "cpu/kernels/half/halves.h"
#include "math/scalar.h"

#define CONVERT(TO, TO_T, FROM, FROM_T)                                        \
  static void FROM##_to_##TO(int64_t n, void *dst, const void *src) {          \
    const FROM_T *s = src;                                                     \
    TO_T *d = dst;                                                             \
    _Pragma("omp simd")                                                        \
    for (int64_t i = 0; i < n; i++) d[i] = to_##TO(from_##FROM(s[i]));         \
  }

#define EACH_TO(M, FROM, FROM_T) \
  EACH_ANY(M, FROM, FROM_T) M(float16, uint16_t, FROM, FROM_T) M(bfloat16, uint16_t, FROM, FROM_T)
#define ONE(...) + 1
_Static_assert(0 EACH_TO(ONE, , ) == DTYPE_COUNT, "EACH_TO lacks a dtype");

/* Conversions between half floats and float32 or float64 have loops of their own, which convert HALVES elements at a time.
** The loops in C convert the remaining elements. */
#ifdef HAS_HALVES
#define float16_to_float32  float16_to_float32_rest
#define float32_to_float16  float32_to_float16_rest
#define bfloat16_to_float32 bfloat16_to_float32_rest
#define float32_to_bfloat16 float32_to_bfloat16_rest
#define float64_to_float16  float64_to_float16_rest
#define float64_to_bfloat16 float64_to_bfloat16_rest
#endif

#define FROM_ALL(name, store, ...) EACH_TO(CONVERT, name, store)
DTYPES(FROM_ALL)

#ifdef HAS_HALVES
#undef float16_to_float32
#undef float32_to_float16
#undef bfloat16_to_float32
#undef float32_to_bfloat16
#undef float64_to_float16
#undef float64_to_bfloat16

#define HALF_LOOP(FROM, FROM_T, TO, TO_T, convert)                                      \
  static void FROM##_to_##TO(int64_t n, void *dst, const void *src) {                   \
    const FROM_T *s = src;                                                              \
    TO_T *d = dst;                                                                      \
    int64_t i = 0;                                                                      \
    for (; i + HALVES <= n; i += HALVES) convert(d + i, s + i);                         \
    FROM##_to_##TO##_rest(n - i, d + i, s + i);                                         \
  }

INLINE void round_each_to_odd(float *d, const double *s) {
  _Pragma("omp simd")
  for (int j = 0; j < HALVES; j++) d[j] = round_to_odd(s[j]);
}

#define NARROW_DOUBLES(D)                                                               \
  INLINE void narrow_doubles_##D(uint16_t *d, const double *s) {                        \
    float f[HALVES];                                                                    \
    round_each_to_odd(f, s);                                                            \
    narrow_##D(d, f);                                                                   \
  }
#define HALF_LOOPS(D)                                                                   \
  NARROW_DOUBLES(D)                                                                     \
  HALF_LOOP(D, uint16_t, float32, float, widen_##D)                                     \
  HALF_LOOP(float32, float, D, uint16_t, narrow_##D)                                    \
  HALF_LOOP(float64, double, D, uint16_t, narrow_doubles_##D)
HALF_LOOPS(float16)
HALF_LOOPS(bfloat16)
#endif

/* ---- copies between layouts ----
** `size`, the bytes of an element, is a constant in every inlined call, so each memcpy is one load and one store. */

INLINE void copy_one(int size, char *to, const char *from) { memcpy(to, from, (size_t)size); }

/* Copies a contiguous run of less than 64 bytes. Two copies of a fixed size, which may overlap, need no loop. */
INLINE void copy_short(int64_t bytes, char *restrict to, const char *restrict from) {
#define COPY_ENDS(size) if (bytes >= size) { \
    char first[size], last[size]; \
    memcpy(first, from, size), memcpy(last, from + bytes - size, size); \
    memcpy(to, first, size), memcpy(to + bytes - size, last, size); \
    return; \
  }
  COPY_ENDS(32) COPY_ENDS(16) COPY_ENDS(8) COPY_ENDS(4) COPY_ENDS(2) COPY_ENDS(1)
#undef COPY_ENDS
}

/* Copies a contiguous run in blocks of 64 bytes; the last block overlaps the block before. For runs of up to 512
** bytes, such as the rows of the boxes of cpu/box.c, this is faster than memcpy. Blocks are also faster if `to` is
** less than 16 bytes after `from`, modulo the page size, because memcpy's "rep movsb" was then 8 times slower on
** EPYC. */
INLINE void copy_run(int64_t bytes, char *restrict to, const char *restrict from) {
  uintptr_t ahead = ((uintptr_t)to - (uintptr_t)from) & 4095;
  if (bytes < 64) { copy_short(bytes, to, from); return; }
  if (bytes > 512 && ahead - 1 >= 15) { memcpy(to, from, (size_t)bytes); return; }
  for (int64_t b = 0; b < bytes - 64; b += 64) memcpy(to + b, from + b, 64);
  memcpy(to + bytes - 64, from + bytes - 64, 64);
}

/* Copies n elements with strides. The most frequent strides have separate loops, which the compiler vectorises. */
INLINE void copy_row(int size, int64_t n, char *restrict to, int64_t ts, const char *restrict from, int64_t fs) {
  if (ts == 1 && fs == 1)
    copy_run(n * size, to, from);
  else if (ts == 1 && fs == 0)
    for (int64_t i = 0; i < n; i++) copy_one(size, to + i * size, from);
  else if (ts == 1 && fs == -1)
    for (int64_t i = 0; i < n; i++) copy_one(size, to + i * size, from - i * size);
  else if (ts == 1 && fs == 2)
    for (int64_t i = 0; i < n; i++) copy_one(size, to + i * size, from + i * 2 * size);
  else
    for (int64_t i = 0; i < n; i++) copy_one(size, to + i * ts * size, from + i * fs * size);
}

/* Squares of elements are transposed in vectors of 16 bytes. Each round interleaves the first half of the rows with
** the second half. After log2(number of rows) rounds the square is transposed, which takes 1.5 instructions for each
** 4-byte element. */
#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(type, a, b, ...) __builtin_shuffle(a, b, (type){__VA_ARGS__})
#endif
#define LOW_1(v, a, b) SHUFFLE(v, a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_1(v, a, b) SHUFFLE(v, a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_2(v, a, b) SHUFFLE(v, a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_2(v, a, b) SHUFFLE(v, a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_4(v, a, b) SHUFFLE(v, a, b, 0, 4, 1, 5)
#define HIGH_4(v, a, b) SHUFFLE(v, a, b, 2, 6, 3, 7)
#define LOW_8(v, a, b) SHUFFLE(v, a, b, 0, 2)
#define HIGH_8(v, a, b) SHUFFLE(v, a, b, 1, 3)

/* One round: b[2 i] and b[2 i + 1] interleave the elements of a[i] and a[i + half]. */
#define ROUND(T, size)                                                                           \
  typedef T vector_##size __attribute__((vector_size(16), may_alias));                           \
  INLINE void round_##size(const vector_##size *a, vector_##size *b) {                           \
    for (int i = 0, half = 8 / size; i < half; i++) {                                            \
      b[2 * i] = LOW_##size(vector_##size, a[i], a[i + half]);                                   \
      b[2 * i + 1] = HIGH_##size(vector_##size, a[i], a[i + half]);                              \
    }                                                                                            \
  }
ROUND(uint8_t, 1)
ROUND(uint16_t, 2)
ROUND(uint32_t, 4)
ROUND(uint64_t, 8)

/* Sets to[c][r] = from[r][c] for a square of 16 / size rows. ts and fs are the strides of rows in bytes. */
INLINE void transpose(const int size, char *to, int64_t ts, const char *from, int64_t fs) {
  vector_1 a[16], b[16];
  const int side = 16 / size;
  for (int i = 0; i < side; i++) memcpy(&a[i], from + i * fs, 16);
  for (int round = 1; round < side; round *= 2) {
    if (size == 1) round_1(a, b);
    else if (size == 2) round_2((vector_2 *)a, (vector_2 *)b);
    else if (size == 4) round_4((vector_4 *)a, (vector_4 *)b);
    else round_8((vector_8 *)a, (vector_8 *)b);
    for (int i = 0; i < side; i++) a[i] = b[i];
  }
  for (int i = 0; i < side; i++) memcpy(to + i * ts, &a[i], 16);
}

#ifdef __AVX512F__
/* Squares of elements of 4 and 8 bytes are transposed in vectors of 64 bytes, unless the matrix is too small. AVX-512
** interleaves whole vectors with one instruction, and a vector fills a cache line. On Cascade Lake, transposing a matrix of
** float64 in L1 takes 0.4 times as long as with vectors of 16 bytes. */
#define WIDE_LEAST 4         /* the least size in bytes of an element */

/* One round, as in ROUND. */
#define WIDE_ROUND(T, size, LOW, HIGH)                                                           \
  typedef T wide_##size __attribute__((vector_size(64), may_alias));                             \
  INLINE void wide_round_##size(const wide_##size *a, wide_##size *b) {                          \
    for (int i = 0, half = 32 / size; i < half; i++) {                                           \
      b[2 * i] = LOW(wide_##size, a[i], a[i + half]);                                            \
      b[2 * i + 1] = HIGH(wide_##size, a[i], a[i + half]);                                       \
    }                                                                                            \
  }
WIDE_ROUND(uint32_t, 4, LOW_1, HIGH_1)
WIDE_ROUND(uint64_t, 8, LOW_2, HIGH_2)

INLINE void transpose_wide(const int size, char *to, int64_t ts, const char *from, int64_t fs) {
  wide_4 a[16], b[16];
  const int side = 64 / size;
  for (int i = 0; i < side; i++) memcpy(&a[i], from + i * fs, 64);
  for (int round = 1; round < side; round *= 2) {
    if (size == 4) wide_round_4(a, b);
    else wide_round_8((wide_8 *)a, (wide_8 *)b);
    for (int i = 0; i < side; i++) a[i] = b[i];
  }
  for (int i = 0; i < side; i++) memcpy(to + i * ts, &a[i], 64);
}
#else
#define WIDE_LEAST 16
INLINE void transpose_wide(const int size, char *to, int64_t ts, const char *from, int64_t fs) {
  (void)size, (void)to, (void)ts, (void)from, (void)fs;
}
#endif

INLINE void copy_cells(int size, const copy_plan *p, int64_t rows, int64_t c, int64_t c_end, char *restrict to,
                       const char *restrict from) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = c; j < c_end; j++)
      copy_one(size, to + (i * p->to_row + j * p->to_col) * size, from + (i * p->from_row + j * p->from_col) * size);
}

/* Copies columns of the source to rows of the target. The columns are cut into panels as wide as a cache line
** of the target, so that every cache line that is read is used completely before it leaves the cache. Where a square would
** cross the end of the rows or columns, it overlaps the square before. */
INLINE void copy_crosswise(int size, const copy_plan *p, char *restrict to, const char *restrict from) {
  const int64_t panel = 64 / size;
  bool wide = size >= WIDE_LEAST && size < 16 && p->rows >= panel && p->cols >= panel;
  const int64_t side = wide ? panel : 16 / size;
  bool square = size < 16 && p->to_col == 1 && p->from_row == 1 && p->rows >= side && p->cols >= side;
  for (int64_t c0 = 0; c0 < p->cols; c0 += panel) {
    int64_t c1 = c0 + panel < p->cols ? c0 + panel : p->cols;
    if (!square) copy_cells(size, p, p->rows, c0, c1, to, from);
    else for (int64_t r = 0; r < p->rows; r += side)
      for (int64_t c = c0; c < c1; c += side) {
        int64_t i = least_of(r, p->rows - side), j = least_of(c, p->cols - side);
        char *corner = to + (i * p->to_row + j) * size;
        const char *source = from + (i + j * p->from_col) * size;
        if (wide) transpose_wide(size, corner, p->to_row * size, source, p->from_col * size);
        else transpose(size, corner, p->to_row * size, source, p->from_col * size);
      }
  }
}

enum { FEW = 8 };     /* with fewer columns than this, copying column by column is faster than copying row by row */

INLINE void copy_any(int size, const copy_plan *p, char *to, const char *from) {
  bool crosswise = p->from_row != 0 && llabs(p->from_row) < llabs(p->from_col);
  if (p->cols < FEW && p->rows > p->cols)
    for (int64_t c = 0; c < p->cols; c++)
      copy_row(size, p->rows, to + c * p->to_col * size, p->to_row, from + c * p->from_col * size, p->from_row);
  else if (crosswise && p->rows >= FEW)
    copy_crosswise(size, p, to, from);
  else
    for (int64_t r = 0; r < p->rows; r++)
      copy_row(size, p->cols, to + r * p->to_row * size, p->to_col, from + r * p->from_row * size, p->from_col);
}

#define COPY(size) static void copy_##size(const copy_plan *p, void *to, const void *from) { copy_any(size, p, to, from); }
COPY(1) COPY(2) COPY(4) COPY(8) COPY(16)

#define ENTRY(TO, TO_T, FROM, FROM_T) [DT_##TO] = FROM##_to_##TO,
#define TABLE_ROW(name, store, ...) [DT_##name] = {EACH_TO(ENTRY, name, store)},
const convert_table ISA_NAME(convert_table) = {
  .convert = {DTYPES(TABLE_ROW)},
  .copy = {copy_1, copy_2, copy_4, copy_8, copy_16},
};
