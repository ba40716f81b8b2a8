/* Keeps the launches of lists, so that a run of an equal list needs only addresses and numbers. Lists are equal if their keys
** are: operations, dtypes, shapes, strides, offsets, which operands share a storage, and which results are wanted. A key has
** no numbers. But numbers of a program that were equal are one constant, so they must be equal again. */

#include "op/deferral/list.h"

#include <stdlib.h>
#include <string.h>

#include "base/dispatch.h"
#include "base/grow.h"

/* ---- making ---- */

/* A block of a schedule's memory. */
typedef struct schedule_block {
  struct schedule_block *next;
  _Alignas(16) char data[];
} schedule_block;

/* Completes the key by the state of the entries: who is wanted, and who has memory. Returns false if the key is incomplete
** or does not describe the list. */
static bool complete_key(deferral *d, int *nkey, uint64_t *hash) {
  if (d->resumed || d->nkey > KEY) return false;
  *nkey = d->nkey;
  *hash = d->hash;
  for (int k = 0; k < d->nentry; k += 64) {
    uint64_t wanted = 0, provided = 0;
    for (int i = 0; i < 64 && k + i < d->nentry; i++) {
      const storage *s = d->entries[k + i].store;
      wanted |= (uint64_t)!storage_is_sole(s) << i;
      provided |= (uint64_t)(s->ptr != NULL) << i;
    }
    d->key[(*nkey)++] = wanted;
    d->key[(*nkey)++] = provided;
    *hash = mix_hash(mix_hash(*hash, wanted), provided);
  }
  return true;
}

/* Copies the key of the list, if the list has a complete key, to the schedule. */
static void copy_key(deferral *d, schedule *s) {
  if (!complete_key(d, &s->nkey, &s->hash)) return;
  size_t bytes = (size_t)s->nkey * sizeof *s->key;
  s->key = malloc(bytes);
  if (s->key) memcpy(s->key, d->key, bytes);
}

schedule *schedule_new(deferral *d) {
  schedule *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->nstep = d->nstep;
  for (int i = 0; i < d->nstep; i++) s->done[i] = NONE;
  copy_key(d, s);
  return s;
}

