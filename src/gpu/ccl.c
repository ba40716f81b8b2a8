/* The engine "nccl": exchanges between the GPUs of several processes by NCCL or RCCL.
**
** An exchange is queued on the current stream, so the host waits for nothing. If the caller computes meanwhile (`later`), it
** is queued on a stream of the group; gpu_reads and gpu_writes order this stream and the others. A process that has ended
** would let the streams of the others wait for ever. So waits for a device ask the library and the meeting about the other
** processes (await), and give the communicator up if one has ended. */

#include <stdio.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/system.h"
#include "distributed/distributed.h"
#include "distributed/meeting.h"
#include "gpu/stream.h"

typedef struct communicator {
  ccl_handle handle;                   /* NULL after it was given up */
  group     *g;
  int        index;                    /* the device */
  int        own, last;                /* numbers of streams: that of later exchanges, or -1, and that of the last exchange */
  gpu_event  done;                     /* recorded after the last exchange */
  bool       open;                     /* the last exchange may not be done */
  bool       captured;                 /* a graph has exchanges of this communicator */
  double     since;                    /* when another process was first known to have ended, or 0 */
  char       failure[GPU_REASON];      /* why it was given up */
  struct communicator *next;
} communicator;

static communicator *list[MAX_GPUS];   /* the communicators of each GPU */
static int own = -1;                   /* the GPU of this process */

/* ---- the library ---- */

/* Returns the vendor whose GPUs take part: the first that has one. */
static gpu_vendor *vendor_here(void) { return gpu_count(&gpu_nvidia) == 0 && gpu_count(&gpu_amd) > 0 ? &gpu_amd : &gpu_nvidia; }

static bool find(const char **text, char *reason) {
  static char version[32];
  gpu_vendor *v = vendor_here();
  if (gpu_count(v) > 0 && gpu_get_ccl(v)) {
    snprintf(version, sizeof version, "%s %d.%d", v->names[GPU_CCL], v->versions.ccl[0], v->versions.ccl[1]);
    *text = version;
    return true;
  }
  const char *why = gpu_count(v) > 0 ? gpu_reason(v, GPU_CCL) : gpu_why_none(v);
  snprintf(reason, ENGINE_REASON, "%s not found: %s", v->names[GPU_CCL], why);
  return false;
}

static int check_start(gpu *g, ccl_result r) {
  if (r == CCL_SUCCESS) return OK;
  return gpu_fail(g, "%s does not start: %s", g->vendor->names[GPU_CCL], gpu_get_ccl(g->vendor)->error_text(r));
}

/* Copies the message of a failure. */
static bool succeeds(int st, int index, char *reason) {
  if (st == ERR_DEVICE || st == ERR_LATE) gpu_explain(index, reason, ENGINE_REASON);
  else if (st == ERR_CANCELLED) snprintf(reason, ENGINE_REASON, "interrupted");
  else if (st == ERR_CAPTURE) snprintf(reason, ENGINE_REASON, "not while a graph is captured");
  else if (st != OK) snprintf(reason, ENGINE_REASON, "out of memory on the GPU");
  return st == OK;
}

static bool is_closed(char *reason) {
  snprintf(reason, ENGINE_REASON, "the device was closed, so its groups have ended");
  return false;
}

/* ---- waiting ---- */

/* Gives a communicator up, which ends its exchanges on the device. Their results are undefined. Returns ERR_DEVICE. */
static int give_up(gpu *g, communicator *c, const char *why) {
  snprintf(c->failure, sizeof c->failure, "%s: %s", g->vendor->names[GPU_CCL], why);
  if (c->handle) gpu_get_ccl(g->vendor)->give_up(c->handle);
  c->handle = NULL;
  c->open = c->captured = false;
  return gpu_fail(g, "%s", c->failure);
}

/* Returns the rank of the process of the group that has ended first, or -1. Others may have ended because of it. */
static int ended_rank(const group *g) { return meeting_first_ended(g->members, g->size); }

