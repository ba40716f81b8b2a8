#include "op/graph.h"

#include "base/dispatch.h"

graph graph_init(place where) {
  return (graph){.where = where, .cells = {.where = where}, .updates = {.where = where}, .epoch = place_epoch(where)};
}

int graph_begin(graph *g) {
  int st = g->where.device->graphs->begin(g->where.index, &g->handle);
  if (st != OK) return st;
  random_capture(&g->cells);
  update_capture(&g->updates);
  profile_capture(g->where);
  return OK;
}

int graph_end(graph *g, bool keep) {
  random_capture_end();
  update_capture(NULL);
  profile_capture_end();
  int st = keep ? g->where.device->graphs->end(g->where.index, g->handle) : OK;
  if (!keep || st != OK) graph_free(g);
  return st;
}

int graph_replay(graph *g) {
  int st = random_replay(&g->cells);
  if (st == OK) st = update_send(&g->updates);
  if (st == OK) st = device_replay(g->where, g->handle);
  if (st == OK) random_replayed(&g->cells);
  return st;
}

void graph_free(graph *g) {
  void *handle = g->handle;
  g->handle = NULL;
  if (!handle) return;
  if (g->epoch == place_epoch(g->where)) {
    random_cells_free(&g->cells);
    update_cells_free(&g->updates);
    g->where.device->graphs->free(g->where.index, handle);
  } else {
    g->cells.count = 0;                  /* the device's memory, with the cells, was lost when the device was
                                         ** reopened */
    random_cells_free(&g->cells);
    update_cells_forget(&g->updates);
    g->where.device->graphs->forget(handle);
  }
}
