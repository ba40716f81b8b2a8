#include "base/account.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/lock.h"

static storage *listed;                   /* list of the live storages of at least LARGE_STORAGE bytes */
enum { INDICES = 256 };                   /* upper bound of the number of devices of a kind */
static atomic_size_t live_count[DEVICE_KINDS][INDICES];
static atomic_long fail_in, fail_times;   /* for specs: the number of allocations until the first failure, and the
                                          ** number of failures that remain */

void storage_fail_after(long n, long times) {
  atomic_store(&fail_in, n);
  atomic_store(&fail_times, n > 0 ? times : 0);
}

/* True if a spec makes this allocation fail. */
static bool fails_now(void) {
  if (atomic_load_explicit(&fail_times, memory_order_relaxed) == 0) return false;
  if (atomic_fetch_sub(&fail_in, 1) > 1) return false;
  atomic_fetch_sub(&fail_times, 1);
  return true;
}

/* Returns the counter of live storages at this place. */
static atomic_size_t *live_at(place where) {
  return &live_count[device_number(where.device)][where.index];
}

static void list_add(storage *s) {
  lock_take(LOCK_STORAGES);
  s->next = listed;
  if (listed) listed->prev = s;
  listed = s;
  lock_release(LOCK_STORAGES);
}

static void list_remove(storage *s) {
  lock_take(LOCK_STORAGES);
  if (s->prev) s->prev->next = s->next; else listed = s->next;
  if (s->next) s->next->prev = s->prev;
  lock_release(LOCK_STORAGES);
}

int storage_wrap(place where, void *ptr, size_t bytes, void (*release)(storage *), void *owner, storage **s) {
  storage *made = fails_now() ? NULL : malloc(sizeof *made);
  if (!made) return ERR_MEMORY;
  *made = (storage){.place = where, .ptr = ptr, .bytes = bytes, .refs = 1, .epoch = place_epoch(where), .release = release,
                    .owner = owner};
  if (bytes >= LARGE_STORAGE) list_add(made);
  atomic_fetch_add_explicit(live_at(where), 1, memory_order_relaxed);
  *s = made;
  return OK;
}

/* ---- captured graphs ---- */

_Thread_local FAST_TLS unsigned storage_capture;
_Thread_local FAST_TLS storage_holdings *storage_holder, *storage_writes;

void storage_hold(storage_holdings *h, storage *s) {
  if (s->capture == storage_capture || !place_equal(s->place, h->where)) return;
  for (size_t k = h->count; k-- > 0;)
    if (h->list[k] == s) return;
  storage **list = list_with_room(h->list, h->count, &h->capacity, sizeof(storage *));
  if (!list) {
    h->failed = true;
    return;
  }
  h->list = list;
  h->list[h->count++] = s;
  storage_retain(s);
  s->kept++;
  s->held++;
}

void storage_settle(storage *s) {
  s->copying = false;
  s->pinned->finish_copies(s->ptr);
}

void storage_release_all(storage_holdings *h) {
  for (size_t k = 0; k < h->count; k++) {
    h->list[k]->kept--;
    h->list[k]->held--;
    storage_drop(h->list[k]);
  }
  free(h->list);
  *h = (storage_holdings){.where = h->where};
}

/* ---- allocating ---- */

int storage_new(place where, size_t bytes, storage **s) {
  void *ptr = NULL;
  int st = where.device->alloc(where.index, bytes, &ptr);
  if (st != OK) return st;
  st = storage_wrap(where, ptr, bytes, NULL, NULL, s);
  if (st != OK) where.device->free(where.index, ptr, bytes);
  else (*s)->capture = storage_capture;
  return st;
}

int storage_new_later(place where, size_t bytes, account *a, storage **s) {
  int st = storage_wrap(where, NULL, bytes, NULL, a, s);
  if (st == OK) (*s)->epoch = EPOCH_PENDING;
  return st;
}

int storage_provide(storage *s) {
  if (fails_now()) return ERR_MEMORY;
  int st = s->place.device->alloc(s->place.index, s->bytes, &s->ptr);
  if (st == OK && s->owner) account_charge(s->owner, s);
  if (st == OK) s->owner = NULL;
  if (st == OK) s->capture = storage_capture;
  return st;
}

void storage_retain(storage *s) { atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed); }

/* Drops a reference. Returns true if the reference was the last one. A sole owner needs no atomic
** read-modify-write. */
static bool is_last(storage *s) {
  return storage_is_sole(s) || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) == 1;
}

static void end_storage(storage *s) {
  if (s->bytes >= LARGE_STORAGE) list_remove(s);
  if (s->release) s->release(s);
  else if (!storage_is_pending(s) && !storage_is_lost(s)) s->place.device->free(s->place.index, s->ptr, s->bytes);
  atomic_fetch_sub_explicit(live_at(s->place), 1, memory_order_relaxed);
  free(s->origin);
  free(s);
}

void storage_drop(storage *s) {
  if (!is_last(s)) return;
  if (s->account) {
    s->account->charged -= s->bytes;
    s->account->count--;
  }
  end_storage(s);
}

/* Increases returned_count last, because the account may be freed as soon as this count is complete. */
void storage_drop_elsewhere(storage *s) {
  if (!is_last(s)) return;
  account *a = s->account;
  size_t bytes = s->bytes;
  end_storage(s);
  if (!a) return;
  atomic_fetch_add_explicit(&a->returned, bytes, memory_order_relaxed);
  atomic_fetch_add_explicit(&a->returned_count, 1, memory_order_release);
}

void storage_count(place where, storage_census *census) {
  *census = (storage_census){.count = atomic_load(live_at(where))};
  lock_take(LOCK_STORAGES);
  for (const storage *s = listed; s; s = s->next) {
    if (!place_equal(s->place, where) || s->bytes <= census->largest) continue;
    census->largest = s->bytes;
    snprintf(census->origin, sizeof census->origin, "%s", s->origin ? s->origin : "");
  }
  lock_release(LOCK_STORAGES);
}