enum { GRACE = 2 };                    /* seconds */

/* True if the error may come from another process that has ended. */
static bool is_remote(ccl_result r) { return r == CCL_SYSTEM_ERROR || r == CCL_REMOTE_ERROR; }

/* Gives the communicator up because of an error of the library, or because a process has ended. The news of its end may come
** later than the error. */
static int explain(gpu *g, communicator *c, ccl_result r) {
  double end = system_clock() + GRACE;
  char why[GPU_REASON] = "";
  int ended;
  while ((ended = ended_rank(c->g)) < 0 && is_remote(r) && system_clock() < end && !cancel_due()) system_sleep(0.01);
  int n = r == CCL_SUCCESS ? 0 : snprintf(why, sizeof why, "%s", gpu_get_ccl(g->vendor)->error_text(r));
  if (ended >= 0) snprintf(why + n, sizeof why - (size_t)n, "%srank %d of %d has ended", n ? "; " : "", ended, c->g->size);
  return give_up(g, c, why);
}

/* Gives the communicator up if its exchange cannot end. A process that has ended may have done its part before, so the
** exchange may go on for a while. */
static int look(gpu *g, communicator *c) {
  ccl_result r = CCL_SUCCESS;
  if (!c->open || g->driver->event_query(c->done) != GPU_NOT_READY) {
    c->open = false;
    c->since = 0;
    return OK;
  }
  gpu_get_ccl(g->vendor)->async_error(c->handle, &r);
  if (r == CCL_IN_PROGRESS) r = CCL_SUCCESS;
  bool waits = is_remote(r) || (r == CCL_SUCCESS && ended_rank(c->g) >= 0);
  if (waits && c->since == 0.0) c->since = system_clock();
  if (waits ? system_clock() - c->since < GRACE : r == CCL_SUCCESS) return OK;
  return explain(g, c, r);
}

/* Gives up all communicators of the device whose exchanges are not done. */
static int cancel(gpu *g, const char *why) {
  for (communicator *c = list[g->index]; c; c = c->next)
    if (look(g, c) == OK && c->open) give_up(g, c, why);
  return ERR_CANCELLED;
}

/* Waits with growing naps until the stream or the event is done, or an exchange has failed. */
static int await_one(gpu *g, gpu_stream s, gpu_event e) {
  enum { SPINS = 100, LONGEST = 1000 /* microseconds */ };
  const gpu_driver *d = g->driver;
  for (int n = 0; (e ? d->event_query(e) : d->stream_query(s)) == GPU_NOT_READY; n++) {
    for (communicator *c = list[g->index]; c; c = c->next) {
      int st = look(g, c);
      if (st != OK) return st;
    }
    if (cancel_due()) return cancel(g, "an exchange was interrupted");
    if (n > SPINS) system_sleep(1e-6 * (n < LONGEST ? n : LONGEST));
  }
  return OK;
}

static int await(gpu *g, gpu_stream s, gpu_event e) {
  int st = OK;
  if (s || e) return await_one(g, s, e);
  for (int k = 0; st == OK && k < gpu_stream_count(g); k++) st = await_one(g, gpu_queue_of(g, k)->stream, NULL);
  return st;
}

static void replayed(gpu *g) {
  for (communicator *c = list[g->index]; c; c = c->next) {
    if (!c->captured) continue;
    c->open = g->driver->event_record(c->done, g->stream) == GPU_SUCCESS;
    c->last = gpu_current(g);
  }
}

static const struct gpu_exchanges calls = {await, replayed};

void gpu_ccl_close(gpu *g) {
  for (communicator *c = list[g->index], *next; c; c = next) {
    next = c->next;
    look(g, c);
    if (c->handle && c->open) gpu_get_ccl(g->vendor)->give_up(c->handle);
    else if (c->handle) gpu_get_ccl(g->vendor)->destroy(c->handle);
    g->driver->event_destroy(c->done);
    c->g->handle = 0;
    free(c);
  }
  list[g->index] = NULL;
  g->exchanges = NULL;
}

