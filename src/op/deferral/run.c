/* Runs the list of a deferral: allocates memory for results, and calls the device for each group. */

#include "op/deferral/list.h"

#include <string.h>

#include "base/account.h"
#include "base/dispatch.h"

/* Allocates the memory of all results that are stored. */
static int provide(deferral *d) {
  for (int i = 0; i < d->nstep; i++) {
    const step *s = &d->steps[i];
    storage *store = d->entries[s->out.entry].store;
    if (!s->needed || !s->stored || store->ptr || d->entries[s->out.entry].local) continue;
    blame(d, s);
    int st = storage_provide(store);
    if (st != OK) return st;
  }
  return OK;
}

/* Runs one step as the op would have run at once. */
static int run_step(deferral *d, const step *s) {
  const group alone = {.first = (int)(s - d->steps), .last = (int)(s - d->steps)};
  lowering l;
  device_call call;
  lower_group(d, &alone, NULL, &l);
  lower_call(d, &l, NULL, NULL, &call);
  return run_call(s->where, l.family, &call);
}

/* Runs a group whose inputs are joined from pieces, region by region. */
static int run_regions(const deferral *d, const lowering *l, device_call *call) {
  region r;
  int st = OK;
  first_region(d, l->group, &r);
  do {
    lower_call(d, l, NULL, &r, call);
    st = run_call(d->steps[l->group->first].where, l->family, call);
  } while (st == OK && next_region(d, l->group, &r));
  return st;
}

/* Makes the tensors that are joined from pieces and that the group reads. */
static int join_pieces(deferral *d, const group *g) {
  int st = OK;
  for (int k = 0; k < g->nin; k++) {
    entry *e = &d->entries[g->in[k]->entry];
    if (e->piece != NONE && !e->store->ptr) st = storage_provide(e->store);
    for (int i = e->piece; st == OK && i != NONE; i = d->steps[i].next) {
      st = run_step(d, &d->steps[i]);
      if (st == OK) d->steps[i].done = true;
    }
    if (st != OK) return st;
    e->piece = NONE;
  }
  return OK;
}

/* True if the group reads what it writes. If memory is exhausted after some of its regions, it cannot be repeated. */
static bool updates(const deferral *d, const group *g) {
  for (int i = g->first; i != NONE; i = d->steps[i].next)
    for (int k = 0; k < g->nin; k++)
      if (d->steps[i].stored && d->steps[i].out.entry == g->in[k]->entry) return true;
  return false;
}

/* Runs the steps of a group one by one, because the device cannot compute their program. Results that only other steps of
** the group read need memory, too. */
static int run_singly(deferral *d, const group *g) {
  for (int i = g->first; i != NONE; i = d->steps[i].next) d->steps[i].stored = true;
  int st = provide(d);
  if (st == OK) st = join_pieces(d, g);
  for (int i = g->first; st == OK && i != NONE; i = d->steps[i].next) {
    blame(d, &d->steps[i]);
    st = run_step(d, &d->steps[i]);
    d->counts.singles++;
    if (st == OK) d->steps[i].done = true;
  }
  return st;
}

static void finish_group(deferral *d, const group *g) {
  for (int i = g->first; i != NONE; i = d->steps[i].next) {
    d->steps[i].done = true;
    d->counts.stored += d->steps[i].stored && !d->entries[d->steps[i].out.entry].local;
  }
}

static int run_group(deferral *d, const group *g) {
  lowering l;
  device_call call;
  blame(d, &d->steps[g->last]);
  int st = lower_group(d, g, &d->program[0], &l);
  if (st == OK && has_pieces(d, g) && updates(d, g)) st = join_pieces(d, g);
  if (st == OK && has_pieces(d, g)) {
    st = run_regions(d, &l, &call);
  } else if (st == OK) {
    lower_call(d, &l, NULL, NULL, &call);
    st = run_call(d->steps[g->first].where, l.family, &call);
  }
  if (st == ERR_NO_KERNEL && g->first != g->last) return run_singly(d, g);
  if (st != OK) return st;
  if (g->first == g->last) d->counts.singles++; else d->counts.programs++;
  finish_group(d, g);
  return OK;
}

/* The copies of pieces are done without having run. */
static void finish_pieces(deferral *d) {
  for (int k = 0; k < d->nentry; k++)
    for (int i = d->entries[k].piece; i != NONE; i = d->steps[i].next) d->steps[i].done = true;
}

/* ---- tiles ---- */

