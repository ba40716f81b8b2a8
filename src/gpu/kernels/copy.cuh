/* Transposes matrices. A block copies a tile through shared memory, so that both reads and writes are contiguous. The
** macro MOVED is a dtype whose elements have the same size as the copied elements. */

#define KERNEL_THREADS MAP_THREADS

#include "gpu/kernels/map_args.h"
#include "gpu/kernels/scalar.cuh"

typedef stored_t<MOVED> T;

enum { LINES = MAP_THREADS / TILE };     /* number of rows of a tile that a block copies at once */

KERNEL_COOPERATIVE(copy_tiles)(tile_args a, gpu_plan p) {
  __shared__ T tile[TILE][TILE + 1];     /* the additional column places the elements of a column in different memory
                                         ** banks */
  uint32_t matrix = divide(blockIdx.x, a.tiles), rest = blockIdx.x - matrix * a.tiles.d;
  uint32_t down = divide(rest, a.across), right = rest - down * a.across.d;
  uint32_t x = threadIdx.x % TILE, y = threadIdx.x / TILE;
  int64_t offset[2];
  plan_offsets(p, matrix, offset);
  const T *in = (const T *)a.in + offset[1];
  T *out = (T *)a.out + offset[0];

  uint32_t row = down * TILE + x, column = right * TILE + y;
#pragma unroll
  for (uint32_t j = 0; j < TILE; j += LINES)
    if (row < a.rows && column + j < a.columns) tile[y + j][x] = in[row + (column + j) * a.in_column];
  __syncthreads();
  row = down * TILE + y;
  column = right * TILE + x;
#pragma unroll
  for (uint32_t j = 0; j < TILE; j += LINES)
    if (row + j < a.rows && column < a.columns) out[column + (row + j) * a.out_row] = tile[x][y + j];
}
