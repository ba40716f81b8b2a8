/* Sorts lines of keys of BITS bits. sort_32.c and sort_64.c define BITS, KEY, KEY_LEAST, KEY_MOST and TABLE, and
** include this file. */

#include "cpu/kernels/sort_quick.h"

enum { LOOK = 64 };          /* the number of keys that are compared in one loop without branches */

static int direction(int64_t n, const void *line) {
  const KEY *keys = line;
  int64_t ups = 0, downs = 0;
  for (int64_t begin = 1; begin < n && (ups == 0 || downs == 0); begin += LOOK) {
    int64_t end = begin + LOOK < n ? begin + LOOK : n;
    KEY down = 0, up = 0;
    for (int64_t i = begin; i < end; i++) {
      down |= keys[i - 1] > keys[i];
      up |= keys[i - 1] <= keys[i];
    }
    ups += up;
    downs += down;
  }
  return downs == 0 ? 1 : ups == 0 ? -1 : 0;
}

static void reverse_line(int64_t n, void *line) {
  KEY *keys = line;
  for (int64_t i = 0; i < n / 2; i++) {
    KEY key = keys[i];
    keys[i] = keys[n - 1 - i];
    keys[n - 1 - i] = key;
  }
}

#if !SORT_LANES

enum { FEW = 32 };           /* the most keys for which insertion sort is the fastest */

static void insert(int64_t n, KEY *keys) {
  for (int64_t i = 1; i < n; i++) {
    KEY key = keys[i];
    int64_t at = i;
    for (; at > 0 && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
    keys[at] = key;
  }
}

static void sort(int64_t n, void *keys, void *scratch) {
  int64_t counts[RADIX_PLACES];
  if (n <= FEW) insert(n, keys);
  else PASTE_BITS(radix_sort_, BITS, )(n, keys, scratch, counts, 0, 1);
}
#define divide NULL

#endif

enum { ALONE = SORT_LANES ? 8 * LANES : 32 };       /* up to this number of keys, a sort is faster than a split */

#include "cpu/kernels/sort_select.h"

const key_sorts ISA_NAME(TABLE) = {direction, reverse_line, sort, divide, select_ranks, largest, keep_between};
