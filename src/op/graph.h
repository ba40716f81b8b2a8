#ifndef LT_OP_GRAPH_H
#define LT_OP_GRAPH_H

/* Captured graphs. While a graph is captured, ops are recorded instead of run. A replay runs all recorded ops. */

#include "op/nn/update.h"
#include "op/op.h"
#include "op/random.h"

/* A result whose memory each replay replaces. */
typedef struct graph_result {
  graph_uses uses;
  void      *memory;                     /* the memory that the graph's calls use now */
} graph_result;

enum { GRAPH_RESULTS = 8 };

typedef struct graph {
  place        where;
  void        *handle;                   /* the device's handle; NULL before graph_begin and after graph_free */
  unsigned     epoch;                    /* the device's epoch when the graph was made; another epoch means that the
                                         ** device was reopened */
  unsigned     number;                   /* the number of the capture (storage_capture) */
  storage_holdings holdings;             /* of a graph on the host: the storages that its calls use */
  storage_holdings written;              /* the storages to which its ops write in place */
  random_cells cells;
  update_cells updates;
  int          nresult;
  graph_result results[GRAPH_RESULTS];
} graph;

/* Returns an empty graph, which may be passed to graph_begin or graph_free. */
graph graph_init(place where);

/* Begins to capture: from now on this thread's work at g->where is recorded. Fails with ERR_CAPTURE if another graph
** is being captured. */
int graph_begin(graph *g);

/* Ends the capture. If `keep` is false or the capture failed, the graph is freed. */
int graph_end(graph *g, bool keep);

/* Complex numbers (lt.complex(re, im)) are constants of a graph: their values are needed while it is captured. A capture on
** the host leaves out the memory and the computations of such numbers. graph_make_number is tensor_init, and
** graph_compute_number is job_compute. */
int graph_make_number(tensor *t, enum dtype dtype, const shape *s, place where);
int graph_compute_number(const job *j, tensor *out);

/* Queues all recorded work again, with new random numbers, and with the numbers that the optimisers have given
** (update_collect). Fails with ERR_CHANGED if the graph was freed or a tensor of the graph has lost its memory. */
int graph_replay(graph *g);

/* Makes storage s, which the capture has allocated and which nobody but the caller can read, memory that each replay may
** replace: graph_bind then sets the memory of result number g->nresult - 1. Fails with ERR_NO_KERNEL if the graph cannot use
** other memory, and with ERR_MEMORY. */
int  graph_add_result(graph *g, const storage *s);
void graph_bind(graph *g, int result, void *memory);

/* Frees the graph. A second call has no effect. The function may also be called after the device was reopened. */
void graph_free(graph *g);

#endif
