/* Captures and replays CUDA graphs. A capture records a sequence of launches on a stream in a graph. A replay launches
** the whole graph again. Memory that is allocated during the capture comes from an arena of the graph and is kept as
** long as the graph. The graph also keeps all other blocks that it uses, even if the script frees them. */

#include "gpu/stream.h"

#include <stdlib.h>

#include "base/grow.h"

typedef struct held {
  gpu_segment *segment;
  gpu_block   *block;
} held;

struct gpu_recording {
  gpu_graph_exec exec;
  gpu_arena     *pool;
  held          *held;
  size_t         nheld, capacity;
  bool           noted;          /* the graph contains kernels that may report a late error */
  bool           short_of_memory;/* a block could not be kept, so the graph must not run */
  gpu_stream     before;         /* during the capture: the stream that was current before the capture */
  bool           ordered;
};

/* ---- capturing ---- */

static bool more_held(struct gpu_recording *r) {
  held *list = list_with_room(r->held, r->nheld, &r->capacity, sizeof *list);
  if (list) r->held = list;
  return list != NULL;
}

void gpu_hold(gpu *g, gpu_segment *s, gpu_block *b) {
  struct gpu_recording *r = g->recording;
  if (s->arena == r->pool) return;
  for (size_t k = 0; k < r->nheld; k++)
    if (b && r->held[k].block == b) return;
  if (!b || !more_held(r)) {
    r->short_of_memory = true;
    return;
  }
  r->held[r->nheld++] = (held){s, b};
  b->holds++;
}

/* Begins the capture. First waits for all queued work, and reports late errors. In the relaxed mode, allocations and
** the loading of kernels are allowed during the capture. The lock is held until the capture ends, because work of
** other threads does not belong to the graph. */
static int begin(gpu *g, struct gpu_recording *r) {
  gpu_queue *q = gpu_capture_queue(g);
  int st = gpu_wait(g, true);
  if (st == OK) gpu_make_room(g);               /* a capture cannot return cached memory to the driver */
  if (st == OK && !q->stream) st = gpu_queue_open(g, q);
  if (st == OK) st = gpu_check(g, g->driver->capture_begin(q->stream, CAPTURE_RELAXED), "capturing a graph");
  if (st != OK) return st;
  q->noted = 0;
  gpu_lock(g->index);
  r->before = g->stream;
  r->ordered = g->ordered;
  g->stream = q->stream;
  g->recording = r;
  g->memory->pool = r->pool;
  g->memory->looked_up = g->ordered = true;     /* operands are looked up, so that the graph can keep their blocks */
  gpu_set_capturing(g, true);
  return OK;
}

static int graph_begin(int index, void **graph) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  if (g->capturing) return gpu_leave(g, ERR_CAPTURE);
  struct gpu_recording *r = calloc(1, sizeof *r);
  gpu_arena *pool = gpu_new_arena(GPU_NO_STREAM);
  st = r && pool ? OK : ERR_MEMORY;
  if (st == OK) {
    r->pool = pool;
    st = begin(g, r);
  }
  if (st != OK) {
    gpu_free_arena(pool);
    free(r);
    return gpu_leave(g, st);
  }
  *graph = r;
  return gpu_leave(g, OK);
}

static void leave_capture(gpu *g, struct gpu_recording *r) {
  r->noted = gpu_capture_queue(g)->noted != 0;
  g->stream = r->before;
  g->ordered = r->ordered;
  gpu_set_capturing(g, false);
  g->recording = NULL;
  g->memory->pool = NULL;
  gpu_unlock();
}

static gpu_result instantiate(gpu *g, gpu_graph captured, gpu_graph_exec *exec) {
  gpu_result r = g->driver->graph_instantiate(exec, captured, 0);
  return gpu_retries(g, r) ? g->driver->graph_instantiate(exec, captured, 0) : r;
}

static int graph_end(int index, void *graph) {
  struct gpu_recording *r = graph;
  gpu_graph captured = NULL;
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  const gpu_driver *d = g->driver;
  st = gpu_check(g, d->capture_end(g->stream, &captured), "capturing a graph");
  leave_capture(g, r);
  if (st == OK && r->short_of_memory) st = ERR_MEMORY;
  if (st == OK) st = gpu_check(g, instantiate(g, captured, &r->exec), "making a graph");
  if (captured) d->graph_destroy(captured);
  return gpu_leave(g, st);
}

/* Takes memory from the current stream's arena instead of the graph's. */
static int graph_alloc_apart(int index, size_t bytes, void **ptr) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  gpu_arena *pool = g->memory->pool;
  g->memory->pool = NULL;
  st = gpu_alloc(index, bytes, ptr);
  g->memory->pool = pool;
  return gpu_leave(g, st);
}

/* ---- replaying ---- */

/* If `before` is true, makes the current stream wait for all other streams. Otherwise makes all other streams wait for
** the current stream. graph_replay calls the function before and after a replay, because the graph does not record
** which streams use the graph's blocks. */
static void join_streams(gpu *g, bool before) {
  int now = gpu_current(g);
  for (int k = 0; k < gpu_stream_count(g); k++) {
    if (before) gpu_follow(g, now, k);
    else gpu_follow(g, k, now);
  }
}

static int graph_replay(int index, void *graph) {
  struct gpu_recording *r = graph;
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  if (g->capturing) return gpu_leave(g, ERR_CAPTURE);
  if (g->ordered) join_streams(g, true);
  st = gpu_check(g, g->driver->graph_launch(r->exec, g->stream), "launch of a graph");
  if (g->exchanges) g->exchanges->replayed(g);
  if (st == OK && g->ordered) join_streams(g, false);
  if (r->noted) gpu_queue_of(g, gpu_current(g))->noted |= UINT64_C(1) << GPU_STREAMS;
  return gpu_leave(g, st);
}

/* ---- freeing a graph ---- */

static void let_go(gpu *g, struct gpu_recording *r) {
  for (size_t k = 0; k < r->nheld; k++) gpu_release_block(g, r->held[k].segment, r->held[k].block);
  free(r->held);
}

/* Frees only the host memory of a graph. Called if the device was reopened or is dead, because the graph's device
** memory is then lost. */
static void graph_forget(void *graph) {
  struct gpu_recording *r = graph;
  free(r->held);
  gpu_free_arena(r->pool);
  free(r);
}

/* Ends a capture that has failed or is not wanted. Makes the context current first, because another GPU may have been
** entered in the meantime. */
static void end_capture(gpu *g, struct gpu_recording *r) {
  gpu_graph captured = NULL;
  g->driver->context_use(g->context);
  g->driver->capture_end(g->stream, &captured);
  if (captured) g->driver->graph_destroy(captured);
  leave_capture(g, r);
}

/* Frees a graph, and ends its capture if the capture is still in progress. Queued replays still finish, because the
** memory is reused only by work queued later. */
static void graph_free(int index, void *graph) {
  struct gpu_recording *r = graph;
  gpu *g = gpu_lock(index);
  if (g->recording == r) end_capture(g, r);
  gpu_unlock();
  if (gpu_enter_free(index, &g) != OK) {
    graph_forget(r);
    return;
  }
  if (r->exec) g->driver->graph_exec_destroy(r->exec);
  for (int k = 1; k < gpu_stream_count(g); k++) gpu_follow(g, 0, k);
  let_go(g, r);
  gpu_adopt(g, r->pool);
  free(r);
  gpu_leave(g, OK);
}

const device_graphs gpu_graph_calls = {
  .begin = graph_begin, .end = graph_end, .alloc_apart = graph_alloc_apart, .replay = graph_replay, .free = graph_free,
  .forget = graph_forget,
};