/* ---- communicators ---- */

/* Makes the communicator of a group on a device. All its processes must call this. */
static int make(int index, group *made, ccl_id id) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  communicator *c = g->capturing ? NULL : calloc(1, sizeof *c);
  if (!c) return gpu_leave(g, g->capturing ? ERR_CAPTURE : ERR_MEMORY);
  *c = (communicator){.g = made, .index = index, .own = -1, .next = list[index]};
  st = gpu_check(g, g->driver->event_create(&c->done, EVENT_NO_TIMING), "making an event");
  if (st == OK) st = check_start(g, gpu_get_ccl(g->vendor)->start(&c->handle, made->size, id, made->rank));
  if (st != OK) {
    if (c->done) g->driver->event_destroy(c->done);
    free(c);
    return gpu_leave(g, st);
  }
  gpu_close_first();                   /* the library loads the vendor's runtime: see fft.c */
  list[index] = c;
  g->exchanges = &calls;
  made->handle = (intptr_t)c;
  return gpu_leave(g, OK);
}

static int make_id(int index, ccl_id *id) {
  gpu *g;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, check_start(g, gpu_get_ccl(g->vendor)->make_id(id))) : st;
}

/* Deals the GPUs by the local rank. */
static int choose_gpu(int local_rank) { return own = vendor_here()->first + local_rank % gpu_count(vendor_here()); }

static bool can_join(int local_size) {
  const char *version;
  char reason[ENGINE_REASON];
  return find(&version, reason) && gpu_count(vendor_here()) >= local_size;
}

static bool invite(int local_rank, char *id, char *reason) {
  int index = choose_gpu(local_rank);
  return succeeds(make_id(index, (ccl_id *)id), index, reason);
}

static bool join(group *made, int local_rank, const char *id, char *reason) {
  int index = choose_gpu(local_rank);
  return succeeds(make(index, made, *(const ccl_id *)id), index, reason);
}

static bool start(group *world, int *local_rank, int *local_size, char *reason) {
  const char *version;
  meeting m;
  char id[ENGINE_ID] = {0};
  if (!find(&version, reason) || !meeting_read(&m, reason, ENGINE_REASON)) return false;
  if (m.rank == 0 && !invite(m.local_rank, id, reason)) return false;
  if (!meeting_hold(&m, id, sizeof id, reason, ENGINE_REASON)) return false;
  world->rank = m.rank;
  world->size = m.size;
  *local_rank = m.local_rank;
  *local_size = m.local_size;
  if (join(world, m.local_rank, id, reason)) return true;
  meeting_leave();
  return false;
}

/* ---- exchanges ---- */

static int type_of(enum dtype d) {
  switch (d) {
    case DT_int8: return CCL_INT8;
    case DT_uint8: case DT_bool: return CCL_UINT8;
    case DT_int32: return CCL_INT32;
    case DT_uint32: return CCL_UINT32;
    case DT_int64: return CCL_INT64;
    case DT_uint64: return CCL_UINT64;
    case DT_float16: return CCL_FLOAT16;
    case DT_bfloat16: return CCL_BFLOAT16;
    case DT_float32: return CCL_FLOAT32;
    case DT_float64: return CCL_FLOAT64;
    default: return -1;
  }
}

static bool reduces(enum dtype d) { return type_of(d) >= 0; }

