#ifndef LT_CPU_KERNELS_SORT_SELECT_H
#define LT_CPU_KERNELS_SORT_SELECT_H

/* Selection: finds the keys of given ranks without a sort of the line. sort_line.h defines sort(). */

#include "cpu/kernels/sort_split.h"

enum {
  SPLITS = 32,                 /* the number of splits after which the rest of a line is sorted; pivots that are good
                               ** on average need 12 for a line of 2^32 keys, and pivots far from the rank need more */
  BLOCK = 16                   /* the number of keys that keep_between compares in one loop without branches */
};

/* Implements key_sorts.select of cpu.h: a quicksort that sorts only the parts with the wanted ranks. */
static void select_ranks(int64_t n, void *line, void *scratch, int64_t first, int64_t end) {
  KEY *keys = line;
  for (int splits = 0; n > ALONE && splits < SPLITS && !this_operation.stopped; splits++) {
    KEY pivot = choose_pivot(n, keys, (first + end) / 2);
    int64_t low = split_line(n, keys, pivot, scratch);
    if (low == n) {                /* no key is above the pivot, so keys equal to the pivot are in place */
      if (pivot == KEY_LEAST) return;
      low = split_line(n, keys, pivot - 1, scratch);
      if (first >= low) return;
      n = low;
      end = end < low ? end : low;
    } else if (end <= low) {
      n = low;
    } else {
      if (first < low) {           /* the ranks are in both parts */
        select_ranks(low, keys, scratch, first, low);
        first = low;
      }
      keys += low;
      n -= low;
      first -= low;
      end -= low;
    }
  }
  sort(n, keys, scratch);
}

/* Implements key_sorts.largest of cpu.h. */
static int64_t largest(int64_t n, const void *line) {
  const KEY *keys = line;
  KEY most = KEY_LEAST;
  for (int64_t i = 0; i < n; i++) most = keys[i] > most ? keys[i] : most;
  return most;
}

/* Implements key_sorts.keep_between of cpu.h. Most blocks have no key between low and high. */
static int64_t keep_between(int64_t n, void *line, int64_t low, int64_t high, int64_t *less) {
  KEY *keys = line;
  const KEY least = (KEY)low, most = (KEY)high;
  int64_t kept = 0, below = 0;
  for (int64_t begin = 0; begin < n; begin += BLOCK) {
    const KEY *block = keys + begin;
    int64_t length = n - begin < BLOCK ? n - begin : BLOCK;
    KEY smaller = 0, any = 0;
    for (int64_t i = 0; i < length; i++) {
      smaller += block[i] < least;
      any |= (block[i] >= least) & (block[i] <= most);
    }
    below += smaller;
    for (int64_t i = 0; any && i < length; i++) {
      KEY key = block[i];
      keys[kept] = key;
      kept += (key >= least) & (key <= most);
    }
  }
  *less += below;
  return kept;
}

#endif
