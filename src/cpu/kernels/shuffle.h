#ifndef LT_CPU_KERNELS_SHUFFLE_H
#define LT_CPU_KERNELS_SHUFFLE_H

/* Shuffles of vectors of REAL, which is defined before this file is included. */

#include "cpu/kernels/vector.h"

/* A vector of integers of REAL's width: positions of elements, or masks. */
typedef __typeof__((vector){0} < (vector){0}) words;

/* Returns the elements of a and b at positions `at`. The positions of b's elements begin at LANES. */
INLINE vector shuffled(vector a, vector b, words at) {
#ifndef __clang__
  return __builtin_shuffle(a, b, at);
#else                          /* clang has no shuffle by a vector of positions */
  vector v = {0};
  for (int i = 0; i < LANES; i++) v[i] = at[i] < LANES ? a[at[i]] : b[at[i] - LANES];
  return v;
#endif
}

/* Loads x[0], x[2], x[4], …. Reads no element after the last of them, so the second vector begins one element early. */
INLINE vector evens(const REAL *x) {
  words at;
  for (int i = 0; i < LANES; i++) at[i] = 2 * i + (i >= LANES / 2);
  return shuffled(load(x), load(x + LANES - 1), at);
}

#endif
