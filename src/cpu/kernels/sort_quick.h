#ifndef LT_CPU_KERNELS_SORT_QUICK_H
#define LT_CPU_KERNELS_SORT_QUICK_H

/* Quicksort in vector registers: lines are split at a pivot until a part fits registers, where bitonic merges sort it.
** (As in Intel's x86-simd-sort and Highway's vqsort, but that parts are split by way of a second buffer.) */

#include <string.h>

#include "cpu/kernels/sort_lanes.h"
#include "cpu/radix.h"

#if SORT_LANES

enum {
  REGISTERS = 8,                    /* as many hold a part: twice as many would not leave room for what is compared */
  PARTS_32 = REGISTERS * LANES_32,  /* keys of such a part */
  PARTS_64 = REGISTERS * LANES_64
};

/* A bitonic sequence in one register, in order. */
INLINE lanes_32 merge_lanes_32(lanes_32 v) {
  if (LANES_32 == 16) v = swap_32(v, 8, 8);
  return swap_32(swap_32(swap_32(v, 4, 4), 2, 2), 1, 1);
}
INLINE lanes_64 merge_lanes_64(lanes_64 v) {
  if (LANES_64 == 8) v = swap_64(v, 4, 4);
  return swap_64(swap_64(v, 2, 2), 1, 1);
}

/* Any keys in one register, in order: pairs, fours, … by merging with the reverse of the neighbour. */
INLINE lanes_32 sort_lanes_32(lanes_32 v) {
  v = swap_32(v, 1, 1);
  v = swap_32(swap_32(v, 3, 2), 1, 1);
  v = swap_32(swap_32(swap_32(v, 7, 4), 2, 2), 1, 1);
  if (LANES_32 == 16) v = swap_32(swap_32(swap_32(swap_32(v, 15, 8), 4, 4), 2, 2), 1, 1);
  return v;
}
INLINE lanes_64 sort_lanes_64(lanes_64 v) {
  v = swap_64(v, 1, 1);
  v = swap_64(swap_64(v, 3, 2), 1, 1);
  if (LANES_64 == 8) v = swap_64(swap_64(swap_64(v, 7, 4), 2, 2), 1, 1);
  return v;
}

