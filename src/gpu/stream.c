/* Streams of a device, and the waits between them.
**
** While a device has one stream, no function of this file runs before a launch. With several streams, luatensor
** records for each block the stream of the last write, the streams of later reads, and their epochs. Before another
** stream uses the block, this other stream waits for events on the recorded streams. An event is recorded only if a
** stream must wait.
** Each event ends an epoch of its stream. After a stream has waited for an epoch, its further uses of the block cost
** only a comparison. */

#include "gpu/stream.h"

#include <stdlib.h>
#include <string.h>

struct gpu_streams {
  gpu_queue queue[GPU_STREAMS];
  gpu_queue capture;
  int       count, current;
};

gpu_queue *gpu_queue_of(const gpu *g, int stream) { return &g->streams->queue[stream]; }
gpu_queue *gpu_capture_queue(gpu *g) { return &g->streams->capture; }
int gpu_current(const gpu *g) { return g->streams->current; }
int gpu_stream_count(const gpu *g) { return g->streams->count; }
uint64_t gpu_epoch(const gpu *g, int stream) { return g->streams->queue[stream].epoch; }

/* ---- streams ---- */

int gpu_queue_open(gpu *g, gpu_queue *q) {
  const gpu_driver *d = g->driver;
  *q = (gpu_queue){.epoch = 1};
  int st = gpu_check(g, d->stream_create(&q->stream, STREAM_NON_BLOCKING), "making a stream");
  if (st == OK) st = gpu_check(g, d->event_create(&q->event, EVENT_NO_TIMING), "making an event");
  if (st != OK) gpu_queue_close(g, q);
  return st;
}

void gpu_queue_close(const gpu *g, gpu_queue *q) {
  if (q->event) g->driver->event_destroy(q->event);
  if (q->stream) g->driver->stream_destroy(q->stream);
  *q = (gpu_queue){.stream = NULL};
}

int gpu_streams_open(gpu *g) {
  struct gpu_streams *s = calloc(1, sizeof *s);
  if (!s) return ERR_MEMORY;
  g->streams = s;
  s->count = 1;
  int st = gpu_queue_open(g, &s->queue[0]);
  g->stream = s->queue[0].stream;
  return st;
}

void gpu_streams_close(gpu *g) {
  struct gpu_streams *s = g->streams;
  if (!s) return;
  for (int k = 0; k < s->count; k++) gpu_queue_close(g, &s->queue[k]);
  gpu_queue_close(g, &s->capture);
  free(s);
  g->streams = NULL;
  g->stream = NULL;
}

/* Sets *stream to a stream for a new script object. A stream that no script object refers to is reused; work that is
** still queued on such a stream runs before new work. Fails with ERR_OVERFLOW if GPU_STREAMS streams are in use. */
int gpu_stream_add(gpu *g, int *stream) {
  struct gpu_streams *s = g->streams;
  int k = 1;
  while (k < s->count && s->queue[k].holders > 0) k++;
  if (k == GPU_STREAMS) return ERR_OVERFLOW;
  int st = k == s->count ? gpu_queue_open(g, &s->queue[k]) : OK;
  if (st != OK) return st;
  if (k == s->count) s->count++;
  g->ordered = g->memory->looked_up = true;
  *stream = k;
  return OK;
}

void gpu_stream_use(gpu *g, int stream) {
  g->streams->current = stream;
  g->stream = g->streams->queue[stream].stream;
}

/* ---- order between streams ---- */

void gpu_follow_epoch(gpu *g, int waiting, int other, uint64_t epoch) {
  const gpu_driver *d = g->driver;
  gpu_queue *q = gpu_queue_of(g, waiting), *o = gpu_queue_of(g, other);
  if (waiting == other || q->seen[other] >= epoch) return;
  if (epoch == o->epoch) {
    if (gpu_check(g, d->event_record(o->event, o->stream), "recording an event") != OK) return;
    o->epoch++;
  }
  if (gpu_check(g, d->stream_wait(q->stream, o->event, 0), "waiting for an event") == OK) q->seen[other] = o->epoch - 1;
  q->noted |= o->noted;
}

void gpu_follow(gpu *g, int waiting, int other) { gpu_follow_epoch(g, waiting, other, gpu_epoch(g, other)); }

static void follow_readers(gpu *g, const gpu_block *b, int waiting) {
  for (int k = 0; b->read && k < g->streams->count; k++) gpu_follow_epoch(g, waiting, k, b->read[k]);
}

/* Records `stream` as the only user of the block. */
static void own_block(gpu *g, gpu_block *b, int stream) {
  b->writer = stream;
  b->written = gpu_epoch(g, stream);
  if (b->read) memset(b->read, 0, GPU_STREAMS * sizeof *b->read);
}

void gpu_settle(gpu *g, gpu_block *b, int stream) {
  gpu_follow_epoch(g, stream, b->writer, b->written);
  follow_readers(g, b, stream);
  own_block(g, b, stream);
}

void gpu_follow_unrecorded(gpu *g) {
  if (g->unrecorded == 0 || g->unrecorded == gpu_current(g) + 1) return;
  g->driver->context_sync();
  g->unrecorded = 0;
}
