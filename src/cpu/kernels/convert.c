/* Conversions between dtypes on contiguous blocks, and strided moves. */

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

#define MOVE(T)                                                                                       \
  static void move_##T(int64_t n, void *dst, int64_t dst_stride, const void *src, int64_t src_stride) { \
    const T *s = src;                                                                                 \
    T *d = dst;                                                                                       \
    for (int64_t i = 0; i < n; i++) d[i * dst_stride] = s[i * src_stride];                            \
  }
MOVE(uint8_t)
MOVE(uint16_t)
MOVE(uint32_t)
MOVE(uint64_t)

#define ENTRY(TO, TO_T, FROM, FROM_T) [DT_##TO] = FROM##_to_##TO,
#define TABLE_ROW(name, store, compute, accum, kind) [DT_##name] = {EACH_TO(ENTRY, name, store)},
const convert_table ISA_NAME(convert_table) = {
  .convert = {DTYPES(TABLE_ROW)},
  .move = {move_uint8_t, move_uint16_t, move_uint32_t, move_uint64_t, NULL},
};
