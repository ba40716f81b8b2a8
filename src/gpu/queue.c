/* Streams and events of scripts: the functions of struct device_streams. */

#include "gpu/stream.h"

static int refuse(gpu *g) {
  return gpu_fail(g, "not while a graph is captured: streams and events are no part of it");
}

/* ---- streams ---- */

static int make(int index, int *stream) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  st = g->capturing ? refuse(g) : gpu_stream_add(g, stream);
  if (st == OK) gpu_queue_of(g, *stream)->holders = 1;
  return gpu_leave(g, st);
}

static void count_holder(int index, int stream, int change) {
  gpu *g = gpu_lock(index);
  if (g->streams) gpu_queue_of(g, stream)->holders += change;
  gpu_unlock();
}

static void retain(int index, int stream)  { count_holder(index, stream, 1); }
static void release(int index, int stream) { count_holder(index, stream, -1); }

static int current(int index) {
  gpu *g = gpu_lock(index);
  int stream = g->streams ? gpu_current(g) : 0;
  gpu_unlock();
  return stream;
}

static int use(int index, int stream) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  if (g->capturing) return gpu_leave(g, refuse(g));
  gpu_stream_use(g, stream);
  return gpu_leave(g, OK);
}

static int sync_stream(int index, int stream) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  if (g->capturing) return gpu_leave(g, ERR_CAPTURE);
  int before = gpu_current(g);
  gpu_stream_use(g, stream);
  st = gpu_wait(g, false);
  gpu_stream_use(g, before);
  return gpu_leave(g, st);
}

/* Makes the stream wait for an event, which may belong to another device. Epochs are not used, because they count the
** events of one device. */
static int wait_for(int index, int stream, gpu_event event) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  if (g->capturing) return gpu_leave(g, refuse(g));
  gpu_result r = g->driver->stream_wait(gpu_queue_of(g, stream)->stream, event, 0);
  return gpu_leave(g, gpu_check(g, r, "waiting for an event"));
}

static int follow(int index, int stream, int other_index, int other) {
  gpu *g;
  int st = gpu_enter(other_index, &g);
  if (st != OK) return st;
  if (g->capturing) return gpu_leave(g, refuse(g));
  if (index == other_index) {
    gpu_follow(g, stream, other);
    return gpu_leave(g, g->dead ? ERR_DEVICE : OK);
  }
  gpu_queue *o = gpu_queue_of(g, other);
  st = gpu_check(g, g->driver->event_record(o->event, o->stream), "recording an event");
  o->epoch++;
  return gpu_leave(g, st == OK ? wait_for(index, stream, o->event) : st);
}

/* ---- events ---- */

static int event_make(int index, bool timing, void **event) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  gpu_event made = NULL;
  st = gpu_check(g, g->driver->event_create(&made, timing ? 0 : EVENT_NO_TIMING), "making an event");
  *event = made;
  return gpu_leave(g, st);
}

static void event_free(int index, void *event) {
  gpu *g;
  if (gpu_enter_free(index, &g) != OK) return;
  g->driver->event_destroy(event);
  gpu_leave(g, OK);
}

static int event_record(int index, void *event, int stream) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  if (g->capturing) return gpu_leave(g, refuse(g));
  gpu_result r = g->driver->event_record(event, gpu_queue_of(g, stream)->stream);
  return gpu_leave(g, gpu_check(g, r, "recording an event"));
}

static int event_wait(int index, int stream, void *event) { return wait_for(index, stream, event); }

static int event_query(int index, void *event, bool *done) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  gpu_result r = g->driver->event_query(event);
  *done = r == GPU_SUCCESS;
  return gpu_leave(g, r == GPU_NOT_READY ? OK : gpu_check(g, r, "asking an event"));
}

static int event_sync(int index, void *event) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  if (g->capturing) return gpu_leave(g, ERR_CAPTURE);
  st = gpu_await(g, NULL, event);
  return gpu_leave(g, st == OK ? gpu_check(g, g->driver->event_sync(event), "waiting for an event") : st);
}

static int event_elapsed(int index, void *from, void *to, double *milliseconds) {
  gpu *g;
  float ms = 0;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  st = gpu_await(g, NULL, to);
  if (st == OK) st = gpu_check(g, g->driver->event_sync(to), "waiting for an event");
  if (st == OK) st = gpu_check(g, g->driver->event_elapsed(&ms, from, to), "time between events");
  *milliseconds = (double)ms;
  return gpu_leave(g, st);
}

const device_streams gpu_stream_calls = {
  .make = make, .retain = retain, .release = release,
  .current = current, .use = use, .sync = sync_stream, .follow = follow,
  .event_make = event_make, .event_free = event_free, .event_record = event_record, .event_wait = event_wait,
  .event_query = event_query, .event_sync = event_sync, .event_elapsed = event_elapsed,
};