#define QUICKSORT(S, K, LEAST, MOST)                                                                          \
  INLINE void swap_registers_##S(lanes_##S *a, lanes_##S *b) {                                                \
    lanes_##S low = min_##S(*a, *b);                                                                          \
    *b = max_##S(*a, *b);                                                                                     \
    *a = low;                                                                                                 \
  }                                                                                                           \
  /* Two runs of m registers each become one: the second is reversed, halves are compared, halves of halves … */ \
  INLINE void merge_registers_##S(lanes_##S *v, const int m) {                                                \
    for (int i = 0; i < m; i++) {                                                                             \
      lanes_##S b = reverse_##S(v[2 * m - 1 - i]);                                                            \
      v[2 * m - 1 - i] = max_##S(v[i], b);                                                                    \
      v[i] = min_##S(v[i], b);                                                                                \
    }                                                                                                         \
    for (int d = m / 2; d > 0; d /= 2)                                                                        \
      for (int i = 0; i < 2 * m; i++)                                                                         \
        if (!(i & d)) swap_registers_##S(&v[i], &v[i + d]);                                                   \
    for (int i = 0; i < 2 * m; i++) v[i] = merge_lanes_##S(v[i]);                                             \
  }                                                                                                           \
  /* n keys, in m registers. */                                                                               \
  INLINE void sort_registers_##S(int64_t n, K *keys, const int m) {                                           \
    lanes_##S v[REGISTERS];                                                                                   \
    for (int i = 0; i < m; i++) {                                                                             \
      int64_t left = n - i * LANES_##S;                                                                       \
      v[i] = left >= LANES_##S ? load_##S(keys + i * LANES_##S)                                               \
                               : load_part_##S(keys + i * LANES_##S, left > 0 ? left : 0, MOST);              \
      v[i] = sort_lanes_##S(v[i]);                                                                            \
    }                                                                                                         \
    for (int run = 1; run < m; run *= 2)                                                                      \
      for (int i = 0; i < m; i += 2 * run) merge_registers_##S(v + i, run);                                   \
    for (int i = 0; i < m; i++) {                                                                             \
      int64_t left = n - i * LANES_##S;                                                                       \
      if (left >= LANES_##S) store_##S(keys + i * LANES_##S, v[i]);                                           \
      else store_part_##S(keys + i * LANES_##S, left > 0 ? left : 0, v[i]);                                   \
    }                                                                                                         \
  }                                                                                                           \
  static void sort_part_##S(int64_t n, K *keys) {                                                             \
    if (n <= LANES_##S) sort_registers_##S(n, keys, 1);                                                       \
    else if (n <= 2 * LANES_##S) sort_registers_##S(n, keys, 2);                                              \
    else if (n <= 4 * LANES_##S) sort_registers_##S(n, keys, 4);                                              \
    else sort_registers_##S(n, keys, 8);                                                                      \
  }                                                                                                           \
  /* The median of a register of keys from all over the line. */                                              \
  static K choose_pivot_##S(int64_t n, const K *keys) {                                                       \
    K sample[LANES_##S];                                                                                      \
    for (int i = 0; i < LANES_##S; i++) sample[i] = keys[(2 * i + 1) * n / (2 * LANES_##S)];                  \
    store_##S(sample, sort_lanes_##S(load_##S(sample)));                                                      \
    return sample[LANES_##S / 2 - 1];                                                                         \
  }                                                                                                           \
  /* Keys up to the pivot first; returns how many. Those above it go by way of scratch. */                    \
  static int64_t split_line_##S(int64_t n, K *keys, K pivot, K *scratch) {                                    \
    int64_t low = 0, i = 0;                                                                                   \
    for (int64_t end; (end = cancel_stretch(i, n / LANES_##S * LANES_##S)) > i;)                              \
      for (; i < end; i += LANES_##S)                                                                         \
        low += split_##S(load_##S(keys + i), pivot, keys + low, scratch + (i - low));                         \
    if (this_operation.stopped) return low;                                                                   \
    for (; i < n; i++) {                                                                                      \
      K key = keys[i];                                                                                        \
      keys[low] = key;                                                                                        \
      scratch[i - low] = key;                                                                                 \
      low += key <= pivot;                                                                                    \
    }                                                                                                         \
    for (int64_t at = 0, end; (end = cancel_stretch(at, n - low)) > at; at = end)                             \
      memcpy(keys + low + at, scratch + at, (size_t)(end - at) * sizeof(K));                                  \
    return low;                                                                                               \
  }                                                                                                           \
  static __attribute__((noinline)) void give_up_##S(int64_t n, K *keys, K *scratch) {                         \
    int64_t counts[RADIX_PLACES];                                                                             \
    radix_sort_##S(n, keys, scratch, counts, 0, 1);                                                           \
  }                                                                                                           \
  /* depth: splits that may follow; unlucky pivots end in a radix sort. */                                    \
  static void quick_##S(int64_t n, K *keys, K *scratch, int depth) {                                          \
    while (n > PARTS_##S && !this_operation.stopped) {                                                        \
      if (depth-- == 0) { give_up_##S(n, keys, scratch); return; }                                            \
      K pivot = choose_pivot_##S(n, keys);                                                                    \
      int64_t low = split_line_##S(n, keys, pivot, scratch);                                                  \
      if (low == n) {                /* no key is above the pivot: its equals are where they belong */        \
        if (pivot == LEAST) return;                                                                           \
        n = split_line_##S(n, keys, pivot - 1, scratch);                                                      \
      } else {                                                                                                \
        quick_##S(n - low, keys + low, scratch, depth);                                                       \
        n = low;                                                                                              \
      }                                                                                                       \
    }                                                                                                         \
    if (n <= PARTS_##S) sort_part_##S(n, keys);                                                               \
  }                                                                                                           \
  static int64_t divide_##S(int64_t n, void *keys, void *scratch) {                                           \
    K pivot = choose_pivot_##S(n, keys);                                                                      \
    int64_t low = split_line_##S(n, keys, pivot, scratch);                                                    \
    return low < n || pivot == LEAST ? low : split_line_##S(n, keys, pivot - 1, scratch);                     \
  }                                                                                                           \
  static void sort_##S(int64_t n, void *keys, void *scratch) {                                                \
    quick_##S(n, keys, scratch, 2 * (64 - __builtin_clzll((uint64_t)n | 1)));                                 \
  }

QUICKSORT(32, int32_t, INT32_MIN, INT32_MAX)
QUICKSORT(64, int64_t, INT64_MIN, INT64_MAX)

#endif
#endif
