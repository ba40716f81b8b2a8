#ifndef LT_GPU_KERNELS_MAP_ARGS_H
#define LT_GPU_KERNELS_MAP_ARGS_H

/* Parameters of map.cuh's and copy.cuh's kernels, for both sides. */

#include "gpu/kernels/plan.cuh"

enum {
  MAP_THREADS = 256,
  MAP_STRIDED = 4,           /* elements of a thread of map_strided; their loads are in flight together */
  MAP_MOST_IN = 4,
  TILE        = 32           /* side of a transposed tile: one of its rows is one line of memory for float32 */
};

/* Elements of a vector of 16 bytes, of the wider of two dtypes of these sizes. */
#define MAP_VECTOR(in_size, out_size) (16 / ((in_size) > (out_size) ? (in_size) : (out_size)))
/* The number of vectors that a thread of map_flat handles. Two loads of 16 bytes in flight hide more of the latency,
** but 32 elements of one byte would take too many registers. */
#define MAP_ROUNDS(in_size, out_size) (MAP_VECTOR(in_size, out_size) == 2 || MAP_VECTOR(in_size, out_size) == 16 ? 1 : 2)

/* If `data` is NULL, the input is the number `value`, in the compute dtype (the first input of a SELECT: bool). */
typedef struct map_in {
  const void *data;
  gpu_word    value;
  int32_t     dtype;         /* read only if input dtypes are mixed */
} map_in;

typedef struct map_args {
  void    *out;
  map_in   in[MAP_MOST_IN];
  int64_t  count;            /* map_flat: number of elements */
  uint32_t runs;             /* bit k: input k is contiguous (map_rows: along the inner dim); otherwise it is one
                             ** element for all */
} map_args;

/* out[c + r * out_row] = in[r + c * in_column] for a matrix at each position of the plan. */
typedef struct tile_args {
  void       *out;
  const void *in;
  int64_t     out_row, in_column;
  uint32_t    rows, columns;
  gpu_divisor tiles, across; /* tiles of a matrix; tiles in a row of tiles */
} tile_args;

#endif
