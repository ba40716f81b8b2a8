#ifndef LT_BASE_TILED_H
#define LT_BASE_TILED_H

/* The call of the family tiled, which consists of calls of other families. */

#include "base/calls.h"

/* Several calls that are computed tile by tile: all parts run on the first rows of their operands, then all parts on the
** next rows. The elements that a part writes are then still in the cache when a later part reads them. A part reads and
** writes row i of its operands independently of all other rows, and no part writes what it or an earlier part reads.
** Therefore the caller can make the calls one by one if the device returns ERR_NO_KERNEL. */
enum { TILED_PARTS = 8 };              /* the most parts */
enum tiled_family { TILED_map, TILED_elementwise, TILED_reduce, TILED_scan, TILED_softmax };
enum tiled_size { TILED_WHOLE, TILED_FULL, TILED_LAST, TILED_SIZES };   /* a call for all rows, for a tile, and for the
                                                                        ** last tile if it has fewer rows */

typedef struct tiled_operand {
  bool    number;                      /* the operand is a number */
  bool    local;                       /* the elements are in scratch memory for one tile, and are lost with the tile */
  int64_t offset;                      /* a local operand: bytes from the start of the scratch memory */
  int64_t step;                        /* bytes from a row to the next row */
  int64_t bytes;                       /* bytes of the distinct elements of all rows */
} tiled_operand;

typedef struct tiled_part {
  enum tiled_family family;
  int nresult, noperand;
  int folded;                          /* for a program: the number of a result that the next part (with 1 row: all other
                                       ** parts) takes as it is computed, or -1. That part is a reduction or a softmax, and
                                       ** each result of the program is contiguous */
  bool keeps;                          /* the program also stores this result */
  const void *call[TILED_SIZES];       /* the family's call structs, with the addresses of row 0 */
  tiled_operand at[MAX_OPERANDS];      /* the operands in the order of the call's plan; for reductions, scans and softmax
                                       ** the result, then the input */
} tiled_part;

typedef struct tiled_call {
  int        nparts;
  int64_t    rows, tile;               /* the number of rows, and of the rows of a tile. 1 row: a program and the parts
                                       ** that take its result, which share their work among threads like other calls of
                                       ** their family. Several such parts are reductions, and only if not folds_all */
  size_t     scratch;                  /* bytes of scratch memory of one tile */
  tiled_part part[TILED_PARTS];
} tiled_call;

#endif