/* Queues an exchange on the current stream. Elements that are only moved are counted as bytes, and the sum of truth values
** is their maximum. */
static ccl_result queue(const gpu *g, const communicator *c, const exchange *x) {
  const gpu_ccl *ccl = gpu_get_ccl(g->vendor);
  bool sums = x->kind == EXCHANGE_SUM || x->kind == EXCHANGE_MAX || x->kind == EXCHANGE_SCATTER;
  size_t n = (size_t)x->count * (sums ? 1 : dtypes[x->dtype].size);
  ccl_type type = (ccl_type)(sums ? type_of(x->dtype) : CCL_UINT8);
  ccl_op op = (ccl_op)(x->kind == EXCHANGE_MAX || x->dtype == DT_bool ? CCL_MAX : CCL_SUM);
  switch (x->kind) {
    case EXCHANGE_SUM:
    case EXCHANGE_MAX: return ccl->all_reduce(x->from, x->to, n, type, op, c->handle, g->stream);
    case EXCHANGE_GATHER: return ccl->all_gather(x->from, x->to, n, type, c->handle, g->stream);
    case EXCHANGE_SCATTER: return ccl->reduce_scatter(x->from, x->to, n, type, op, c->handle, g->stream);
    case EXCHANGE_BROADCAST: return ccl->broadcast(x->to, x->to, n, type, x->peer, c->handle, g->stream);
    case EXCHANGE_SEND: return ccl->send(x->from, n, type, x->peer, c->handle, g->stream);
    default: return ccl->receive(x->to, n, type, x->peer, c->handle, g->stream);
  }
}

/* Makes the stream of the exchange current: the group's own stream for an exchange during which the caller computes. Makes
** it wait for the communicator's last exchange, because exchanges of a communicator must not overlap. */
static int choose_stream(gpu *g, communicator *c, bool later) {
  if (g->capturing) return OK;
  int st = later && c->own < 0 ? gpu_stream_add(g, &c->own) : OK;
  if (st == ERR_OVERFLOW) later = false, st = OK;        /* there are too many streams */
  if (st != OK) return st;
  if (later) {
    gpu_queue_of(g, c->own)->holders = 1;
    gpu_stream_use(g, c->own);
  }
  gpu_follow(g, gpu_current(g), c->last);
  c->last = gpu_current(g);
  return g->dead ? ERR_DEVICE : OK;
}

static int add(gpu *g, communicator *c, const exchange *x) {
  int before = gpu_current(g);
  int st = c->failure[0] ? gpu_fail(g, "%s", c->failure) : OK;
  if (st == OK) st = choose_stream(g, c, x->later);
  if (st == OK) {
    gpu_reads(g, x->from);
    gpu_writes(g, x->to);
    ccl_result r = queue(g, c, x);
    if (r != CCL_SUCCESS) st = explain(g, c, r);
  }
  if (st == OK && g->capturing) c->captured = true;
  else if (st == OK) {
    st = gpu_check(g, g->driver->event_record(c->done, g->stream), "recording an event");
    c->open = st == OK;
  }
  if (!g->capturing) gpu_stream_use(g, before);
  return st;
}

/* Gathers `bytes` bytes of the host of each process. Waits until they have come. */
static int gather(gpu *g, communicator *c, const void *mine, size_t bytes, void *all) {
  size_t n = (size_t)c->g->size * bytes;
  char *block;
  int st = gpu_scratch(g, n + bytes, (void **)&block);
  if (st != OK) return st;
  const exchange x = {.kind = EXCHANGE_GATHER, .dtype = DT_uint8, .from = block + n, .to = block, .count = (int64_t)bytes};
  st = gpu_copy_in(g->index, block + n, mine, bytes);
  if (st == OK) st = add(g, c, &x);
  if (st == OK) st = gpu_copy_out(g->index, all, block, n);
  gpu_scratch_free(g, block, n + bytes);
  return st;
}

