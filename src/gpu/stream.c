/* Streams: which work waits for which, and what kernels found wrong meanwhile.
**
** While a device has one stream, nothing here runs before a launch. With several, each block knows the stream that
** wrote it last and those that read it since, with their epochs; whoever uses it next on another stream waits for an
** event there. Events are recorded only when somebody has to wait, and one ends an epoch: so a second use of what was
** waited for costs a comparison. */

#include "stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES = 4096, KEPT = INT32_MIN };

/* A launch that may fail late, for the words. */
typedef struct note {
  int         number;
  const char *function;
  int         dim;
  int64_t     length;
} note;

struct gpu_streams {
  gpu_queue queue[GPU_STREAMS];
  gpu_queue capture;
  int       count, current;
  note      notes[NOTES];          /* the last ones; number % NOTES */
  int       next_note;
  note     *kept;                  /* those of graphs, which may be replayed at any time: numbers from KEPT on */
  int       nkept;
  gpu_late *found;                 /* pinned: the device's cell as a wait brought it here */
};

gpu_queue *gpu_queue_of(const gpu *g, int stream) { return &g->streams->queue[stream]; }
gpu_queue *gpu_capture_queue(gpu *g) { return &g->streams->capture; }
int gpu_current(const gpu *g) { return g->streams->current; }
int gpu_stream_count(const gpu *g) { return g->streams->count; }
uint64_t gpu_epoch(const gpu *g, int stream) { return g->streams->queue[stream].epoch; }

/* ---- streams ---- */

int gpu_queue_open(gpu *g, gpu_queue *q) {
  const gpu_driver *d = gpu_get_driver();
  *q = (gpu_queue){.epoch = 1};
  int st = gpu_check(g, d->stream_create(&q->stream, STREAM_NON_BLOCKING), "making a stream");
  if (st == OK) st = gpu_check(g, d->event_create(&q->event, EVENT_NO_TIMING), "making an event");
  if (st != OK) gpu_queue_close(q);
  return st;
}

void gpu_queue_close(gpu_queue *q) {
  if (q->event) gpu_get_driver()->event_destroy(q->event);
  if (q->stream) gpu_get_driver()->stream_destroy(q->stream);
  *q = (gpu_queue){.stream = NULL};
}

/* The cell for late failures, and where a wait looks at it. */
static int open_late(gpu *g, struct gpu_streams *s) {
  const gpu_driver *d = gpu_get_driver();
  int st = gpu_check(g, d->memory_alloc(&g->late, sizeof(gpu_late)), "allocation");
  if (st == OK) st = gpu_check(g, d->host_alloc((void **)&s->found, sizeof(gpu_late), 0), "pinned memory");
  if (st == OK) st = gpu_check(g, d->set_8(g->late, 0, sizeof(gpu_late), g->stream), "clearing memory");
  return st;
}

int gpu_streams_open(gpu *g) {
  struct gpu_streams *s = calloc(1, sizeof *s);
  if (!s) return ERR_MEMORY;
  g->streams = s;
  s->count = 1;
  int st = gpu_queue_open(g, &s->queue[0]);
  g->stream = s->queue[0].stream;
  return st == OK ? open_late(g, s) : st;
}

void gpu_streams_close(gpu *g) {
  struct gpu_streams *s = g->streams;
  if (!s) return;
  for (int k = 0; k < s->count; k++) gpu_queue_close(&s->queue[k]);
  gpu_queue_close(&s->capture);
  if (g->late) gpu_get_driver()->memory_free(g->late);
  if (s->found) gpu_get_driver()->host_free(s->found);
  free(s->kept);
  free(s);
  g->streams = NULL;
  g->stream = NULL;
  g->late = 0;
}

