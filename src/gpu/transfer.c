/* Copies between the host and a device, and between devices.
**
** The driver copies by DMA only from and to page-locked (pinned) memory. For other memory the driver first waits
** for all work of the stream. Therefore copies pass through a ring of pinned buffers, and a copy to the device
** returns as soon as the source has been read into the buffers. While one buffer is transferred, the next buffer is
** filled by the CPU's threads. Small copies share a buffer. */

#include "base/copy.h"
#include "gpu/stream.h"

#include <stdlib.h>
#include <string.h>

enum {
  SLOTS     = 4,
  SLOT_SIZE = 4 << 20,             /* bytes of a buffer; a DMA of 4 MiB takes about 80 µs, ten times the cost of
                                   ** starting the DMA */
  ALIGNMENT = 64
};

typedef struct slot {
  char      *memory;
  gpu_event  event;                /* recorded after the last copy that used the buffer */
  int        stream;               /* number of the stream on which these copies were queued */
  size_t     used;                 /* bytes of the buffer that copies have used since the event was last recorded */
} slot;

struct gpu_ring {
  slot slot[SLOTS];
  int  now;                        /* number of the buffer that is being filled */
};

/* ---- the ring of pinned buffers ---- */

static void close_ring(const gpu *g, struct gpu_ring *r) {
  for (int k = 0; k < SLOTS; k++) {
    if (r->slot[k].event) g->driver->event_destroy(r->slot[k].event);
    if (r->slot[k].memory) g->driver->host_free(r->slot[k].memory);
  }
  free(r);
}

static int open_slot(gpu *g, slot *s) {
  const gpu_driver *d = g->driver;
  int st = gpu_check(g, d->host_alloc((void **)&s->memory, SLOT_SIZE, HOST_PORTABLE), "pinned memory");
  return st == OK ? gpu_check(g, d->event_create(&s->event, EVENT_NO_TIMING), "making an event") : st;
}

static int open_ring(gpu *g) {
  if (g->memory->ring) return OK;
  struct gpu_ring *r = calloc(1, sizeof *r);
  int st = r ? OK : ERR_MEMORY;
  for (int k = 0; st == OK && k < SLOTS; k++) st = open_slot(g, &r->slot[k]);
  if (st == OK) g->memory->ring = r;
  else if (r) close_ring(g, r);
  return st;
}

static int wait_event(gpu *g, gpu_event e) {
  int st = gpu_await(g, NULL, e);
  return st == OK ? gpu_check(g, g->driver->event_sync(e), "waiting for a copy") : st;
}

/* Records the event of the current slot. Then makes the next slot current, and waits until the copies that use it are
** done. */
static int next_slot(gpu *g, struct gpu_ring *r) {
  const gpu_driver *d = g->driver;
  slot *left = &r->slot[r->now], *s = &r->slot[(r->now + 1) % SLOTS];
  int st = OK;
  gpu_stream its = gpu_queue_of(g, left->stream)->stream;
  if (left->used) st = gpu_check(g, d->event_record(left->event, its), "recording an event");
  if (st == OK && s->used) st = wait_event(g, s->event);
  if (st != OK) return st;
  s->used = 0;
  s->stream = gpu_current(g);
  r->now = (r->now + 1) % SLOTS;
  return OK;
}

