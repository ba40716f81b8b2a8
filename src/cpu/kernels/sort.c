/* Keys of sorting, in the order of the elements, and keys packed with positions. */

#include "cpu/cpu.h"
#include "cpu/kernels/sort_quick.h"

/* ---- one element's key: unsigned, `width` bits; in floats 0x80… is +0 and 0x7f…f -0 ---- */

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

/* Integers: the sign bit, if there is one, turned over. */
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

/* What is sorted is signed: the machine compares that in one instruction. Narrow keys stay at 0 and above. */
#define SIGNED_OF_8(key)  ((int32_t)(key))
#define SIGNED_OF_16(key) ((int32_t)(key))
#define SIGNED_OF_32(key) ((int32_t)((key) ^ 0x80000000u))
#define SIGNED_OF_64(key) ((int64_t)((key) ^ 0x8000000000000000u))
#define UNSIGNED_OF_8(k)  ((uint8_t)(k))
#define UNSIGNED_OF_16(k) ((uint16_t)(k))
#define UNSIGNED_OF_32(k) ((uint32_t)(k) ^ 0x80000000u)
#define UNSIGNED_OF_64(k) ((uint64_t)(k) ^ 0x8000000000000000u)

/* ---- whole lines ---- */

#define KEYS(name, width, U, K)                                                                         \
  static void keys_##name(int64_t n, const void *x, bool descending, void *keys) {                      \
    U flip = descending ? (U)-1 : 0;                                                                    \
    for (int64_t i = 0; i < n; i++)                                                                     \
      ((K *)keys)[i] = SIGNED_OF_##width((U)(key_##name(((const U *)x)[i]) ^ flip));                    \
  }                                                                                                     \
  static void unkey_all_##name(int64_t n, const void *keys, bool descending, void *x) {                 \
    U flip = descending ? (U)-1 : 0;                                                                    \
    for (int64_t i = 0; i < n; i++)                                                                     \
      ((U *)x)[i] = unkey_##name((U)(UNSIGNED_OF_##width(((const K *)keys)[i]) ^ flip));                \
  }                                                                                                     \
  static void range_##name(int64_t n, const void *x, bool descending, uint64_t range[2]) {              \
    U flip = descending ? (U)-1 : 0, least = (U)-1, most = 0;                                           \
    for (int64_t i = 0; i < n; i++) {                                                                   \
      U key = (U)(merged_##name(((const U *)x)[i]) ^ flip);                                             \
      least = key < least ? key : least;                                                                \
      most = key > most ? key : most;                                                                   \
    }                                                                                                   \
    range[0] = least;                                                                                   \
    range[1] = most;                                                                                    \
  }                                                                                                     \
  INLINE uint64_t shifted_##name(U b, const packing *p) {                                               \
    U flip = p->descending ? (U)-1 : 0;                                                                 \
    return ((uint64_t)(U)(merged_##name(b) ^ flip) - p->base) << p->shift;                              \
  }                                                                                                     \
  static void pack_##name(int64_t n, const void *x, int64_t first, const packing *p, int64_t *out) {    \
    packing by = *p;                                                                                    \
    uint64_t mask = ((uint64_t)1 << by.bits) - 1;                                                       \
    for (int64_t i = 0; i < n; i++)                                                                     \
      out[i] = SIGNED_OF_64((shifted_##name(((const U *)x)[i], &by) & ~mask) | (uint64_t)(first + i));  \
  }                                                                                                     \
  static void repack_##name(int64_t n, const void *x, const packing *p, int64_t *out) {                 \
    packing by = *p;                                                                                    \
    uint64_t mask = ((uint64_t)1 << by.bits) - 1;                                                       \
    for (int64_t i = 0; i < n; i++) {                                                                   \
      uint64_t at = (uint64_t)out[i] & mask;                                                            \
      out[i] = (int64_t)((shifted_##name(((const U *)x)[at], &by) & mask) << by.bits | at);             \
    }                                                                                                   \
  }

enum { LOOK = 64, MANY = 4096 };   /* elements compared before the answer is looked at */

#define FILTER(name, width, U, K)                                                                       \
  static int64_t filter_##name(int64_t n, const void *x, int64_t limit, bool descending, int64_t *out) { \
    U flip = descending ? (U)-1 : 0, most = (U)(merged_##name(((const U *)x)[limit]) ^ flip);           \
    int64_t count = 0;                                                                                  \
    for (int64_t begin = 0; begin < n; begin += LOOK) {                                                 \
      const U *block = (const U *)x + begin;                                                            \
      int64_t length = n - begin < LOOK ? n - begin : LOOK;                                             \
      U any = 0;                                                                                        \
      for (int64_t i = 0; i < length; i++) any |= (U)(merged_##name(block[i]) ^ flip) <= most;          \
      if (!any) continue;                                                                               \
      for (int64_t i = 0; i < length; i++) {                                                            \
        out[count] = begin + i;                                                                         \
        count += (U)(merged_##name(block[i]) ^ flip) <= most;                                           \
      }                                                                                                 \
    }                                                                                                   \
    return count;                                                                                       \
  }

/* Copies the m elements of x with this merged key, in their order, to out. */
#define MEND(name, width, U, K)                                                                         \
  INLINE void gather_##name(const U *x, U key, int64_t m, U *out) {                                     \
    for (int64_t i = 0, k = 0; k < m; i++)                                                              \
      if (merged_##name(x[i]) == key) out[k++] = x[i];                                                  \
  }                                                                                                     \
  INLINE int64_t before_##name(const U *out, int64_t n, U key, U flip) {                                \
    int64_t first = 0;                                                                                  \
    for (int64_t left = n; left > 0;) {                                                                 \
      int64_t half = left / 2;                                                                          \
      bool less = (U)(merged_##name(out[first + half]) ^ flip) < (U)(key ^ flip);                       \
      first += less ? half + 1 : 0;                                                                     \
      left = less ? left - half - 1 : half;                                                             \
    }                                                                                                   \
    return first;                                                                                       \
  }                                                                                                     \
  static bool special_##name(int64_t n, const void *x) {                                                \
    const U minus_zero = (U)((U)1 << (width - 1));                                                      \
    for (int64_t begin = 0; begin < n; begin += MANY) {                                                 \
      int64_t end = begin + MANY < n ? begin + MANY : n;                                                \
      U any = 0;                                                                                        \
      for (int64_t i = begin; i < end; i++) {                                                           \
        U b = ((const U *)x)[i];                                                                        \
        any |= (b == minus_zero) | (key_##name(b) == (U)-1);                                            \
      }                                                                                                 \
      if (any) return true;                                                                             \
    }                                                                                                   \
    return false;                                                                                       \
  }                                                                                                     \
  static void mend_##name(int64_t n, const void *x, bool descending, void *out) {                       \
    U flip = descending ? (U)-1 : 0, nan = (U)-1, zero = merged_##name(0), *o = out;                    \
    int64_t first = before_##name(o, n, zero, flip);                                                    \
    int64_t end = descending ? before_##name(o, n, (U)(zero - 1), flip) : before_##name(o, n, (U)(zero + 1), flip); \
    if (first < end && o[first] != o[end - 1]) gather_##name(x, zero, end - first, o + first);          \
    first = descending ? 0 : before_##name(o, n, nan, flip);                                            \
    end = descending ? before_##name(o, n, (U)(nan - 1), flip) : n;                                     \
    if (first < end) gather_##name(x, nan, end - first, o + first);                                     \
  }

#define SORTED_INTEGERS(X)             \
  X(bool,     8,  uint8_t,  int32_t)   \
  X(uint8,    8,  uint8_t,  int32_t)   \
  X(uint16,   16, uint16_t, int32_t)   \
  X(uint32,   32, uint32_t, int32_t)   \
  X(uint64,   64, uint64_t, int64_t)   \
  X(int8,     8,  uint8_t,  int32_t)   \
  X(int16,    16, uint16_t, int32_t)   \
  X(int32,    32, uint32_t, int32_t)   \
  X(int64,    64, uint64_t, int64_t)
#define SORTED_FLOATS(X)               \
  X(float16,  16, uint16_t, int32_t)   \
  X(bfloat16, 16, uint16_t, int32_t)   \
  X(float32,  32, uint32_t, int32_t)   \
  X(float64,  64, uint64_t, int64_t)

SORTED_INTEGERS(KEYS)
SORTED_FLOATS(KEYS)
SORTED_INTEGERS(FILTER)
SORTED_FLOATS(FILTER)
SORTED_FLOATS(MEND)

/* ---- lines of keys ---- */

#define DIRECTION(S, K)                                                                                 \
  static int direction_##S(int64_t n, const void *line) {                                               \
    const K *keys = line;                                                                               \
    int64_t ups = 0, downs = 0;                                                                         \
    for (int64_t begin = 1; begin < n && (ups == 0 || downs == 0); begin += LOOK) {                     \
      int64_t end = begin + LOOK < n ? begin + LOOK : n;                                                \
      K down = 0, up = 0;                                                                               \
      for (int64_t i = begin; i < end; i++) {                                                           \
        down |= keys[i - 1] > keys[i];                                                                  \
        up |= keys[i - 1] <= keys[i];                                                                   \
      }                                                                                                 \
      ups += up;                                                                                        \
      downs += down;                                                                                    \
    }                                                                                                   \
    return downs == 0 ? 1 : ups == 0 ? -1 : 0;                                                          \
  }                                                                                                     \
  static void reverse_line_##S(int64_t n, void *line) {                                                 \
    K *keys = line;                                                                                     \
    for (int64_t i = 0; i < n / 2; i++) {                                                               \
      K key = keys[i];                                                                                  \
      keys[i] = keys[n - 1 - i];                                                                        \
      keys[n - 1 - i] = key;                                                                            \
    }                                                                                                   \
  }
DIRECTION(32, int32_t)
DIRECTION(64, int64_t)

#if !SORT_LANES

enum { FEW = 32 };           /* keys: insertion is faster than anything else */

#define PLAIN(S, K)                                                                                     \
  static void insert_##S(int64_t n, K *keys) {                                                          \
    for (int64_t i = 1; i < n; i++) {                                                                   \
      K key = keys[i];                                                                                  \
      int64_t at = i;                                                                                   \
      for (; at > 0 && keys[at - 1] > key; at--) keys[at] = keys[at - 1];                               \
      keys[at] = key;                                                                                   \
    }                                                                                                   \
  }                                                                                                     \
  static void sort_##S(int64_t n, void *keys, void *scratch) {                                          \
    int64_t counts[RADIX_PLACES];                                                                       \
    if (n <= FEW) insert_##S(n, keys);                                                                  \
    else radix_sort_##S(n, keys, scratch, counts, 0, 1);                                                 \
  }
PLAIN(32, int32_t)
PLAIN(64, int64_t)
#define divide_32 NULL
#define divide_64 NULL

#endif

#define SHARED(name, width, K)                                                                            \
  .key_size = sizeof(K), .key_bits = width, .keys = keys_##name, .unkey = unkey_all_##name,               \
  .range = range_##name, .pack = pack_##name, .repack = repack_##name, .filter = filter_##name
#define INTEGER_ENTRY(name, width, U, K) [DT_##name] = {SHARED(name, width, K)},
#define FLOAT_ENTRY(name, width, U, K) \
  [DT_##name] = {SHARED(name, width, K), .special = special_##name, .mend = mend_##name},
const sort_table ISA_NAME(sort_table) = {
  .kernel = {SORTED_INTEGERS(INTEGER_ENTRY) SORTED_FLOATS(FLOAT_ENTRY)},
  .sorts = {{direction_32, reverse_line_32, sort_32, divide_32}, {direction_64, reverse_line_64, sort_64, divide_64}},
};
