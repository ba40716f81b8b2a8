#ifndef LT_GPU_KERNELS_SCAN_ROWS_CUH
#define LT_GPU_KERNELS_SCAN_ROWS_CUH

/* Replaces each row of `counts` by its exclusive prefix sum, in place. Stores the sum of row b in totals[b]. Each row
** is processed by one block. */

#include "gpu/kernels/scan_rows_args.h"
#include "gpu/kernels/scan_tools.cuh"

/* The blocks of scan_rows may be larger than those of the including file's kernels. */
#undef KERNEL_BOUNDS
#define KERNEL_BOUNDS __launch_bounds__(SCAN_ROWS_THREADS)

KERNEL_COOPERATIVE(scan_rows)(position *counts, uint64_t columns, position *totals) {
  position *row = counts + blockIdx.x * columns, carry = 0;
  for (uint64_t first = 0; first < columns; first += blockDim.x) {
    uint64_t i = first + threadIdx.x;
    position total, before = scan_block_before<running_sum<position>>(i < columns ? row[i] : (position)0, &total);
    if (i < columns) row[i] = carry + before;
    carry += total;
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = carry;
}

#undef KERNEL_BOUNDS
#define KERNEL_BOUNDS __launch_bounds__(KERNEL_THREADS)

#endif
