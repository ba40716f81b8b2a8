/* Page-locked (pinned) host memory of scripts, and the copies from it that the host does not wait for.
**
** After a call of gpu_send_later, the device reads the host's memory when its stream reaches the copy. An event on the
** stream shows that the copy is done. Before the host uses the memory again, gpu_finish_copies waits for these events.
** Nothing else makes the host wait, so kernels that were queued before the copy still run. */

#include "base/lock.h"
#include "gpu/stream.h"

#include <stdlib.h>

enum { PAGE = 4096 };

/* The memory of freed blocks that copies may still read. Above this limit, new blocks wait for the copies. */
#define MOST_UNUSED ((size_t)256 << 20)

/* The copies from a block that one stream has queued. */
typedef struct sending {
  int       index, stream;   /* the device, and the number of its stream */
  gpu_event event;           /* recorded after the last of the copies */
  bool      open;            /* the copies may not be done */
  struct sending *next;
} sending;

/* The host allocates a block of pinned memory, and the driver locks its pages. When the device is reopened, the block
** is unlocked but still exists. LOCK_PINNED protects the list and `locked`, the lock of the GPUs protects `sendings`. */
typedef struct pinned {
  char    *ptr;
  size_t   bytes;
  int      index;            /* number of the device that locked the block; all devices can use it */
  bool     locked;
  bool     unused;           /* the script has freed the block; it stays until its copies are done */
  sending *sendings;
  struct pinned *next;
} pinned;

static pinned *pinned_list;
static size_t unused_bytes;  /* the bytes of unused blocks */

/* Returns the block that contains these bytes, or NULL if there is none or its pages are not locked. */
static pinned *find_locked(const void *host, size_t bytes) {
  lock_take(LOCK_PINNED);
  pinned *p = pinned_list;
  while (p && !(p->locked && (const char *)host >= p->ptr && (const char *)host + bytes <= p->ptr + p->bytes)) p = p->next;
  lock_release(LOCK_PINNED);
  return p;
}

/* Returns the block that begins at `host`. */
static pinned *find(const void *host) {
  lock_take(LOCK_PINNED);
  pinned *p = pinned_list;
  while (p->ptr != host) p = p->next;
  lock_release(LOCK_PINNED);
  return p;
}

bool gpu_is_pinned(const void *host, size_t bytes) { return find_locked(host, bytes) != NULL; }

/* ---- freeing ---- */

/* Removes a block from the list. */
static void take_out(pinned *p) {
  lock_take(LOCK_PINNED);
  pinned **at = &pinned_list;
  while (*at != p) at = &(*at)->next;
  *at = p->next;
  lock_release(LOCK_PINNED);
}

/* Frees the record *at and its event. The event of a device that cannot be entered is left to the driver. */
static void free_sending(sending **at) {
  sending *s = *at;
  gpu *g;
  *at = s->next;
  if (gpu_enter_free(s->index, &g) == OK) {
    g->driver->event_destroy(s->event);
    gpu_leave(g, OK);
  }
  free(s);
}

/* Frees a block whose copies are done. */
static void free_block(pinned *p) {
  gpu *g;
  take_out(p);
  while (p->sendings) free_sending(&p->sendings);
  if (p->locked && gpu_enter_free(p->index, &g) == OK) {
    g->driver->host_unregister(p->ptr);
    gpu_leave(g, OK);
  }
  free(p->ptr);
  free(p);
}

/* True if the copies of a stream are done. If `wait` is true, waits for them. A device that cannot be entered has failed,
** so it copies no more. */
static bool is_done(sending *s, bool wait) {
  gpu *g;
  if (!s->open || gpu_enter_free(s->index, &g) != OK) return true;
  if (wait) gpu_await(g, NULL, s->event);
  gpu_result r = wait ? g->driver->event_sync(s->event) : g->driver->event_query(s->event);
  s->open = r == GPU_NOT_READY;
  if (!s->open) gpu_check(g, r, "waiting for a copy");           /* after a failure, the next call raises the error */
  gpu_leave(g, OK);
  return !s->open;
}

static bool are_done(const pinned *p, bool wait) {
  bool done = true;
  for (sending *s = p->sendings; s; s = s->next) done = is_done(s, wait) && done;
  return done;
}

