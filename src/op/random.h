#ifndef LT_OP_RANDOM_H
#define LT_OP_RANDOM_H

/* Random fills. Each fill advances the counter of a generator by the numbers used. Raises no Lua errors. */

#include "base/tensor.h"

typedef struct generator {
  uint64_t seed, offset;      /* the Philox key, and the next unused counter */
} generator;

/* The distribution. a, b: uniform in [a, b), or normal with mean a and standard deviation b. low, range: integers low …
** low + range - 1; a range of 0 means all 2^64. */
typedef struct random_job {
  enum random_op op;
  double   a, b;
  int64_t  low;
  uint64_t range;
} random_job;

/* Fills `out`, which may have any strides. Fails with ERR_DTYPE for floats into integers or bool, or with
** ERR_READONLY, ERR_MEMORY or ERR_NO_KERNEL. */
int random_run(const random_job *j, generator *g, tensor *out);

/* ---- graphs ----
** The draws of a graph count from cells in the device's memory, which each replay sets. */

typedef struct random_cell {
  generator *g;
  uint64_t   start, advance;  /* start: the generator's offset when the capture began; advance: the number of counters
                              ** that a replay uses */
  uint64_t  *cell;
} random_cell;

typedef struct random_cells {
  place where;
  int   count, capacity;
  random_cell *cell;
} random_cells;

/* Captures the draws of this thread at c->where until random_capture_end, which restores the generators. */
void random_capture(random_cells *c);
void random_capture_end(void);
bool random_is_captured(void);

/* random_replay makes the draws of a replay continue from the generators' current state. random_replayed advances the
** generators after the replay. */
int  random_replay(const random_cells *c);
void random_replayed(const random_cells *c);

void random_cells_free(random_cells *c);

#endif
