/* Transposed copies by tiles in shared memory, so that both sides are accessed contiguously. MOVED is a dtype of the
** element's size. */

#define KERNEL_THREADS MAP_THREADS

#include "gpu/kernels/map_args.h"
#include "gpu/kernels/scalar.cuh"

typedef stored_t<MOVED> T;

enum { LINES = MAP_THREADS / TILE };     /* lines of a tile that the block moves at once */

KERNEL_COOPERATIVE(copy_tiles)(tile_args a, gpu_plan p) {
  __shared__ T tile[TILE][TILE + 1];     /* one more column, so that the elements of a column lie in different banks */
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