/* Streams of before are used again, like the driver's memory: whatever is still queued there comes first. */
int gpu_stream_add(gpu *g, int *stream) {
  struct gpu_streams *s = g->streams;
  int k = 1;
  while (k < s->count && s->queue[k].holders > 0) k++;
  if (k == GPU_STREAMS) return ERR_MEMORY;
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

/* What is queued on `waiting` from now on runs after the work of `other` up to this epoch. */
static void follow(gpu *g, int waiting, int other, uint64_t epoch) {
  const gpu_driver *d = gpu_get_driver();
  gpu_queue *q = gpu_queue_of(g, waiting), *o = gpu_queue_of(g, other);
  if (waiting == other || q->seen[other] >= epoch) return;
  if (epoch == o->epoch) {
    if (gpu_check(g, d->event_record(o->event, o->stream), "recording an event") != OK) return;
    o->epoch++;
  }
  if (gpu_check(g, d->stream_wait(q->stream, o->event, 0), "waiting for an event") == OK) q->seen[other] = o->epoch - 1;
}

void gpu_follow(gpu *g, int waiting, int other) { follow(g, waiting, other, gpu_epoch(g, other)); }

static void follow_readers(gpu *g, const gpu_block *b, int waiting) {
  for (int k = 0; b->read && k < g->streams->count; k++) follow(g, waiting, k, b->read[k]);
}

/* From now on only `stream` works on it. */
static void own_block(gpu *g, gpu_block *b, int stream) {
  b->writer = stream;
  b->written = gpu_epoch(g, stream);
  if (b->read) memset(b->read, 0, GPU_STREAMS * sizeof *b->read);
}

/* Without memory to note who reads, the writer after this one waits for too much, not for too little. */
static void note_reader(gpu *g, gpu_block *b, int stream) {
  if (!b->read) b->read = calloc(GPU_STREAMS, sizeof *b->read);
  if (b->read) b->read[stream] = gpu_epoch(g, stream);
  else gpu_get_driver()->stream_sync(g->stream);
}

void gpu_settle(gpu *g, gpu_block *b, int stream) {
  follow(g, stream, b->writer, b->written);
  follow_readers(g, b, stream);
  own_block(g, b, stream);
}

void gpu_order(gpu *g, const void *ptr, bool writes) {
  int stream = g->streams->current;
  gpu_segment *s = gpu_segment_of(g, ptr);
  gpu_block *b = s ? gpu_block_of(g, s, ptr) : NULL;
  if (g->capturing) {
    if (s) gpu_hold(g, s, b);
  } else if (!b) {
    if (s) gpu_get_driver()->context_sync();       /* no memory to note who works on it */
  } else if (writes) gpu_settle(g, b, stream);
  else {
    follow(g, stream, b->writer, b->written);
    if (stream == b->writer) b->written = gpu_epoch(g, stream);
    else note_reader(g, b, stream);
  }
}

/* ---- late failures ---- */

/* A graph may be replayed long after its capture: its notes stay. */
static int keep_note(struct gpu_streams *s, const char *function, int dim, int64_t length) {
  for (int k = 0; k < s->nkept; k++) {
    const note *n = &s->kept[k];
    if (n->dim == dim && n->length == length && strcmp(n->function, function) == 0) return n->number;
  }
  note *more = realloc(s->kept, (size_t)(s->nkept + 1) * sizeof *more);
  if (!more) return 0;
  s->kept = more;
  more[s->nkept] = (note){KEPT + s->nkept, function, dim, length};
  return more[s->nkept++].number;
}

int gpu_note(gpu *g, const char *function, int dim, int64_t length) {
  struct gpu_streams *s = g->streams;
  if (g->capturing) {
    gpu_note_in_graph(g);
    return keep_note(s, function, dim, length);
  }
  s->queue[s->current].noted = true;
  int number = s->next_note = s->next_note == INT32_MAX ? 1 : s->next_note + 1;
  s->notes[number % NOTES] = (note){number, function, dim, length};
  return number;
}

static const note *find_note(const struct gpu_streams *s, int number) {
  if (number < 0) return number - KEPT < s->nkept ? &s->kept[number - KEPT] : NULL;
  const note *n = &s->notes[number % NOTES];
  return number > 0 && n->number == number ? n : NULL;
}

/* The cell was fetched and says that something is wrong. It starts anew. */
static int report_late(gpu *g) {
  const gpu_late *late = g->streams->found;
  const note *n = find_note(g->streams, late->what);
  if (n) index_words(g->words, sizeof g->words, n->function, late->value, n->dim, n->length);
  else snprintf(g->words, sizeof g->words, "index %lld: out of range", (long long)late->value);
  gpu_blame(g);
  int st = gpu_check(g, gpu_get_driver()->set_8(g->late, 0, sizeof *late, g->stream), "clearing memory");
  return st == OK ? ERR_LATE : st;
}

static bool any_noted(const struct gpu_streams *s) {
  for (int k = 0; k < s->count; k++)
    if (s->queue[k].noted) return true;
  return false;
}

static int wait_all(gpu *g, bool look) {
  const gpu_driver *d = gpu_get_driver();
  int st = gpu_check(g, d->context_sync(), "waiting for the device");
  if (st != OK || !look) return st;
  st = gpu_check(g, d->copy_out(g->streams->found, g->late, sizeof(gpu_late), g->stream), "copy to the host");
  if (st == OK) st = gpu_check(g, d->stream_sync(g->stream), "waiting for the device");
  for (int k = 0; k < g->streams->count; k++) g->streams->queue[k].noted = false;
  return st;
}

static int wait_current(gpu *g, bool look) {
  const gpu_driver *d = gpu_get_driver();
  int st = OK;
  if (look) st = gpu_check(g, d->copy_out(g->streams->found, g->late, sizeof(gpu_late), g->stream), "copy to the host");
  if (st == OK) st = gpu_check(g, d->stream_sync(g->stream), "waiting for the device");
  g->streams->queue[g->streams->current].noted = false;
  return st;
}

int gpu_wait(gpu *g, bool all) {
  struct gpu_streams *s = g->streams;
  if (g->capturing) return ERR_CAPTURE;
  bool look = all ? any_noted(s) : s->queue[s->current].noted;
  int st = all ? wait_all(g, look) : wait_current(g, look);
  return st == OK && look && s->found->set ? report_late(g) : st;
}

int gpu_sync(int index) {
  gpu *g;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, gpu_wait(g, true)) : st;
}
