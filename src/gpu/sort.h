#ifndef LT_GPU_SORT_H
#define LT_GPU_SORT_H

/* Sorting on the device: a stable radix sort of lines of pairs. */

#include "gpu/gpu.h"

typedef struct gpu_pairs {
  int64_t lines, n;                    /* lines one after the other, of n pairs each */
  int     key_bits, value_bits;        /* how wide they are: 32 or 64; values of 32 bits: n < 2^32 */
  int     first_bit, bits;             /* of the key: those that count */
  void   *keys[2], *values[2];         /* [0]: what is sorted; [1]: room for as much. Both are written */
  bool    positions;                   /* values[0] is not read: value i of a line is i */
} gpu_pairs;

/* Sorts each line by the key's bits; equal ones keep their order. *at: which of the two has the result. */
int gpu_sort_pairs(gpu *g, const gpu_pairs *s, int *at);

/* Kernel `entry` of kernels/sort.cuh for keys and values so wide. */
int gpu_sort_kernel(gpu *g, const char *entry, int number, int key_bits, int value_bits, const gpu_kernel **k);

#endif
