#ifndef LT_GPU_KERNELS_MAP_ARGS_H
#define LT_GPU_KERNELS_MAP_ARGS_H

/* The parameters of the kernels in map.cuh and copy.cuh. This header is included by the kernels and by gpu/map.c. */

#include "gpu/kernels/plan.cuh"

enum {
  MAP_THREADS = 256,
  MAP_STRIDED = 4,           /* number of elements that a thread of map_strided computes, with all loads in flight
                             ** together */
  MAP_MOST_IN = 4,
  TILE        = 32           /* rows and columns of a transposed tile; a row of float32 has 128 bytes, a cache line */
};

/* The number of elements in a vector of 16 bytes, for the larger of two element sizes in bytes. */
#define MAP_VECTOR(in_size, out_size) (16 / ((in_size) > (out_size) ? (in_size) : (out_size)))
/* The number of vectors that a thread computes: 1 if a vector has 2 or 16 elements, otherwise 2. Two loads of 16
** bytes in flight hide more of the latency, but 32 elements of one byte would take too many registers. On an H200, exp of
** 10^7 bfloat16 took 16.6 µs with two vectors, and 17.3 µs with one. */
#define MAP_ROUNDS(in_size, out_size) (MAP_VECTOR(in_size, out_size) == 2 || MAP_VECTOR(in_size, out_size) == 16 ? 1 : 2)

/* An input: the elements at `data` or, if `data` is NULL, the number `value`. The number has the compute dtype or, if
** the input is the condition of a SELECT, dtype bool. */
typedef struct map_in {
  const void *data;
  gpu_word    value;
  int32_t     dtype;         /* the stored dtype; read only if the inputs have several dtypes */
} map_in;

typedef struct map_args {
  void    *out;
  map_in   in[MAP_MOST_IN];
  int64_t  count;            /* number of elements; used only by map_flat */
  uint32_t runs;             /* bit k is set if input k is contiguous (map_rows: along the inner dim); otherwise the
                             ** input has a single value */
} map_args;

/* The parameters of copy_tiles, which sets out[c + r * out_row] = in[r + c * in_column] for each row r and column c
** of the matrix at each position of the plan. */
typedef struct tile_args {
  void       *out;
  const void *in;
  int64_t     out_row, in_column;
  uint32_t    rows, columns;
  gpu_divisor tiles, across; /* tiles: number of tiles in a matrix; across: number of tiles in a row of tiles */
} tile_args;

#endif
