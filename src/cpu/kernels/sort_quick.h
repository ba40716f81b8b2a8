#ifndef LT_CPU_KERNELS_SORT_QUICK_H
#define LT_CPU_KERNELS_SORT_QUICK_H

/* Quicksort in vector registers. A line is split at a pivot until the parts fit into registers, where bitonic merges
** sort them. Intel's x86-simd-sort and Highway's vqsort use the same method, except that a split here uses a second
** buffer. */

#include "cpu/kernels/sort_lanes.h"
#include "cpu/kernels/sort_split.h"
#include "cpu/radix.h"

#if SORT_LANES

enum {
  REGISTERS = 8,                    /* the number of registers for the keys of a part; twice as many would leave no
                                    ** registers for comparisons */
  PART_KEYS = REGISTERS * LANES     /* the most keys of a part */
};

/* Sorts a bitonic sequence of keys in one register. */
INLINE lanes merge_lanes(lanes v) {
  if (LANES == 16) v = swap(v, 8, 8);
  if (LANES >= 8) v = swap(v, 4, 4);
  return swap(swap(v, 2, 2), 1, 1);
}

INLINE void swap_registers(lanes *a, lanes *b) {
  lanes low = min(*a, *b);
  *b = max(*a, *b);
  *a = low;
}

/* Merges two sorted runs of m registers each. The second run is reversed and compared with the first run. Then the
** halves of each run are compared with each other, then the quarters, and so on. */
INLINE void merge_registers(lanes *v, const int m) {
  for (int i = 0; i < m; i++) {
    lanes b = reverse(v[2 * m - 1 - i]);
    v[2 * m - 1 - i] = max(v[i], b);
    v[i] = min(v[i], b);
  }
  for (int d = m / 2; d > 0; d /= 2)
    for (int i = 0; i < 2 * m; i++)
      if (!(i & d)) swap_registers(&v[i], &v[i + d]);
  for (int i = 0; i < 2 * m; i++) v[i] = merge_lanes(v[i]);
}

/* Sorts n keys in m registers. n is at most m * LANES. */
INLINE void sort_registers(int64_t n, KEY *keys, const int m) {
  lanes v[REGISTERS];
  for (int i = 0; i < m; i++) {
    int64_t left = n - i * LANES;
    v[i] = left >= LANES ? load(keys + i * LANES)
                         : load_part(keys + i * LANES, left > 0 ? left : 0, KEY_MOST);
    v[i] = sort_lanes(v[i]);
  }
  for (int run = 1; run < m; run *= 2)
    for (int i = 0; i < m; i += 2 * run) merge_registers(v + i, run);
  for (int i = 0; i < m; i++) {
    int64_t left = n - i * LANES;
    if (left >= LANES) store(keys + i * LANES, v[i]);
    else store_part(keys + i * LANES, left > 0 ? left : 0, v[i]);
  }
}

static void sort_part(int64_t n, KEY *keys) {
  if (n <= LANES) sort_registers(n, keys, 1);
  else if (n <= 2 * LANES) sort_registers(n, keys, 2);
  else if (n <= 4 * LANES) sort_registers(n, keys, 4);
  else sort_registers(n, keys, 8);
}

static __attribute__((noinline)) void give_up(int64_t n, KEY *keys, KEY *scratch) {
  int64_t counts[RADIX_PLACES];
  PASTE_BITS(radix_sort_, BITS, )(n, keys, scratch, counts, 0, 1);
}

/* Quicksort with a recursion depth of at most `depth`. Pivots far from the median may use up this depth; then a radix
** sort sorts the remaining keys. */
static void quick(int64_t n, KEY *keys, KEY *scratch, int depth) {
  while (n > PART_KEYS && !this_operation.stopped) {
    if (depth-- == 0) { give_up(n, keys, scratch); return; }
    KEY pivot = choose_pivot(n, keys, (n + 1) / 2);
    int64_t low = split_line(n, keys, pivot, scratch);
    if (low == n) {                /* no key is above the pivot, so keys equal to the pivot are in place */
      if (pivot == KEY_LEAST) return;
      n = split_line(n, keys, pivot - 1, scratch);
    } else {
      quick(n - low, keys + low, scratch, depth);
      n = low;
    }
  }
  if (n <= PART_KEYS) sort_part(n, keys);
}

/* Implements key_sorts.divide of cpu.h. */
static int64_t divide(int64_t n, void *keys, void *scratch) {
  KEY pivot = choose_pivot(n, keys, (n + 1) / 2);
  int64_t low = split_line(n, keys, pivot, scratch);
  return low < n || pivot == KEY_LEAST ? low : split_line(n, keys, pivot - 1, scratch);
}

static void sort(int64_t n, void *keys, void *scratch) {
  quick(n, keys, scratch, 2 * (64 - __builtin_clzll((uint64_t)n | 1)));
}

#endif
#endif