/* Reserves `bytes` bytes (at most SLOT_SIZE) of a pinned buffer for a copy on the current stream, and sets *room to
** their address. */
static int take_room(gpu *g, size_t bytes, char **room) {
  int st = open_ring(g);
  if (st != OK) return st;
  struct gpu_ring *r = g->memory->ring;
  slot *s = &r->slot[r->now];
  if (s->used == 0) s->stream = gpu_current(g);
  if (s->stream != gpu_current(g) || s->used + bytes > SLOT_SIZE) st = next_slot(g, r);
  if (st != OK) return st;
  s = &r->slot[r->now];
  *room = s->memory + s->used;
  s->used += (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  return OK;
}

/* ---- from and to the host ---- */

static gpu_address address(const void *p) { return (gpu_address)(uintptr_t)p; }

static int wait_queued(gpu *g) {
  int st = gpu_await(g, g->stream, NULL);
  return st == OK ? gpu_check(g, g->driver->stream_sync(g->stream), "waiting for a copy") : st;
}

/* Copies from the host to the device. Returns as soon as the host's memory may be changed again. */
static int send(gpu *g, gpu_address to, const char *host, size_t bytes) {
  const gpu_driver *d = g->driver;
  if (bytes > GPU_STAGED && gpu_is_pinned(host, bytes)) {
    int st = gpu_check(g, d->copy_in(to, host, bytes, g->stream), "copy to the device");
    return st == OK ? wait_queued(g) : st;
  }
  for (size_t done = 0, n; done < bytes; done += n) {
    char *room;
    n = least_of(bytes - done, SLOT_SIZE);
    int st = take_room(g, n, &room);
    if (st != OK) return st;
    copy_by_threads(room, host + done, n);
    st = gpu_check(g, d->copy_in(to + done, room, n, g->stream), "copy to the device");
    if (st != OK) return st;
  }
  return OK;
}

/* Copies to the host in parts of SLOT_SIZE. While one part is copied from its buffer to `host`, the following parts
** are transferred. */
static int fetch_parts(gpu *g, char *host, gpu_address from, size_t bytes) {
  const gpu_driver *d = g->driver;
  size_t sent = 0, done = 0;
  struct gpu_ring *r = g->memory->ring;
  for (int first = r->now; done < bytes;) {
    while (sent < bytes && sent - done < (SLOTS - 1) * (size_t)SLOT_SIZE) {
      int st = next_slot(g, r);
      slot *s = &r->slot[r->now];
      size_t n = least_of(bytes - sent, SLOT_SIZE);
      if (st == OK) st = gpu_check(g, d->copy_out(s->memory, from + sent, n, g->stream), "copy to the host");
      if (st == OK) st = gpu_check(g, d->event_record(s->event, g->stream), "recording an event");
      if (st != OK) return st;
      s->used = n;
      sent += n;
    }
    slot *s = &r->slot[first = (first + 1) % SLOTS];
    int st = wait_event(g, s->event);
    if (st != OK) return st;
    copy_by_threads(host + done, s->memory, s->used);
    done += s->used;
  }
  return OK;
}

static int fetch(gpu *g, char *host, gpu_address from, size_t bytes) {
  const gpu_driver *d = g->driver;
  char *room = host;
  bool direct = gpu_is_pinned(host, bytes);
  int st = direct ? OK : open_ring(g);
  if (st == OK && !direct && bytes > SLOT_SIZE) {
    st = fetch_parts(g, host, from, bytes);
    return st == OK ? gpu_wait(g, false) : st;
  }
  if (st == OK && !direct) st = take_room(g, bytes, &room);
  if (st == OK) st = gpu_check(g, d->copy_out(room, from, bytes, g->stream), "copy to the host");
  if (st == OK) st = gpu_wait(g, false);
  if (st == OK && !direct) copy_by_threads(host, room, bytes);
  return st;
}

int gpu_copy_in(int index, void *to, const void *host, size_t bytes) {
  gpu *g;
  if (bytes == 0) return OK;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  if (g->capturing) return gpu_leave(g, ERR_CAPTURE);
  gpu_writes(g, to);
  return gpu_leave(g, send(g, address(to), host, bytes));
}

int gpu_copy_in_later(int index, void *to, const void *host, size_t bytes) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  if (g->capturing) return gpu_leave(g, ERR_CAPTURE);
  if (bytes <= GPU_STAGED || !gpu_is_pinned(host, bytes)) return gpu_leave(g, gpu_copy_in(index, to, host, bytes));
  gpu_writes(g, to);
  return gpu_leave(g, gpu_send_later(g, to, host, bytes));
}

