#ifndef LT_CPU_KERNELS_SORT_SPLIT_H
#define LT_CPU_KERNELS_SORT_SPLIT_H

/* Splits a line of keys at a pivot. Quicksort and selection use the same split. */

#include <string.h>

#include "cpu/kernels/sort_lanes.h"

#if SORT_LANES

/* Sorts the keys of one register by merging: first pairs, then groups of four, and so on. Each group is merged with
** its reversed neighbour. */
INLINE lanes sort_lanes(lanes v) {
  v = swap(v, 1, 1);
  v = swap(swap(v, 3, 2), 1, 1);
  if (LANES >= 8) v = swap(swap(swap(v, 7, 4), 2, 2), 1, 1);
  if (LANES == 16) v = swap(swap(swap(swap(v, 15, 8), 4, 4), 2, 2), 1, 1);
  return v;
}

static void sort_sample(KEY *sample) { store(sample, sort_lanes(load(sample))); }

#else

enum { LANES = 8 };                  /* without vector registers: the number of keys in a sample */

static void sort_sample(KEY *sample) {
  for (int i = 1; i < LANES; i++)
    for (int at = i; at > 0 && sample[at - 1] > sample[at]; at--) {
      KEY key = sample[at];
      sample[at] = sample[at - 1];
      sample[at - 1] = key;
    }
}

#endif

/* Returns one of LANES keys at equal distances in the line: an estimate of the key with the 0-based rank `rank`. */
static KEY choose_pivot(int64_t n, const KEY *keys, int64_t rank) {
  KEY sample[LANES];
  for (int i = 0; i < LANES; i++) sample[i] = keys[(2 * i + 1) * n / (2 * LANES)];
  sort_sample(sample);
  int64_t at = rank * LANES / n;
  return sample[at > 0 ? at - 1 : 0];
}

/* Partitions the keys: keys that are at most the pivot come first, greater keys follow. The greater keys are first
** collected in `scratch`. Returns the number of keys that are at most the pivot. */
static int64_t split_line(int64_t n, KEY *keys, KEY pivot, KEY *scratch) {
  int64_t low = 0, i = 0;
#if SORT_LANES
  for (int64_t end; (end = cancel_stretch(i, n / LANES * LANES)) > i;)
    for (; i < end; i += LANES)
      low += split(load(keys + i), pivot, keys + low, scratch + (i - low));
#endif
  for (int64_t end; (end = cancel_stretch(i, n)) > i;)
    for (; i < end; i++) {
      KEY key = keys[i];
      keys[low] = key;
      scratch[i - low] = key;
      low += key <= pivot;
    }
  for (int64_t at = 0, end; (end = cancel_stretch(at, n - low)) > at; at = end)
    memcpy(keys + low + at, scratch + at, (size_t)(end - at) * sizeof(KEY));
  return low;
}

#endif