/* Frees the unused blocks whose copies are done. If `wait` is true, waits for the copies of all unused blocks. */
static void free_unused(bool wait) {
  if (unused_bytes == 0) return;
  for (pinned *p = pinned_list, *next; p; p = next) {
    next = p->next;
    if (!p->unused || !are_done(p, wait)) continue;
    unused_bytes -= p->bytes;
    free_block(p);
  }
}

void gpu_unpin(void *host) {
  pinned *p = find(host);
  gpu_lock(p->index);
  p->unused = true;
  unused_bytes += p->bytes;
  free_unused(false);
  gpu_unlock();
}

/* Frees the records of copies to g. */
static void forget_device(pinned *p, const gpu *g) {
  for (sending **at = &p->sendings; *at;) {
    sending *s = *at;
    if (s->index != g->index) at = &s->next;
    else {
      g->driver->event_destroy(s->event);
      *at = s->next;
      free(s);
    }
  }
}

/* Unlocks the pinned memory that this device has locked, and clears its field `locked`. Must be called before the
** device is closed: closing ends the locks, but would leave `locked` set. The device's copies are done. */
void gpu_pinned_close(gpu *g) {
  for (pinned *p = pinned_list; p; p = p->next) {
    forget_device(p, g);
    if (!p->locked || p->index != g->index) continue;
    g->driver->host_unregister(p->ptr);
    lock_take(LOCK_PINNED);
    p->locked = false;
    lock_release(LOCK_PINNED);
  }
  free_unused(false);
  g->driver->context_use(g->context);            /* free_unused may have entered other devices */
}

/* ---- allocating ---- */

static int lock_pages(pinned *p) {
  gpu *g;
  int st = gpu_enter(p->index, &g);
  if (st != OK) return st;
  gpu_result r = g->driver->host_register(p->ptr, p->bytes, HOST_PORTABLE);
  st = gpu_leave(g, gpu_check(g, r, "page-locked memory"));
  p->locked = st == OK;
  return st;
}

static void add_block(pinned *p) {
  lock_take(LOCK_PINNED);
  p->next = pinned_list;
  pinned_list = p;
  lock_release(LOCK_PINNED);
}

int gpu_pin(const gpu_vendor *v, size_t bytes, void **host) {
  pinned *p = calloc(1, sizeof *p);
  if (!p) return ERR_MEMORY;
  gpu_lock(v->first);
  free_unused(unused_bytes > MOST_UNUSED);
  p->index = v->first;
  p->bytes = (bytes + PAGE - 1) / PAGE * PAGE + (bytes ? 0 : PAGE);
  p->ptr = aligned_alloc(PAGE, p->bytes);
  int st = p->ptr ? lock_pages(p) : ERR_MEMORY;
  if (st == OK) add_block(p);
  gpu_unlock();
  if (st == OK) {
    *host = p->ptr;
    return OK;
  }
  free(p->ptr);
  free(p);
  return st;
}

/* ---- copies ---- */

/* Sets *found to the record of the copies from p that the current stream of g queues. */
static int find_sending(gpu *g, pinned *p, sending **found) {
  sending *s = p->sendings;
  while (s && (s->index != g->index || s->stream != gpu_current(g))) s = s->next;
  *found = s;
  if (s) return OK;
  s = calloc(1, sizeof *s);
  if (!s) return ERR_MEMORY;
  *s = (sending){.index = g->index, .stream = gpu_current(g), .next = p->sendings};
  int st = gpu_check(g, g->driver->event_create(&s->event, EVENT_NO_TIMING), "making an event");
  if (st == OK) *found = p->sendings = s;
  else free(s);
  return st;
}

int gpu_send_later(gpu *g, void *to, const void *host, size_t bytes) {
  const gpu_driver *d = g->driver;
  sending *s;
  free_unused(false);
  int st = find_sending(g, find_locked(host, bytes), &s);
  if (st == OK) st = gpu_check(g, d->copy_in((gpu_address)(uintptr_t)to, host, bytes, g->stream), "copy to the device");
  if (st != OK) return st;
  st = gpu_check(g, d->event_record(s->event, g->stream), "recording an event");
  if (st == OK) s->open = true;
  else d->stream_sync(g->stream);
  return st;
}

void gpu_finish_copies(void *host) {
  pinned *p = find(host);
  gpu_lock(p->index);
  are_done(p, true);
  gpu_unlock();
}