/* Reserves scratch memory for the local results of groups first … last. Stores the address of each local entry in
** scratch[entry], and returns the bytes of one tile. */
static int64_t reserve(const deferral *d, int first, int last, int64_t rows, int64_t tile, int64_t scratch[]) {
  int64_t bytes = 0;
  for (int g = first; g <= last; g++)
    for (int i = d->groups[g].first; i != NONE; i = d->steps[i].next) {
      int k = d->steps[i].out.entry;
      if (!d->entries[k].local || !d->steps[i].stored) continue;
      scratch[k] = bytes;
      bytes += ((int64_t)d->entries[k].store->bytes / rows * tile + 63) / 64 * 64;
    }
  return bytes;
}

/* Runs groups first … last tile by tile. */
static int run_tiles(deferral *d, int first, int last) {
  int64_t rows = d->groups[first].rows, *scratch = d->scratch;
  place where = d->steps[d->groups[first].first].where;
  int64_t tile = most_of(1, where.device->tile_bytes / most_of(1, tile_row_bytes(d, first, last, rows)));
  int64_t tiles = (rows + tile - 1) / tile;
  tiled_call c = {.nparts = 1 + last - first, .rows = rows};
  c.tile = tile = (rows + tiles - 1) / tiles;
  c.scratch = (size_t)reserve(d, first, last, rows, tile, scratch);
  for (int k = 0; k < c.nparts; k++) {
    const group *g = &d->groups[first + k];
    lowering l;
    int st = lower_group(d, g, &d->program[k], &l);
    if (st != OK) return st;
    device_call *call = d->calls[k];
    lower_operands(d, &l, rows, scratch, &c.part[k]);
    lower_call(d, &l, NULL, NULL, &call[TILED_WHOLE]);
    lower_call(d, &l, &(cut){rows, tile}, NULL, &call[TILED_FULL]);
    if (rows % tile) lower_call(d, &l, &(cut){rows, rows % tile}, NULL, &call[TILED_LAST]);
    for (int size = 0; size < TILED_SIZES; size++) c.part[k].call[size] = &call[size].as;
  }
  blame(d, &d->steps[d->groups[last].last]);
  return device_tiled(where, &c);
}

/* Runs the group `first`, or the groups that are computed tile by tile with it. Returns their last in *last. */
static int run_next(deferral *d, int first, int *last) {
  *last = d->groups[first].tile_end;
  if (*last == first) return run_group(d, &d->groups[first]);
  int st = run_tiles(d, first, *last);
  if (st == OK) {
    d->counts.programs++;
    for (int g = first; g <= *last; g++) finish_group(d, &d->groups[g]);
    return OK;
  }
  if (st != ERR_NO_KERNEL) return st;
  for (int k = 0; k < d->nentry; k++) d->entries[k].local &= d->entries[k].first < first || d->entries[k].first > *last;
  st = provide(d);
  for (int g = first; st == OK && g <= *last; g++) st = run_group(d, &d->groups[g]);
  return st;
}

/* Gives a storage back to its users. A result that was not computed or not stored is lost. */
static void release(const entry *e) {
  storage *s = e->store;
  s->epoch = e->epoch;
  if (e->fresh && (e->lost || !s->ptr)) {
    if (s->ptr) s->place.device->free(s->place.index, s->ptr, s->bytes);
    s->ptr = NULL;
    s->epoch = EPOCH_FAILED;
  }
  s->kept--;
  storage_drop(s);
}

void deferral_drop(deferral *d) {
  for (int i = 0; i < d->nstep; i++) {
    d->counts.dropped += !d->steps[i].done;
    if (!d->steps[i].done) d->entries[d->steps[i].out.entry].lost = true;
  }
  memset(d->slot, 0, sizeof d->slot);
  int n = d->nentry;
  d->nstep = d->nentry = 0;
  for (int k = 0; k < n; k++) release(&d->entries[k]);
}

int deferral_run(deferral *d) {
  if (d->nstep == 0) return OK;
  if (d->running || this_operation.inside) return ERR_BUSY;
  d->running = true;
  find_needed(d);
  find_pieces(d);
  make_groups(d);
  make_tiles(d);
  int st = provide(d);
  for (int k = 0; st == OK && k < d->ngroup; k++) st = run_next(d, k, &k);
  if (st == OK) finish_pieces(d);
  d->running = false;
  if (st != ERR_MEMORY) deferral_drop(d);
  return st;
}

/* True if the storage has memory, or gets memory within the limit of its state. */
static bool has_memory(storage *s) {
  const account *a = s->owner;
  return s->ptr || ((!a || account_allows(a, s->bytes)) && storage_provide(s) == OK);
}

void deferral_salvage(deferral *d) {
  if (this_operation.inside) return;
  d->running = true;
  find_needed(d);
  for (int i = 0; i < d->nstep; i++) {
    step *s = &d->steps[i];
    if (!s->needed) continue;
    if (!has_memory(d->entries[s->out.entry].store) || run_step(d, s) != OK) break;
    s->done = true;
    d->counts.singles++;
    d->counts.stored++;
  }
  d->running = false;
}
