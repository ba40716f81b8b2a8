#include "op/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/dispatch.h"

graph graph_init(place where) {
  return (graph){.where = where, .holdings = {.where = where}, .written = {.where = where}, .cells = {.where = where},
                 .updates = {.where = where}, .epoch = place_epoch(where)};
}

static atomic_uint captures;
static _Thread_local graph *open;        /* the graph that this thread captures, or NULL */

int graph_begin(graph *g) {
  int st = g->where.device->graphs->begin(g->where.index, &g->handle);
  if (st != OK) return st;
  g->number = storage_capture = 1 + atomic_fetch_add(&captures, 1);
  if (place_is_host(g->where)) storage_holder = &g->holdings;
  storage_writes = &g->written;
  random_capture(&g->cells);
  update_capture(&g->updates);
  profile_capture(g->where);
  open = g;
  return OK;
}

static void leave_capture(void) {
  random_capture_end();
  update_capture(NULL);
  profile_capture_end();
  storage_holder = storage_writes = NULL;
  storage_capture = 0;
  open = NULL;
}

int graph_end(graph *g, bool keep) {
  leave_capture();
  int st = keep ? g->where.device->graphs->end(g->where.index, g->handle) : OK;
  if (st == OK && (g->holdings.failed || g->written.failed)) st = ERR_MEMORY;
  if (!keep || st != OK) graph_free(g);
  return st;
}

/* ---- work that a capture leaves out ---- */

static void pause_capture(void) {
  if (!storage_holder) return;
  open->where.device->graphs->end(open->where.index, open->handle);
  storage_holder = NULL;
  storage_capture = 0;
}

static void resume_capture(void) {
  if (!open || !place_is_host(open->where)) return;
  open->where.device->graphs->resume(open->where.index, open->handle);
  storage_holder = &open->holdings;
  storage_capture = open->number;
}

int graph_make_number(tensor *t, enum dtype dtype, const shape *s, place where) {
  pause_capture();
  int st = tensor_init(t, dtype, s, where);
  resume_capture();
  return st;
}

int graph_compute_number(const job *j, tensor *out) {
  pause_capture();
  int st = job_compute(j, out);
  resume_capture();
  return st;
}

/* ---- replaying ---- */

/* True if a tensor that the graph uses has lost its memory, such as memory that the host took back. */
static bool has_lost(const storage_holdings *h) {
  for (size_t k = 0; k < h->count; k++)
    if (storage_is_lost(h->list[k])) return true;
  return false;
}

/* The recorded calls have the addresses of the storages, and do not call storage_touch. */
static void settle_all(const storage_holdings *h) {
  for (size_t k = 0; k < h->count; k++)
    if (h->list[k]->copying) storage_settle(h->list[k]);
}

int graph_replay(graph *g) {
  if (!g->handle || has_lost(&g->holdings)) return ERR_CHANGED;
  settle_all(&g->holdings);
  int st = random_replay(&g->cells);
  if (st == OK) st = update_send(&g->updates);
  if (st != OK) return st;
  st = device_replay(g->where, g->handle);
  for (size_t k = 0; k < g->written.count; k++) g->written.list[k]->version++;      /* even if the replay failed midway */
  if (st == OK) random_replayed(&g->cells);
  return st;
}

/* ---- results in other memory ---- */

int graph_add_result(graph *g, const storage *s) {
  const device_graphs *graphs = g->where.device->graphs;
  if (!graphs->find_uses || !place_equal(s->place, g->where) || g->nresult == GRAPH_RESULTS) return ERR_NO_KERNEL;
  graph_result *r = &g->results[g->nresult];
  *r = (graph_result){.memory = s->ptr};
  int st = graphs->find_uses(g->handle, s->ptr, s->bytes, &r->uses);
  if (st == OK) g->nresult++;
  else free(r->uses.at);
  return st;
}

void graph_bind(graph *g, int result, void *memory) {
  graph_result *r = &g->results[result];
  for (size_t k = 0; k < r->uses.count; k++) {
    uintptr_t address;
    memcpy(&address, r->uses.at[k], sizeof address);
    address += (uintptr_t)memory - (uintptr_t)r->memory;
    memcpy(r->uses.at[k], &address, sizeof address);
  }
  r->memory = memory;
}

void graph_free(graph *g) {
  void *handle = g->handle;
  if (open == g) leave_capture();          /* the Lua state is being closed by os.exit in the captured function */
  g->handle = NULL;
  if (!handle) return;
  for (int k = 0; k < g->nresult; k++) free(g->results[k].uses.at);
  g->nresult = 0;
  storage_release_all(&g->holdings);
  storage_release_all(&g->written);
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
