#ifndef LT_OP_RANDOM_H
#define LT_OP_RANDOM_H

/* Fills tensors with random numbers. Each fill advances the counter of a generator by the number of counter values that
** the fill uses. The functions raise no Lua errors. */

#include "base/tensor.h"

typedef struct generator {
  uint64_t seed, offset;      /* the key of the Philox generator, and the next unused value of its counter */
} generator;

/* A distribution. Parameters a and b: uniform in [a, b), or normal with mean a and standard deviation b. Parameters
** low and range: integers low … low + range - 1, where range = 0 means 2^64. */
typedef struct random_job {
  enum random_op op;
  double   a, b;
  int64_t  low;
  uint64_t range;
} random_job;

/* Fills `out`, which may have any strides. The fill may be deferred; the generator advances at once. fn is the script's
** function, a string that lives as long as the process. Fails with ERR_DTYPE if a distribution of floats is to fill integers
** or bool, or with ERR_READONLY, ERR_MEMORY or ERR_NO_KERNEL. */
int random_run_later(const char *fn, const random_job *j, generator *g, tensor *out);

/* ---- graphs ----
** A captured graph reads counter and seed of a generator from a cell in the device's memory. A replay sets the cells,
** so that each replay draws new numbers. */

typedef struct random_cell {
  generator *g;
  uint64_t   start, advance;  /* start: the generator's offset at the generator's first draw in the capture; advance:
                              ** the number of counter values that a replay uses */
  uint64_t  *cell;            /* in the device's memory: g's offset and seed, which a replay sets */
} random_cell;

typedef struct random_cells {
  place where;
  int   count, capacity;
  random_cell *cell;
} random_cells;

/* From random_capture to random_capture_end, the draws of this thread at c->where are recorded in c.
** random_capture_end resets the generators to the offsets that they had before the capture. */
void random_capture(random_cells *c);
void random_capture_end(void);
bool random_is_captured(void);

/* random_replay sets the cells, so that a replay continues from the generators' current state. random_replayed
** advances the generators after the replay. */
int  random_replay(const random_cells *c);
void random_replayed(const random_cells *c);
void random_undo(const random_cells *c);       /* takes random_replayed back */

void random_cells_free(random_cells *c);

#endif
