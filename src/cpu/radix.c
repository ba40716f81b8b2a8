/* Least significant digit first: each pass puts the keys in order of one digit, keeping the order of before. Digits in
** which no two keys differ are left out. Each thread counts and moves a run of the keys, so that the order does not
** depend on how many there are. */

#include "radix.h"

#include <string.h>

/* counts[t][digit] becomes where thread t's first key of that digit goes. */
static void counts_to_places(int64_t *counts, int threads) {
  int64_t sum = 0;
  for (int digit = 0; digit < RADIX_PLACES; digit++)
    for (int t = 0; t < threads; t++) {
      int64_t count = counts[(size_t)t * RADIX_PLACES + (size_t)digit];
      counts[(size_t)t * RADIX_PLACES + (size_t)digit] = sum;
      sum += count;
    }
}

#define RADIX(K, U, name)                                                                               \
  /* Bits in which some keys differ. */                                                                 \
  static U varying_##name(int64_t n, const K *keys, int threads) {                                      \
    U varying = 0, first = (U)keys[0];                                                                  \
    _Pragma("omp parallel for simd num_threads(threads) if(threads > 1) reduction(|:varying)")          \
    for (int64_t i = 0; i < n; i++) varying |= (U)keys[i] ^ first;                                      \
    return varying;                                                                                     \
  }                                                                                                     \
  static void count_##name(int64_t n, const K *keys, U flip, int shift, int64_t *count) {               \
    memset(count, 0, RADIX_PLACES * sizeof *count);                                                           \
    for (int64_t i = 0; i < n; i++) count[((U)keys[i] ^ flip) >> shift & (RADIX_PLACES - 1)]++;               \
  }                                                                                                     \
  static void move_##name(int64_t n, const K *keys, U flip, int shift, int64_t *at, K *to) {            \
    for (int64_t i = 0; i < n; i++) to[at[((U)keys[i] ^ flip) >> shift & (RADIX_PLACES - 1)]++] = keys[i];    \
  }                                                                                                     \
  static void pass_##name(int64_t n, const K *keys, K *to, U flip, int shift, int64_t *counts, int threads) { \
    _Pragma("omp parallel for num_threads(threads) if(threads > 1) schedule(static, 1)")                \
    for (int t = 0; t < threads; t++) {                                                                 \
      int64_t begin = n * t / threads, end = n * (t + 1) / threads;                                     \
      count_##name(end - begin, keys + begin, flip, shift, counts + (size_t)t * RADIX_PLACES);                \
    }                                                                                                   \
    counts_to_places(counts, threads);                                                                  \
    _Pragma("omp parallel for num_threads(threads) if(threads > 1) schedule(static, 1)")                \
    for (int t = 0; t < threads; t++) {                                                                 \
      int64_t begin = n * t / threads, end = n * (t + 1) / threads;                                     \
      move_##name(end - begin, keys + begin, flip, shift, counts + (size_t)t * RADIX_PLACES, to);             \
    }                                                                                                   \
  }                                                                                                     \
  void name(int64_t n, K *keys, K *scratch, int64_t *counts, int low, int threads) {                    \
    const U flip = (U)1 << (8 * sizeof(K) - 1);                                                         \
    K *from = keys, *to = scratch;                                                                      \
    for (U left = varying_##name(n, keys, threads) >> low << low; left;) {                              \
      int shift = __builtin_ctzll(left);                                                                \
      pass_##name(n, from, to, flip, shift, counts, threads);                                           \
      K *swap = from;                                                                                   \
      from = to;                                                                                        \
      to = swap;                                                                                        \
      int done = shift + RADIX_DIGIT;                                                                   \
      left = done < (int)(8 * sizeof(K)) ? left >> done << done : 0;                                    \
    }                                                                                                   \
    if (from != keys) memcpy(keys, from, (size_t)n * sizeof *keys);                                     \
  }

RADIX(int32_t, uint32_t, radix_sort_32)
RADIX(int64_t, uint64_t, radix_sort_64)
