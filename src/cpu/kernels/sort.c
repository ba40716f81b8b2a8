/* Kernels of sorting: convert elements to keys with the same order, and pack keys with positions. */

#include "cpu/cpu.h"

/* ---- the key of one element ----
** Keys are unsigned and have the width of the element. The float +0 has the key 0x80…0, and -0 has the key 0x7f…f. */

#define FLOAT_KEY(name, U, sign, top)                                                                   \
  INLINE U key_##name(U b) {                                                                            \
    U key = b & (sign) ? (U)~b : (U)(b | (sign));                                                       \
    return (U)(b & (U)~(sign)) > (top) ? (U)-1 : key;                                                   \
  }                                                                                                     \
  INLINE U unkey_##name(U key) { return key & (sign) ? (U)(key ^ (sign)) : (U)~key; }                   \
  INLINE U merged_##name(U b) { U key = key_##name(b); return (U)(key + (key == (U)((sign) - 1))); }
FLOAT_KEY(float16, uint16_t, 0x8000, 0x7c00)
FLOAT_KEY(bfloat16, uint16_t, 0x8000, 0x7f80)
FLOAT_KEY(float32, uint32_t, 0x80000000u, 0x7f800000u)
FLOAT_KEY(float64, uint64_t, 0x8000000000000000u, 0x7ff0000000000000u)

/* The key of an integer is the integer with inverted sign bit, if the dtype has a sign. */
#define INTEGER_KEY(name, U, sign)                              \
  INLINE U key_##name(U b) { return (U)(b ^ (sign)); }          \
  INLINE U unkey_##name(U key) { return (U)(key ^ (sign)); }    \
  INLINE U merged_##name(U b) { return (U)(b ^ (sign)); }
INTEGER_KEY(bool, uint8_t, 0)
INTEGER_KEY(uint8, uint8_t, 0)
INTEGER_KEY(uint16, uint16_t, 0)
INTEGER_KEY(uint32, uint32_t, 0)
INTEGER_KEY(uint64, uint64_t, 0)
INTEGER_KEY(int8, uint8_t, 0x80)
INTEGER_KEY(int16, uint16_t, 0x8000)
INTEGER_KEY(int32, uint32_t, 0x80000000u)
INTEGER_KEY(int64, uint64_t, 0x8000000000000000u)

/* ---- whole lines ---- */

enum { LOOK = 64, MANY = 4096 };   /* the numbers of elements that filter and firsts (LOOK) and special (MANY) test in one
                                   ** loop without branches */

#define BITS 8
#define U    uint8_t
#define KEY  int32_t
#include "cpu/kernels/sort_keys.h"

#define BITS 16
#define U    uint16_t
#define KEY  int32_t
#include "cpu/kernels/sort_keys.h"

#define BITS 32
#define U    uint32_t
#define KEY  int32_t
#include "cpu/kernels/sort_keys.h"

#define BITS 64
#define U    uint64_t
#define KEY  int64_t
#include "cpu/kernels/sort_keys.h"

#define SORTED_INTEGERS(X)   \
  X(bool,     8)             \
  X(uint8,    8)             \
  X(uint16,   16)            \
  X(uint32,   32)            \
  X(uint64,   64)            \
  X(int8,     8)             \
  X(int16,    16)            \
  X(int32,    32)            \
  X(int64,    64)
#define SORTED_FLOATS(X)     \
  X(float16,  16)            \
  X(bfloat16, 16)            \
  X(float32,  32)            \
  X(float64,  64)
#define SORTED(X) SORTED_INTEGERS(X) SORTED_FLOATS(X)

#define KEYS(name, width)                                                                              \
  static void keys_##name(int64_t n, const void *x, bool descending, void *keys) {                     \
    make_keys_##width(key_##name, n, x, descending, keys);                                             \
  }                                                                                                    \
  static void unkey_all_##name(int64_t n, const void *keys, bool descending, void *x) {                \
    unmake_keys_##width(unkey_##name, n, keys, descending, x);                                         \
  }
#define RANGE(name, width)                                                                             \
  static void range_##name(int64_t n, const void *x, bool descending, uint64_t range[2]) {             \
    find_range_##width(merged_##name, n, x, descending, range);                                        \
  }                                                                                                    \
  static int64_t filter_##name(int64_t n, const void *x, int64_t limit, bool descending, int64_t *out) {\
    return filter_##width(merged_##name, n, x, limit, descending, out);                                \
  }
#define FIRSTS(name, width)                                                                            \
  static bool firsts_##name(int64_t n, const void *x, int64_t first, bool descending, int64_t most, sort_firsts *f) { \
    return firsts_##width(merged_##name, n, x, first, descending, most, f);                            \
  }
#define PACK(name, width)                                                                              \
  static void pack_##name(int64_t n, const void *x, int64_t first, const packing *p, int64_t *out) {   \
    pack_##width(merged_##name, n, x, first, p, out);                                                  \
  }                                                                                                    \
  static void repack_##name(int64_t n, const void *x, const packing *p, int64_t *out) {                \
    repack_##width(merged_##name, n, x, p, out);                                                       \
  }
#define MEND(name, width)                                                                              \
  static bool special_##name(int64_t n, const void *x) { return special_##width(key_##name, n, x); }   \
  static void mend_##name(int64_t n, const void *x, bool descending, void *out) {                      \
    mend_##width(merged_##name, n, x, descending, out);                                                \
  }

SORTED(KEYS)
SORTED(RANGE)
SORTED(FIRSTS)
SORTED(PACK)
SORTED_FLOATS(MEND)

#define SHARED(name, width) \
  .key_size = width == 64 ? 8 : 4, .key_bits = width, .keys = keys_##name, .unkey = unkey_all_##name, \
  .range = range_##name, .pack = pack_##name, .repack = repack_##name, .filter = filter_##name, \
  .firsts = firsts_##name
#define INTEGER_ENTRY(name, width) [DT_##name] = {SHARED(name, width)},
#define FLOAT_ENTRY(name, width) \
  [DT_##name] = {SHARED(name, width), .special = special_##name, .mend = mend_##name},
const sort_table ISA_NAME(sort_table) = {
  .kernel = {SORTED_INTEGERS(INTEGER_ENTRY) SORTED_FLOATS(FLOAT_ENTRY)},
};
