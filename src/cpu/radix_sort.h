/* Radix sort, least significant digit first: each pass is a stable sort by one digit. Digits that are equal in all
** keys are skipped. Each thread counts and moves one contiguous run of the keys, so that the result does not depend
** on the number of threads. radix_32.c and radix_64.c include this file after defining KEY, WORD (the unsigned type
** of KEY's width) and SORT. */

#include "cpu/radix.h"

#include <string.h>

/* One pass over n keys, which are cut into `parts` contiguous runs. */
typedef struct pass {
  int64_t     n;
  const void *keys;
  void       *to;
  int         shift, parts;
  int64_t    *counts;              /* [parts][RADIX_PLACES]: first the number of keys for each digit, later the places
                                   ** to which these keys move */
  uint64_t   *varying;             /* [parts]: the bits in which the keys of a part differ from the first of all
                                   ** keys */
} pass;

static int64_t part_begin(const pass *p, int64_t t) { return p->n * t / p->parts; }

/* Replaces the counts by their exclusive prefix sums, ordered by digit and then by part. Afterwards counts[t][digit] is
** the position in `to` of part t's first key with this digit. */
static void counts_to_places(const pass *p) {
  int64_t sum = 0;
  for (int digit = 0; digit < RADIX_PLACES; digit++)
    for (int t = 0; t < p->parts; t++) {
      int64_t *at = &p->counts[(size_t)t * RADIX_PLACES + (size_t)digit], count = *at;
      *at = sum;
      sum += count;
    }
}

static uint64_t all_varying(const pass *p) {
  uint64_t all = 0;
  for (int t = 0; t < p->parts; t++) all |= p->varying[t];
  return all;
}

static void varying(const void *arg, int64_t t, int worker) {
  const pass *p = arg;
  const KEY *keys = p->keys;
  int64_t end = part_begin(p, t + 1);
  WORD varying = 0, first = (WORD)keys[0];
  (void)worker;
  for (int64_t i = part_begin(p, t), stop; (stop = cancel_stretch(i, end)) > i;)
    for (; i < stop; i++) varying |= (WORD)keys[i] ^ first;
  p->varying[t] = varying;
}

static int digit(KEY key, int shift) {
  const WORD flip = (WORD)1 << (8 * sizeof(KEY) - 1);
  return (int)(((WORD)key ^ flip) >> shift & (RADIX_PLACES - 1));
}

static void count(const void *arg, int64_t t, int worker) {
  const pass *p = arg;
  const KEY *keys = p->keys;
  int64_t *count = p->counts + t * RADIX_PLACES, end = part_begin(p, t + 1);
  int shift = p->shift;
  (void)worker;
  memset(count, 0, RADIX_PLACES * sizeof *count);
  for (int64_t i = part_begin(p, t), stop; (stop = cancel_stretch(i, end)) > i;)
    for (; i < stop; i++) count[digit(keys[i], shift)]++;
}

static void move(const void *arg, int64_t t, int worker) {
  const pass *p = arg;
  const KEY *keys = p->keys;
  KEY *to = p->to;
  int64_t *at = p->counts + t * RADIX_PLACES, end = part_begin(p, t + 1);
  int shift = p->shift;
  (void)worker;
  for (int64_t i = part_begin(p, t), stop; (stop = cancel_stretch(i, end)) > i;)
    for (; i < stop; i++) to[at[digit(keys[i], shift)]++] = keys[i];
}

void SORT(int64_t n, KEY *keys, KEY *scratch, int64_t *counts, int low, int threads) {
  pass p = {.n = n, .keys = keys, .to = scratch, .parts = threads, .counts = counts};
  p.varying = (uint64_t *)counts;
  cpu_parallel(threads, threads, varying, &p);
  for (uint64_t left = all_varying(&p) >> low << low; left && !this_operation.stopped;) {
    p.shift = __builtin_ctzll(left);
    cpu_parallel(threads, threads, count, &p);
    counts_to_places(&p);
    cpu_parallel(threads, threads, move, &p);
    p.keys = p.to;
    p.to = p.keys == keys ? scratch : keys;
    int done = p.shift + RADIX_DIGIT;
    left = done < (int)(8 * sizeof(KEY)) ? left >> done << done : 0;
  }
  if (p.keys != keys) memcpy(keys, p.keys, (size_t)n * sizeof *keys);
}
