#ifndef LT_CPU_RADIX_H
#define LT_CPU_RADIX_H

#include "cpu/cpu.h"

enum {
  RADIX_DIGIT  = 8,                  /* the number of bits in a digit: 256 write positions are about as many as L1 and
                                     ** its TLB can cache */
  RADIX_PLACES = 1 << RADIX_DIGIT
};

/* Sort n signed integers. scratch has space for n keys, and counts for threads * RADIX_PLACES numbers. Keys that
** differ only below bit `low` keep their order. */
void radix_sort_32(int64_t n, int32_t *keys, int32_t *scratch, int64_t *counts, int low, int threads);
void radix_sort_64(int64_t n, int64_t *keys, int64_t *scratch, int64_t *counts, int low, int threads);

#endif
