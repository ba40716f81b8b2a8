#ifndef LT_OP_RANDOM_H
#define LT_OP_RANDOM_H

/* Random fills, which advance the counter of a generator by the numbers they use. Raises no Lua errors. */

#include "base/tensor.h"

typedef struct generator {
  uint64_t seed, offset;      /* Philox key; the next unused counter */
} generator;

/* The distribution. a, b: uniform in [a, b), or normal with mean and standard deviation; low, range: integers low … low
** + range - 1; range 0 means all 2^64. */
typedef struct random_job {
  enum random_op op;
  double   a, b;
  int64_t  low;
  uint64_t range;
} random_job;

/* Fills `out` (any strides). ERR_DTYPE: floats into integers or bool; ERR_READONLY ERR_MEMORY ERR_NO_KERNEL. */
int random_run(const random_job *j, generator *g, tensor *out);

/* ---- graphs: their draws count from cells in the device's memory, which each replay sets ---- */

typedef struct random_cell {
  generator *g;
  uint64_t   start, advance;  /* its offset when the capture began; the number of counters that a replay uses */
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

/* Before a replay: makes its draws continue from the generators' current state. After it: advances the generators. */
int  random_replay(const random_cells *c);
void random_replayed(const random_cells *c);

void random_cells_free(random_cells *c);

#endif