void schedule_free(schedule *s) {
  for (schedule_block *b = s->blocks, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  free(s->key);
  free(s->launches);
  free(s->addresses);
  free(s->numbers);
  free(s);
}

void *schedule_alloc(schedule *s, size_t bytes) {
  schedule_block *b = malloc(sizeof *b + bytes);
  if (!b) return NULL;
  b->next = s->blocks;
  s->blocks = b;
  s->bytes += sizeof *b + bytes;
  return b->data;
}

void add_address(schedule *s, void **at, int entry, int64_t offset) {
  address_slot *list = list_with_room(s->addresses, s->naddress, &s->address_room, sizeof *list);
  s->failed |= !list;
  if (!list) return;
  s->addresses = list;
  list[s->naddress++] = (address_slot){at, entry, offset};
}

void add_number(schedule *s, scalar *at, int step, int input) {
  number_slot *list = list_with_room(s->numbers, s->nnumber, &s->number_room, sizeof *list);
  s->failed |= !list;
  if (!list) return;
  s->numbers = list;
  size_t first = s->nlaunch ? s->launches[s->nlaunch - 1].numbers : 0;
  while (first < s->nnumber && list[first].at != at) first++;
  list[s->nnumber++] = (number_slot){at, step, input, first};
}

int add_launch(schedule *s, launch l) {
  launch *list = list_with_room(s->launches, s->nlaunch, &s->launch_room, sizeof *list);
  if (list) s->launches = list;
  if (!list || s->failed) return ERR_MEMORY;
  l.addresses = s->naddress;
  l.numbers = s->nnumber;
  list[s->nlaunch++] = l;
  return OK;
}

void truncate_launches(schedule *s, size_t n) {
  s->nlaunch = n;
  s->naddress = n ? s->launches[n - 1].addresses : 0;
  s->nnumber = n ? s->launches[n - 1].numbers : 0;
}

/* ---- keeping ---- */

static const scalar *number_of(const deferral *d, const number_slot *n) { return &d->steps[n->step].in[n->input].number; }

/* True if the numbers that are one constant are equal in the present list. */
static bool has_numbers(const deferral *d, const schedule *s) {
  for (size_t k = 0; k < s->nnumber; k++) {
    const number_slot *n = &s->numbers[k];
    if (n->first != k && !scalar_identical(number_of(d, n), number_of(d, &s->numbers[n->first]))) return false;
  }
  return true;
}

schedule *schedule_find(deferral *d) {
  int nkey;
  uint64_t hash;
  if (!complete_key(d, &nkey, &hash)) return NULL;
  d->searches++;
  for (int k = 0; k < d->nschedule; k++) {
    schedule *s = d->schedules[k];
    if (s->hash != hash || s->nkey != nkey || s->nstep != d->nstep) continue;
    if (memcmp(s->key, d->key, (size_t)nkey * sizeof *d->key) != 0 || !has_numbers(d, s)) continue;
    s->used = d->searches;
    return s;
  }
  return NULL;
}

static void drop_number(deferral *d, int k) {
  d->schedule_bytes -= d->schedules[k]->bytes;
  schedule_free(d->schedules[k]);
  d->schedules[k] = d->schedules[--d->nschedule];
}

void schedule_drop(deferral *d, const schedule *s) {
  int k = 0;
  while (d->schedules[k] != s) k++;
  drop_number(d, k);
}

/* Drops the schedule that was not found for the longest time. */
static void drop_oldest(deferral *d) {
  int oldest = 0;
  for (int k = 1; k < d->nschedule; k++)
    if (d->schedules[k]->used < d->schedules[oldest]->used) oldest = k;
  drop_number(d, oldest);
}

void schedule_keep(deferral *d, schedule *s) {
  s->used = d->searches;
  s->bytes += sizeof *s + (size_t)s->nkey * sizeof *s->key + s->launch_room * sizeof *s->launches +
              s->address_room * sizeof *s->addresses + s->number_room * sizeof *s->numbers;
  if (s->bytes > SCHEDULE_BYTES) {
    schedule_free(s);
    return;
  }
  while (d->nschedule == SCHEDULES || d->schedule_bytes + s->bytes > SCHEDULE_BYTES) drop_oldest(d);
  d->schedules[d->nschedule++] = s;
  d->schedule_bytes += s->bytes;
}

/* ---- running ---- */

/* Sets the addresses and the numbers of launch number k. The memory of local entries is not known here: their address is
** the offset. A donor's memory belongs to its heir already. */
static void bind(const deferral *d, const schedule *s, size_t k) {
  const launch *l = &s->launches[k];
  for (size_t i = k ? l[-1].addresses : 0; i < l->addresses; i++) {
    const address_slot *a = &s->addresses[i];
    const entry *e = &d->entries[a->entry];
    storage *store = e->heir == NONE ? e->store : d->entries[e->heir].store;
    if (store->ptr) storage_touch(store);
    *a->at = (void *)((uintptr_t)store->ptr + (uintptr_t)a->offset);
  }
  for (size_t i = k ? l[-1].numbers : 0; i < l->numbers; i++) *s->numbers[i].at = *number_of(d, &s->numbers[i]);
}

static int run_call(place where, enum tiled_family family, const device_call *call) {
  switch (family) {
    case TILED_map:         return device_map(where, &call->as.map);
    case TILED_elementwise: return device_elementwise(where, &call->as.elementwise);
    case TILED_reduce:      return device_reduce(where, &call->as.reduce);
    case TILED_scan:        return device_scan(where, &call->as.scan);
    default:                return device_softmax(where, &call->as.softmax);
  }
}

int schedule_launch(deferral *d, const schedule *s, size_t k) {
  const launch *l = &s->launches[k];
  const step *blamed = &d->steps[l->blamed];
  blame(d, blamed);
  if (l->kind == LAUNCH_OPAQUE) return run_opaque(d, l->blamed);
  if (l->kind == LAUNCH_PROVIDE) return provide_memory(d, l->entry, l->donor);
  if (l->kind == LAUNCH_DISCARD) discard_memory(d, l->entry);
  if (l->kind == LAUNCH_DISCARD) return OK;
  bind(d, s, k);
  return l->kind == LAUNCH_TILED ? device_tiled(blamed->where, l->call) : run_call(blamed->where, l->family, l->call);
}

void schedule_undo(deferral *d, const schedule *s, size_t k) {
  while (k > 0 && s->launches[k - 1].kind == LAUNCH_PROVIDE) {
    const launch *l = &s->launches[--k];
    if (d->entries[l->entry].store->ptr) return_memory(d, l->entry, l->donor);
  }
}
