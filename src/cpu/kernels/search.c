/* Searches in short rows: each value is compared with every element of the row, many values at once in vectors. */

#include <string.h>

#include "cpu/before.h"
#include "cpu/cpu.h"

enum { BLOCK = 64 };         /* the number of values that are compared in one loop, whose counts stay in L1 */

/* The signed integer of T's size: a vector of values and the vector of their counts have the same number of lanes. */
#define COUNT_OF(T) __typeof__(_Generic((char (*)[sizeof(T)])0, char (*)[1]: (int8_t)0, char (*)[2]: (int16_t)0, \
                                        char (*)[4]: (int32_t)0, default: (int64_t)0))

/* count_<dtype> compares BLOCK values with the element at x of the row, and adds 1 to count[k] if value k is inserted
** after the element. */
#define COUNT(D, T, ...)                                                                                       \
  INLINE void count_##D(const void *x, const void *values, const bool right, void *counts) {                   \
    COUNT_OF(T) *count = counts;                                                                               \
    const T *v = values, at = *(const T *)x;                                                                   \
    for (int k = 0; k < BLOCK; k++) count[k] += (COUNT_OF(T))(right ? !SORTS_BEFORE(v[k], at) : SORTS_BEFORE(at, v[k])); \
  }
EACH_ORDERED(COUNT, )

/* points_<dtype> writes the 1-based insertion points that follow from the counts. */
#define POINTS(D, T, ...)                                                                                      \
  INLINE void points_##D(const void *counts, int64_t *out) {                                                   \
    for (int k = 0; k < BLOCK; k++) out[k] = ((const COUNT_OF(T) *)counts)[k] + 1;                             \
  }
EACH_ORDERED(POINTS, )

/* The functions of a dtype, and the size of an element in bytes. */
typedef struct compare {
  void  (*count)(const void *x, const void *values, const bool right, void *counts);
  void  (*points)(const void *counts, int64_t *out);
  size_t size;
} compare;

INLINE void insert_block(const compare c, const char *row, int64_t n, const char *values, const bool right, int64_t *out) {
  _Alignas(64) char counts[BLOCK * sizeof(int64_t)] = {0};
  for (int64_t j = 0; j < n; j++) c.count(row + (size_t)j * c.size, values, right, counts);
  c.points(counts, out);
}

/* The last block is filled up with zeros. */
INLINE void insert_row(const compare c, const char *row, int64_t n, const char *values, int64_t m, const bool right,
                       int64_t *out) {
  int64_t i = 0;
  for (; i + BLOCK <= m; i += BLOCK) insert_block(c, row, n, values + (size_t)i * c.size, right, out + i);
  if (i == m) return;
  _Alignas(64) char rest[BLOCK * sizeof(int64_t)] = {0};
  int64_t points[BLOCK];
  memcpy(rest, values + (size_t)i * c.size, (size_t)(m - i) * c.size);
  insert_block(c, row, n, rest, right, points);
  memcpy(out + i, points, (size_t)(m - i) * sizeof *out);
}

#define INSERT(D, T, ...)                                                                                      \
  static void insert_##D(const void *row, int64_t n, const void *values, int64_t m, bool right, int64_t *out) { \
    const compare c = {count_##D, points_##D, sizeof(T)};                                                      \
    if (right) insert_row(c, row, n, values, m, true, out);                                                    \
    else insert_row(c, row, n, values, m, false, out);                                                         \
  }
EACH_ORDERED(INSERT, )

#define ENTRY(D, T, ...) [DT_##D] = insert_##D,
const search_table ISA_NAME(search_table) = {.insert = {EACH_ORDERED(ENTRY, )}};
