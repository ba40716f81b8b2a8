#ifndef LT_CPU_LINALG_LANES_KERNEL_H
#define LT_CPU_LINALG_LANES_KERNEL_H

/* Declarations of kernels that compute many small real matrices at once: each lane of a vector belongs to another
** matrix. Matrices of 4 × 4 are too small to fill vectors with elements of one matrix. */

#include <stdbool.h>
#include <stdint.h>

#include "base/calls.h"

enum {
  LANES_ROWS  = 32,      /* the most rows, and the most columns, of a matrix */
  LANES_SIDES = 8,       /* the right-hand sides that are solved together */
  LANES_MOST  = 16       /* the most lanes of a vector */
};

/* Up to `lanes` matrices that follow one another in memory. The fields mean the same as in linalg_call. pivots and info
** have space for the pivots and infos of all matrices. */
typedef struct lanes_call {
  int      m, n, k, count;
  bool     transposed, full, vectors, upper;
  double   rtol;
  void    *a, *b, *c, *values;
  int32_t *pivots, *info;
  void    *room;         /* lanes_room bytes, aligned to 64 bytes */
} lanes_call;

/* Returns the bytes of lanes_call.room, for matrices of at most `most` rows and columns: two matrices of vectors, the
** right-hand sides, and some rows. */
static inline int64_t lanes_room(int64_t most) { return (2 * most + LANES_SIDES + 2) * most * 64; }

/* Like lanes_room, for lstsq of matrices of `most` rows and `least` columns, or of their transposes. */
static inline int64_t lanes_lstsq_room(int64_t most, int64_t least) {
  return (most * least + least * least + LANES_SIDES * most + 2 * least) * 64;
}

typedef struct lanes_table {
  int lanes;
  /* run[op] computes an operation, except that det and slogdet only factor the matrices like lu, and that lstsq
  ** leaves matrices without full rank, whose info is 1, to the caller. NULL: not available */
  void (*run[LINALG_COUNT])(const lanes_call *c);
} lanes_table;
typedef lanes_table lanes_float32_table, lanes_float64_table;

#endif
