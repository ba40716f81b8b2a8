#ifndef LT_OP_GRAPH_H
#define LT_OP_GRAPH_H

/* Captured graphs: work that is recorded instead of run, and that replays run. */

#include "op/random.h"

typedef struct graph {
  place        where;
  void        *handle;                   /* the device's handle; NULL: freed */
  unsigned     epoch;                    /* the device's epoch when the graph was made */
  random_cells cells;
} graph;

/* Returns an empty graph, which graph_free accepts. */
graph graph_init(place where);

/* Captures this thread's work at g->where from now on. Fails with ERR_CAPTURE if another graph is being
** captured. */
int graph_begin(graph *g);

/* Ends the capture. keep: the graph is wanted. A graph that is not wanted, or that failed, is freed. */
int graph_end(graph *g, bool keep);

/* Queues all of the recorded work again, with new random numbers. */
int graph_replay(graph *g);

/* Frees the graph. A second call is harmless, and so is a call after the device was reopened. */
void graph_free(graph *g);

#endif
