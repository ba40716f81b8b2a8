#include "base/profile.h"

#include <pthread.h>
#include <string.h>

#include "base/lock.h"
#include "base/system.h"

const char *const profile_names[PROFILE_FAMILIES] = {
#define FAMILY(name, call) [PROFILE_##name] = #name,
#include "families.def"
  [PROFILE_graph] = "graph", [PROFILE_copy_across] = "copy_across", [PROFILE_copy_in] = "copy_in",
  [PROFILE_copy_out] = "copy_out", [PROFILE_wait] = "wait",
};

atomic_int profile_mode_now = PROFILE_OFF;

/* The running profile. Only its own thread changes this struct. */
static struct {
  const void *owner;
  pthread_t   thread;
  double      began;
  profile     result;
} running;

static atomic_bool taken;

static _Thread_local place captured;      /* the device whose calls this thread captures into a graph; device NULL:
                                          ** none */

void profile_capture(place where)  { captured = where; }
void profile_capture_end(void)     { captured.device = NULL; }

/* ---- the span of one call ---- */

profile_span profile_begin(place where) {
  profile_span s = {.mode = (enum profile_mode)atomic_load_explicit(&profile_mode_now, memory_order_acquire)};
  bool counts = s.mode != PROFILE_OFF && pthread_equal(running.thread, pthread_self());
  if (!counts || (captured.device && place_equal(captured, where))) s.mode = PROFILE_OFF;
  else s.began = system_clock();
  return s;
}

double profile_elapsed(const profile_span *s) { return s->mode == PROFILE_OFF ? 0 : system_clock() - s->began; }

int profile_end(profile_span *s, place where, int st) {
  if (s->mode == PROFILE_OFF) return st;
  if (st == OK && s->mode == PROFILE_SERIALISED) st = where.device->sync(where.index);
  s->seconds = system_clock() - s->began;
  if (st != OK) s->mode = PROFILE_OFF;
  return st;
}

void profile_count(const profile_span *s, place where, enum profile_family family, work w) {
  int kind = device_number(where.device);
  profile_row *r = &running.result.row[kind][family][w.dtype + 1];
  running.result.used[kind] |= (uint64_t)1 << (where.index < 63 ? where.index : 63);
  r->calls++;
  r->seconds += s->seconds;
  r->elements += w.elements;
  r->read += w.read;
  r->written += w.written;
  r->flops += w.flops;
}

/* ---- the running profile ---- */

/* Waits for all queued work, so that the first call's time does not include this wait. */
static int drain(place *where) {
  const device *d;
  for (int kind = 0; (d = device_kind(kind)); kind++)
    for (int index = 0; index < d->in_use(); index++) {
      *where = (place){d, index};
      int st = where->device->sync(index);
      if (st != OK) return st;
    }
  return OK;
}

int profile_start(const void *owner, enum profile_mode mode, bool *other, place *where) {
  *other = atomic_exchange(&taken, true);
  if (*other) return OK;
  int st = drain(where);
  if (st != OK) {
    atomic_store(&taken, false);
    return st;
  }
  memset(&running.result, 0, sizeof running.result);
  running.result.mode = mode;
  lock_take(LOCK_PROFILE);
  running.owner = owner;
  running.thread = pthread_self();
  lock_release(LOCK_PROFILE);
  running.began = system_clock();
  atomic_store(&profile_mode_now, (int)mode);
  return OK;
}

bool profile_is_of(const void *owner) {
  lock_take(LOCK_PROFILE);
  bool own = running.owner == owner;
  lock_release(LOCK_PROFILE);
  return own;
}

static bool give_up(const void *owner) {
  lock_take(LOCK_PROFILE);
  bool own = running.owner == owner;
  if (own) running.owner = NULL;
  lock_release(LOCK_PROFILE);
  return own;
}

/* Measures the seconds that profile_begin and profile_count add to a call: the minimum of several tries, because
** other processes may interfere. */
static void measure_cost(profile *t) {
  enum { TRIES = 8, CALLS = 64 };
  place where = host_place();
  profile_row *r = &running.result.row[0][PROFILE_wait][0], kept = *r;
  uint64_t used = running.result.used[0];
  for (int i = 0; i < TRIES; i++) {
    *r = (profile_row){.calls = 0};
    double from = system_clock();
    for (int k = 0; k < CALLS; k++) {
      profile_span s = profile_begin(where);
      s.seconds = profile_elapsed(&s);
      profile_count(&s, where, PROFILE_wait, (work){.dtype = DT_none});
    }
    double all = (system_clock() - from) / CALLS, inside = r->seconds / CALLS;
    if (i == 0 || inside < t->inside) t->inside = inside;
    if (i == 0 || all - inside < t->outside) t->outside = all - inside;
  }
  *r = kept;
  running.result.used[0] = used;
}

bool profile_stop(const void *owner, profile *result) {
  double stopped = system_clock();
  if (!give_up(owner)) return false;
  running.result.seconds = stopped - running.began;
  if (result) measure_cost(&running.result);
  atomic_store(&profile_mode_now, PROFILE_OFF);
  if (result) *result = running.result;
  atomic_store(&taken, false);
  return true;
}
