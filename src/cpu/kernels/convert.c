/* Conversions between dtypes on contiguous blocks, and copies between layouts. */

#include <string.h>

#include "../cpu.h"
#include "../scalar.h"

/* Plain storage has itself as value; half floats are unpacked to float. */
#define load_plain(v) (v)
#define CONVERT(TO, TO_T, FROM, FROM_T)                                        \
  static void FROM##_to_##TO(int64_t n, void *dst, const void *src) {          \
    const FROM_T *s = src;                                                     \
    TO_T *d = dst;                                                             \
    _Pragma("omp simd")                                                        \
    for (int64_t i = 0; i < n; i++) d[i] = to_##TO(from_##FROM(s[i]));         \
  }

#define EACH_TO(M, FROM, FROM_T)                                               \
  M(bool, _Bool, FROM, FROM_T) M(uint8, uint8_t, FROM, FROM_T)                 \
  M(uint16, uint16_t, FROM, FROM_T) M(uint32, uint32_t, FROM, FROM_T)          \
  M(uint64, uint64_t, FROM, FROM_T) M(int8, int8_t, FROM, FROM_T)              \
  M(int16, int16_t, FROM, FROM_T) M(int32, int32_t, FROM, FROM_T)              \
  M(int64, int64_t, FROM, FROM_T) M(float16, uint16_t, FROM, FROM_T)           \
  M(bfloat16, uint16_t, FROM, FROM_T) M(float32, float, FROM, FROM_T)          \
  M(float64, double, FROM, FROM_T)

#define FROM_ALL(name, store, compute, accum, kind) EACH_TO(CONVERT, name, store)
DTYPES(FROM_ALL)

/* ---- copies between layouts ----
** `size` is a constant wherever these are inlined: each memcpy is one load and one store. */

#define INLINE static inline __attribute__((always_inline))

INLINE void copy_one(int size, char *to, const char *from) { memcpy(to, from, (size_t)size); }

/* The strides that occur often have loops of their own: those are vectorised. */
INLINE void copy_row(int size, int64_t n, char *restrict to, int64_t ts, const char *restrict from, int64_t fs) {
  if (ts == 1 && fs == 1)
    memcpy(to, from, (size_t)(n * size));
  else if (ts == 1 && fs == 0)
    for (int64_t i = 0; i < n; i++) copy_one(size, to + i * size, from);
  else if (ts == 1 && fs == -1)
    for (int64_t i = 0; i < n; i++) copy_one(size, to + i * size, from - i * size);
  else if (ts == 1 && fs == 2)
    for (int64_t i = 0; i < n; i++) copy_one(size, to + i * size, from + i * 2 * size);
  else
    for (int64_t i = 0; i < n; i++) copy_one(size, to + i * ts * size, from + i * fs * size);
}

/* Squares whose side is a cache line, so that every line fetched is used up at once. */
INLINE void copy_crosswise(int size, const copy_plan *p, char *restrict to, const char *restrict from) {
  const int64_t side = size < 8 ? 64 / size : 8;
  for (int64_t r0 = 0; r0 < p->rows; r0 += side)
    for (int64_t c0 = 0; c0 < p->cols; c0 += side) {
      int64_t r1 = r0 + side < p->rows ? r0 + side : p->rows, c1 = c0 + side < p->cols ? c0 + side : p->cols;
      for (int64_t r = r0; r < r1; r++)
        for (int64_t c = c0; c < c1; c++)
          copy_one(size, to + (r * p->to_row + c * p->to_col) * size, from + (r * p->from_row + c * p->from_col) * size);
    }
}

static inline int64_t distance(int64_t stride) { return stride < 0 ? -stride : stride; }

enum { FEW = 8 };     /* columns: with fewer, walking down them is faster than along the rows */

INLINE void copy_any(int size, const copy_plan *p, char *to, const char *from) {
  bool crosswise = p->from_row != 0 && distance(p->from_row) < distance(p->from_col);
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
#define TABLE_ROW(name, store, compute, accum, kind) [DT_##name] = {EACH_TO(ENTRY, name, store)},
const convert_table ISA_NAME(convert_table) = {
  .convert = {DTYPES(TABLE_ROW)},
  .copy = {copy_1, copy_2, copy_4, copy_8, copy_16},
};
