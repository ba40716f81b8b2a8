#ifndef LT_OP_GRAPH_H
#define LT_OP_GRAPH_H

/* Captured graphs: work that is kept instead of run, and that replays run again. */

#include "op/random.h"

typedef struct graph {
  place        where;
  void        *handle;                   /* the device's; NULL: freed */
  unsigned     epoch;                    /* of the device when the graph was made */
  random_cells cells;
} graph;

/* No graph yet: what graph_free takes. */
graph graph_init(place where);

/* From now on this thread's work at g->where is captured. ERR_CAPTURE: another graph is being captured. */
int graph_begin(graph *g);

/* Ends the capture. keep: the graph is wanted; a graph that is not, or that fails, is freed. */
int graph_end(graph *g, bool keep);

/* Queues all of the work again; random numbers go on. */
int graph_replay(graph *g);

/* Harmless when done twice, or after the device was reopened. */
void graph_free(graph *g);

#endif
