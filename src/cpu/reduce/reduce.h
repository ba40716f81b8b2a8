#ifndef LT_CPU_REDUCE_REDUCE_H
#define LT_CPU_REDUCE_REDUCE_H

/* The parts of a reduction: reduce.c cuts it into items and chunks, and fold.c folds the elements. */

#include "cpu/program.h"
#include "cpu/walk.h"

enum {
  BLOCK      = 4096,      /* the number of elements of a buffer */
  ELEMENT    = 16,        /* the size in bytes of the largest element */
  BLOCK_BYTES = BLOCK * 8,  /* the most bytes that one call of `fold` reads without copying; they are in L1 if `fold`
                            ** reads them a second time */
  WIDTH      = 2048,      /* the most accumulators of an item: 48 KiB of the largest accumulators */
  NARROW     = 256,       /* the number of accumulators of a wide row: narrow rows are widened by reading several rows
                          ** as one row */
  MIN_RUN    = 64,        /* runs with fewer elements than this are packed together before the fold */
  TOGETHER   = 64,        /* the most very short rows that are folded at a time: their accumulators take 8 KiB */
  SHORT_RUN  = 8,         /* runs with fewer elements than this are packed together, */
  LONG_RUN   = 1024,      /* and longer runs are folded one by one */
  FEW_RUNS   = 4,         /* the fewest runs, or very short rows, that are folded together */
  NARROW_ROWS = 8,        /* the fewest rows that each group of accumulators of a narrow reduction folds */
  SHORT_ROW  = 16,        /* with rows shorter than this and at least MANY columns, gathering columns is faster */
  FEW_COLUMNS = 8,        /* with fewer columns than this and at least MANY rows, gathering rows is faster */
  MANY       = 64,        /* the least number of columns (for SHORT_ROW) or of rows (for FEW_COLUMNS) */
  MAX_STATE  = 24,        /* the size in bytes of the largest accumulator */
  ALIGN      = 16,        /* the alignment of the accumulators of a reduction */
  GRAIN      = 1 << 15,   /* the fewest elements for each thread; with fewer, a thread costs more time than it
                          ** saves */
  ITEM       = 1 << 14,   /* the number of elements of an item with several short rows */
  CHUNK      = 1 << 16,   /* the fewest elements in a piece of a long reduction */
  STRETCH    = 1 << 22,   /* the number of elements of an output that are reduced between two checks for cancellation;
                          ** items of columns use STRETCH / WIDTH * 8 instead */
  MAX_PIECES = 1024       /* the most pieces of a reduction, so that their accumulators stay in the cache */
};

/* A reduction that is cut into pieces. An item is a group of `width` adjacent outputs; the last item may have fewer.
** An item of columns has `width` columns of one innermost row of `kept`, or several whole rows of `columns_each` columns. A
** chunk is a range of the reduced elements. A piece is one chunk of one item. */
typedef struct reduce_work {
  const reduce_call   *c;
  const reduce_kernel *kernel;
  const half_reduce_kernel *half;  /* the kernels that read half floats, or NULL */
  bool    columns;
  bool    narrow;              /* true: few columns, without gaps between rows */
  bool    same;                /* true: the input's dtype is the compute dtype */
  int     size, log2;          /* the size in bytes of a stored element, and the logarithm (base 2) of this number */
  int     taken;               /* the size in bytes of an element of the compute dtype */
  int64_t width, row_items, items;   /* items: the number of items; row_items: the number of items that a row of
                                     ** `length` outputs is cut into */
  int64_t length;              /* the outputs of an innermost row of `kept`, or of the two innermost dims if an item has
                               ** several such rows, or all outputs if `columns` is false */
  int64_t columns_each;        /* the most columns that are folded at a time */
  int64_t chunk, chunks;
  struct buffer *buffers;      /* one buffer for each thread */
  const program_source *source;     /* the program that computes the elements of the input, or NULL */
  struct reduce_work *also;    /* the next reduction of the elements of `source`, which is cut into the same pieces, or
                               ** NULL */
  char   *states;              /* the accumulators of all pieces, or NULL */
} reduce_work;

/* The memory of a thread: gathered elements, converted elements, and the accumulators of an item. */
typedef struct buffer {
  _Alignas(64) char raw[BLOCK * ELEMENT], block[BLOCK * ELEMENT], states[WIDTH * MAX_STATE];
} buffer;

static inline int64_t reduce_limit(int64_t x, int64_t least, int64_t most) { return x < least ? least : x > most ? most : x; }

/* Returns the accumulator of reduction `o` for the same output and piece as acc, an accumulator of w. */
static inline void *beside(const reduce_work *w, const reduce_work *o, const char *acc) {
  return o->states + (size_t)(acc - w->states) / w->kernel->size * o->kernel->size;
}

/* Folds the reduced elements begin … end - 1 into acc, the accumulators of outputs first … first + n - 1. */
void reduce_fold(const reduce_work *w, buffer *b, int64_t first, int64_t n, int64_t begin, int64_t end, char *acc);

#endif