/* The exchange is done, for the host, when it is queued. A barrier gathers a byte, for which the host waits. */
static bool begin(group *made, const exchange *x, void **request, char *reason) {
  communicator *c = (communicator *)made->handle;
  gpu *g;
  *request = NULL;
  if (!c) return is_closed(reason);
  char byte = 0, *bytes = x->kind == EXCHANGE_BARRIER ? malloc((size_t)made->size) : &byte;
  int st = bytes ? gpu_enter(c->index, &g) : ERR_MEMORY;
  if (st == OK) {
    if (x->kind == EXCHANGE_BARRIER) st = gather(g, c, &byte, 1, bytes);
    else if (x->count > 0) st = add(g, c, x);
    gpu_leave(g, st);
  }
  if (bytes != &byte) free(bytes);
  return succeeds(st, c->index, reason);
}

static bool test(group *g, void *request, bool *done, char *reason) {
  (void)g; (void)request; (void)reason;
  *done = true;
  return true;
}

/* ---- groups of a group ---- */

typedef struct card { int colour, key; } card;

/* Lists the processes of one colour in the order of their keys, and of their ranks if the keys are equal. */
static int sort_members(const card *cards, int size, int colour, int *members) {
  int n = 0;
  for (int k = 0; k < size; k++) {
    if (cards[k].colour != colour) continue;
    int at = n++;
    for (; at > 0 && cards[members[at - 1]].key > cards[k].key; at--) members[at] = members[at - 1];
    members[at] = k;
  }
  return n;
}

/* The first process of each new group makes the group's id, which the others learn by a second gathering. All versions of
** the library can do this; only new ones have ncclCommSplit. */
static int split_locked(gpu *g, communicator *c, card mine, group *made, card *cards, ccl_id *ids) {
  const group *all = c->g;
  ccl_id id = {{0}};
  int st = gather(g, c, &mine, sizeof mine, cards);
  if (st != OK) return st;
  made->size = mine.colour < 0 ? 0 : sort_members(cards, all->size, mine.colour, made->members);
  if (made->size > 0 && made->members[0] == all->rank) st = make_id(g->index, &id);
  if (st == OK) st = gather(g, c, &id, sizeof id, ids);
  if (st != OK || made->size == 0) return st;
  id = ids[made->members[0]];
  for (int k = 0; k < made->size; k++) {
    if (made->members[k] == all->rank) made->rank = k;
    if (all->members) made->members[k] = all->members[made->members[k]];
  }
  return make(g->index, made, id);
}

static bool split(const group *all, int colour, int key, group *made, char *reason) {
  communicator *c = (communicator *)all->handle;
  gpu *g;
  if (!c) return is_closed(reason);
  card *cards = malloc((size_t)all->size * sizeof *cards);
  ccl_id *ids = malloc((size_t)all->size * sizeof *ids);
  made->members = malloc((size_t)all->size * sizeof *made->members);
  int st = cards && ids && made->members ? gpu_enter(c->index, &g) : ERR_MEMORY;
  if (st == OK) st = gpu_leave(g, split_locked(g, c, (card){colour, key}, made, cards, ids));
  free(cards);
  free(ids);
  return succeeds(st, c->index, reason);
}

/* Gives all communicators up and closes the connections, so that the other processes see that this one has failed. */
static void stop_all(int code) {
  (void)code;
  for (int k = 0; k < MAX_GPUS; k++) {
    if (!list[k]) continue;
    gpu *g = gpu_lock(k);
    if (!g->dead) cancel(g, "this process has failed");
    gpu_unlock();
  }
  meeting_leave();
}

/* Only the GPU of this process takes part. */
static bool reaches(place where) {
  const gpu_vendor *v = vendor_here();
  return strcmp(where.device->name, v->device) == 0 && where.index == own - v->first;
}

static const char *home(void) {
  const gpu *g = gpu_lock(own);
  gpu_unlock();
  return g->place;
}

const engine nccl_engine = {
  .name = "nccl", .on_stream = true, .find = find, .launched = meeting_is_called, .start = start, .split = split, .reduces = reduces,
  .reaches = reaches, .home = home, .begin = begin, .test = test, .abort = stop_all, .can_join = can_join, .invite = invite,
  .join = join
};