int gpu_copy_out(int index, void *host, const void *from, size_t bytes) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  if (g->capturing) return gpu_leave(g, ERR_CAPTURE);
  gpu_reads(g, from);
  if (bytes > 0) st = fetch(g, host, address(from), bytes);
  return gpu_leave(g, st);
}

/* ---- between devices ---- */

static int copy_here(gpu *g, void *to, const void *from, size_t bytes) {
  gpu_reads(g, from);
  gpu_writes(g, to);
  return gpu_check(g, g->driver->copy(address(to), address(from), bytes, g->stream), "copy");
}

static bool peers[MAX_GPUS][MAX_GPUS];  /* [device][peer]: enable_peer was called since both were opened */

/* Lets g access the memory of another device. Without access, the driver copies through the host's memory. Errors are
** ignored, because copies work without access: the driver reports that access is enabled already by another library, is
** not supported, or that a device has too many peers. */
static void enable_peer(gpu *g, const gpu *peer) {
  int possible = 0;
  bool *asked = &peers[g->index][peer->index];
  if (*asked) return;
  *asked = true;
  gpu_result r = g->driver->peer_possible(&possible, g->id, peer->id);
  if (r == GPU_SUCCESS && possible) g->driver->peer_enable(peer->context, 0);
}

static void forget_peers(const gpu *g) {
  for (int k = 0; k < MAX_GPUS; k++) peers[g->index][k] = peers[k][g->index] = false;
}

/* Copies from another device on g's stream, after the work that is now queued on the other device's current
** stream. */
static int copy_over(gpu *g, void *to, gpu *from, const void *ptr, size_t bytes) {
  const gpu_driver *d = g->driver;
  gpu_queue *a = gpu_queue_of(from, gpu_current(from)), *b = gpu_queue_of(g, gpu_current(g));
  gpu_writes(g, to);
  enable_peer(g, from);
  int st = gpu_check(g, d->stream_wait(b->stream, a->event, 0), "waiting for an event");
  if (st == OK)
    st = gpu_check(g, d->copy_peer(address(to), g->context, address(ptr), from->context, bytes, b->stream), "copy");
  if (st == OK) st = gpu_check(g, d->event_record(b->event, b->stream), "recording an event");
  b->epoch++;
  return st;
}

/* Records an event on the source's stream, so that the copy runs after the work that is queued there. */
static int mark_source(gpu *source, gpu_queue *q) {
  q->epoch++;
  return gpu_check(source, source->driver->event_record(q->event, q->stream), "recording an event");
}

static int wait_in_source(gpu *source, gpu_queue *q, gpu_event copied) {
  return gpu_check(source, source->driver->stream_wait(q->stream, copied, 0), "waiting for an event");
}

int gpu_copy_across(int index, void *to, int from_index, const void *from, size_t bytes) {
  gpu *source, *g;
  if (bytes == 0) return OK;
  int st = gpu_enter(from_index, &source);
  if (st != OK) return st;
  gpu_reads(source, from);
  if (index == from_index) return gpu_leave(source, copy_here(source, to, from, bytes));
  if (source->capturing) return gpu_leave(source, gpu_enter(index, &g));       /* gpu_enter fails, because a graph of
                                                                               ** the other GPU is captured */
  gpu_queue *q = gpu_queue_of(source, gpu_current(source));
  st = mark_source(source, q);
  if (st == OK) st = gpu_enter(index, &g);
  if (st == OK) st = gpu_leave(g, copy_over(g, to, source, from, bytes));
  if (st == OK) st = wait_in_source(source, q, gpu_queue_of(g, gpu_current(g))->event);
  return gpu_leave(source, st);
}

/* ---- closing ---- */

void gpu_transfers_close(gpu *g) {
  if (!g->memory) return;
  gpu_pinned_close(g);
  forget_peers(g);
  if (g->memory->ring) close_ring(g, g->memory->ring);
  g->memory->ring = NULL;
}
