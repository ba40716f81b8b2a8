#ifndef LT_GPU_SORT_H
#define LT_GPU_SORT_H

/* Sorting on the device: a stable radix sort of pairs of a key and a value. Each line of pairs is sorted
** separately. */

#include "gpu/gpu.h"

typedef struct gpu_pairs {
  int64_t lines, n;                    /* lines: number of lines, which are contiguous in memory; n: number of pairs in
                                       ** a line */
  int     key_bits, value_bits;        /* bits of a key and of a value: 32 or 64; 32-bit values require n < 2^32 */
  int     first_bit, bits;             /* the pairs are sorted by `bits` bits of the key, beginning with bit
                                       ** first_bit */
  void   *keys[2], *values[2];         /* [0]: the input; [1]: a buffer of the same size; both are overwritten */
  bool    positions;                   /* if set, values[0] is not read, and the value of pair i of a line is i */
} gpu_pairs;

/* Sorts each line stably by the bits of the keys that s->first_bit and s->bits select. Sets *at to the number of the
** buffers (0 or 1) that contain the result. */
int gpu_sort_pairs(gpu *g, const gpu_pairs *s, int *at);

/* The kernels of kernels/sort.cuh. */
enum sort_kernel { SORT_COUNT, SORT_SCAN, SORT_DEAL, SORT_COUNT_FEW, SORT_DEAL_FEW, SORT_PERMUTE, SORT_KERNELS };

/* Finds or builds a kernel for keys and values of these widths in bits. */
int gpu_sort_kernel(gpu *g, enum sort_kernel kernel, int key_bits, int value_bits, const gpu_kernel **k);

#endif
