#ifndef LT_GPU_SORT_H
#define LT_GPU_SORT_H

/* Sorting on the device: a stable radix sort of lines of pairs. */

#include "gpu/gpu.h"

typedef struct gpu_pairs {
  int64_t lines, n;                    /* lines one after the other, of n pairs each */
  int     key_bits, value_bits;        /* bits of a key and of a value, 32 or 64; values of 32 bits need n < 2^32 */
  int     first_bit, bits;             /* the bits of the key that count */
  void   *keys[2], *values[2];         /* [0]: the input; [1]: a buffer of the same size. Both are overwritten */
  bool    positions;                   /* true: values[0] is not read, and value i of a line is i */
} gpu_pairs;

/* Sorts each line stably by the key's bits. *at: the number of the buffer with the result. */
int gpu_sort_pairs(gpu *g, const gpu_pairs *s, int *at);

/* Finds kernel `entry` of kernels/sort.cuh for keys and values of this width. */
int gpu_sort_kernel(gpu *g, const char *entry, int number, int key_bits, int value_bits, const gpu_kernel **k);

#endif
