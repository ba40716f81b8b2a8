/* Runs the list of a deferral: allocates memory for results, and calls the device for each group. */

#include "op/deferral/list.h"

#include <string.h>

#include "base/account.h"
#include "base/dispatch.h"

/* Appends a launch to the schedule and runs it. */
static int launch_now(deferral *d, schedule *to, launch l) {
  int st = add_launch(to, l);
  return st == OK ? schedule_launch(d, to, to->nlaunch - 1) : st;
}

/* ---- memory ---- */

static int provide_entry(deferral *d, schedule *to, int entry, int blamed) {
  return launch_now(d, to, (launch){.kind = LAUNCH_PROVIDE, .entry = entry, .donor = d->entries[entry].donor, .blamed = blamed});
}

/* Provides the memory of all stored results of a group. */
static int provide(deferral *d, schedule *to, const group *g) {
  int st = OK;
  for (int i = g->first; st == OK && i != NONE; i = d->steps[i].next) {
    const step *s = &d->steps[i];
    const operand_view *out;
    for (int r = 0; st == OK && s->stored && (out = result_of(s, r)); r++) {
      const entry *e = out->entry == NONE ? NULL : &d->entries[out->entry];
      if (e && !e->store->ptr && !e->local) st = provide_entry(d, to, out->entry, i);
    }
  }
  return st;
}

/* Removes the launches from number `before` on, which belong to groups that failed, and undoes those that provided memory. */
static void undo(deferral *d, schedule *to, size_t before) {
  for (size_t k = before; k < to->nlaunch; k++) {
    const launch *l = &to->launches[k];
    if (l->kind == LAUNCH_PROVIDE && d->entries[l->entry].store->ptr) return_memory(d, l->entry, l->donor);
  }
  truncate_launches(to, before);
}

/* Frees the memory that nobody uses after group `last`: of all entries that this group uses. */
static int discard(deferral *d, schedule *to, int last) {
  access list[MAX_OPERANDS];
  int st = OK;
  for (int k = 0, n = group_operands(d, &d->groups[last], list); st == OK && k < n; k++) {
    const operand_view *sources[PIECES];
    for (int i = 0, end = view_sources(d, list[k].view, sources); st == OK && i < end; i++)
      if (ends_with(&d->entries[sources[i]->entry], last))
        st = launch_now(d, to, (launch){.kind = LAUNCH_DISCARD, .entry = sources[i]->entry, .blamed = d->groups[last].last});
  }
  return st;
}

/* Frees the memory that no group uses. */
static int discard_unused(deferral *d, schedule *to) {
  int st = OK;
  for (int k = 0; st == OK && k < d->nentry; k++)
    if (d->entries[k].store->ptr && ends_with(&d->entries[k], NONE))
      st = launch_now(d, to, (launch){.kind = LAUNCH_DISCARD, .entry = k});
  return st;
}

/* ---- groups ---- */

static void finish_step(deferral *d, schedule *to, int i) {
  d->steps[i].done = true;
  to->done[i] = (int)to->nlaunch;
}

/* Makes the call of a group, or of a region of the group, and runs it. */
static int run_part(deferral *d, schedule *to, const lowering *l, const region *r) {
  device_call *call = lower_call(d, to, l, NULL, r);
  if (!call) return ERR_MEMORY;
  return launch_now(d, to, (launch){.kind = LAUNCH_CALL, .family = l->family, .call = call, .blamed = l->group->last});
}

/* Runs step i as the op would have run at once. */
static int run_step(deferral *d, schedule *to, int i) {
  const group alone = {.first = i, .last = i, .folded = NONE};
  lowering l;
  bool opaque = d->steps[i].kind == STEP_OPAQUE;
  int st = opaque ? launch_now(d, to, (launch){.kind = LAUNCH_OPAQUE, .blamed = i}) : lower_group(d, to, &alone, &l);
  if (st == OK && !opaque) st = run_part(d, to, &l, NULL);
  if (st == OK) finish_step(d, to, i);
  return st;
}

/* Runs a group whose inputs are joined from pieces, region by region. */
static int run_regions(deferral *d, schedule *to, const lowering *l) {
  region r;
  int st;
  first_region(d, l->group, &r);
  do st = run_part(d, to, l, &r); while (st == OK && next_region(d, l->group, &r));
  return st;
}

/* Makes the tensors that are joined from pieces and that the group reads. */
static int join_pieces(deferral *d, schedule *to, const group *g) {
  int st = OK;
  for (int k = 0; k < g->nin; k++) {
    entry *e = &d->entries[g->in[k]->entry];
    if (e->piece != NONE && !e->store->ptr) st = provide_entry(d, to, g->in[k]->entry, e->piece);
    for (int i = e->piece; st == OK && i != NONE; i = d->steps[i].next) st = run_step(d, to, i);
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
static int run_singly(deferral *d, schedule *to, const group *g) {
  for (int i = g->first; i != NONE; i = d->steps[i].next) {
    d->steps[i].stored = true;
    d->entries[d->steps[i].out.entry].donor = NONE;
  }
  int st = provide(d, to, g);
  if (st == OK) st = join_pieces(d, to, g);
  for (int i = g->first; st == OK && i != NONE; i = d->steps[i].next) {
    st = run_step(d, to, i);
    d->counts.singles++;
  }
  return st;
}

static void finish_group(deferral *d, schedule *to, const group *g) {
  for (int i = g->first; i != NONE; i = d->steps[i].next) {
    finish_step(d, to, i);
    d->counts.stored += d->steps[i].stored && !d->entries[d->steps[i].out.entry].local;
  }
}

/* Runs a group that is an opaque step. */
static int run_alone(deferral *d, schedule *to, const group *g) {
  size_t before = to->nlaunch;
  bool ran = d->steps[g->first].op.opaque.ran;
  int st = provide(d, to, g);
  if (st == OK) st = run_step(d, to, g->first);
  if (st != OK) undo(d, to, before);
  d->counts.singles += st == OK && !ran;
  d->counts.stored += st == OK;
  return st;
}

static int run_group(deferral *d, schedule *to, const group *g) {
  lowering l;
  if (d->steps[g->first].kind == STEP_OPAQUE) return run_alone(d, to, g);
  blame(d, &d->steps[g->last]);
  int st = has_pieces(d, g) && updates(d, g) ? join_pieces(d, to, g) : OK;
  size_t before = to->nlaunch;
  if (st == OK) st = provide(d, to, g);
  if (st == OK) st = lower_group(d, to, g, &l);
  if (st == OK) st = has_pieces(d, g) ? run_regions(d, to, &l) : run_part(d, to, &l, NULL);
  if (st != OK) undo(d, to, before);
  if (st == ERR_NO_KERNEL && is_program(g)) return run_singly(d, to, g);
  if (st != OK) return st;
  if (g->first == g->last) d->counts.singles++; else d->counts.programs++;
  finish_group(d, to, g);
  return OK;
}

/* The copies of pieces are done without having run. */
static void finish_pieces(deferral *d, schedule *to) {
  for (int k = 0; k < d->nentry; k++)
    for (int i = d->entries[k].piece; i != NONE; i = d->steps[i].next) finish_step(d, to, i);
}

/* ---- tiles ---- */

/* Reserves scratch memory for the local results of groups first … last. Stores the address of each local entry in
** scratch[entry], and returns the bytes of one tile. */
static int64_t reserve(const deferral *d, int first, int last, int64_t rows, int64_t tile, int64_t scratch[]) {
  int64_t bytes = 0;
  for (int g = first; g <= last; g++)
    for (int i = d->groups[g].first; i != NONE; i = d->steps[i].next) {
      int k = d->steps[i].out.entry;
      if (!d->entries[k].local || d->entries[k].folded || !d->steps[i].stored) continue;
      scratch[k] = bytes;
      bytes += ((int64_t)d->entries[k].store->bytes / rows * tile + 63) / 64 * 64;
    }
  return bytes;
}

/* Sets part k of a tiled call to the calls of group g. A tile of one row is the whole. */
static int lower_part(deferral *d, schedule *to, const group *g, tiled_call *c, int k) {
  const cut cuts[TILED_SIZES] = {[TILED_FULL] = {c->rows, c->tile}, [TILED_LAST] = {c->rows, c->rows % c->tile}};
  lowering l;
  int st = lower_group(d, to, g, &l);
  if (st != OK) return st;
  lower_operands(d, &l, c->rows, d->scratch, &c->part[k]);
  for (int size = 0; size < TILED_SIZES; size++) {
    if (size != TILED_WHOLE && (c->rows == 1 || cuts[size].n == 0)) continue;
    device_call *call = lower_call(d, to, &l, size == TILED_WHOLE ? NULL : &cuts[size], NULL);
    if (!call) return ERR_MEMORY;
    c->part[k].call[size] = &call->as;
  }
  return OK;
}

/* Runs groups first … last tile by tile. */
static int run_tiles(deferral *d, schedule *to, int first, int last) {
  int64_t rows = d->groups[first].rows;
  place where = d->steps[d->groups[first].first].where;
  int64_t tile = most_of(1, where.device->tile_bytes / most_of(1, tile_row_bytes(d, first, last, rows)));
  int64_t tiles = (rows + tile - 1) / tile;
  tiled_call *c = schedule_alloc(to, sizeof *c);
  if (!c) return ERR_MEMORY;
  for (int g = first; g <= last; g++) {
    int st = provide(d, to, &d->groups[g]);
    if (st != OK) return st;
  }
  *c = (tiled_call){.nparts = 1 + last - first, .rows = rows, .tile = (rows + tiles - 1) / tiles};
  c->scratch = (size_t)reserve(d, first, last, rows, c->tile, d->scratch);
  for (int k = 0; k < c->nparts; k++) {
    int st = lower_part(d, to, &d->groups[first + k], c, k);
    if (st != OK) return st;
  }
  return launch_now(d, to, (launch){.kind = LAUNCH_TILED, .call = c, .blamed = d->groups[last].last});
}

/* Runs groups first … last one by one, because the device cannot compute them tile by tile. */
static int run_untiled(deferral *d, schedule *to, int first, int last) {
  for (int k = 0; k < d->nentry; k++) d->entries[k].local &= d->entries[k].first < first || d->entries[k].first > last;
  for (int g = first; g <= last; g++) d->groups[g].folded = NONE;
  int st = OK;
  for (int g = first; st == OK && g <= last; g++) st = run_group(d, to, &d->groups[g]);
  return st;
}

/* Runs groups first … last, which are one group or are computed tile by tile. */
static int run_unit(deferral *d, schedule *to, int first, int last) {
  size_t before = to->nlaunch;
  if (last == first) return run_group(d, to, &d->groups[first]);
  int st = run_tiles(d, to, first, last);
  if (st != OK) undo(d, to, before);
  if (st == ERR_NO_KERNEL) return run_untiled(d, to, first, last);
  if (st != OK) return st;
  d->counts.programs++;
  for (int g = first; g <= last; g++) finish_group(d, to, &d->groups[g]);
  return OK;
}

/* Runs the group `first` and the groups of its tiles, and frees the memory that later groups do not use. Returns the last of
** these groups in *last. */
static int run_next(deferral *d, schedule *to, int first, int *last) {
  *last = d->groups[first].tile_end;
  int st = run_unit(d, to, first, *last);
  for (int g = first; st == OK && g <= *last; g++) st = discard(d, to, g);
  return st;
}

/* Gives a storage back to its users. A result that was not computed or not stored is lost, and so is a storage whose memory
** the list has freed. */
static void release(const entry *e) {
  storage *s = e->store;
  s->epoch = e->epoch;
  if (e->spent || (e->fresh && (e->lost || !s->ptr))) {
    if (s->ptr) s->place.device->free(s->place.index, s->ptr, s->bytes);
    s->ptr = NULL;
    s->epoch = EPOCH_FAILED;
  }
  s->kept--;
  storage_drop(s);
}

void deferral_drop(deferral *d) {
  for (int i = 0; i < d->nstep; i++) {
    const step *s = &d->steps[i];
    const operand_view *out;
    d->counts.dropped += !s->done;
    if (s->done && d->entries[s->out.entry].lost && is_whole(d, &s->out, &s->shape)) d->entries[s->out.entry].lost = false;
    for (int r = 0; !s->done && (out = result_of(s, r)); r++)
      if (out->entry != NONE) d->entries[out->entry].lost = true;
  }
  memset(d->slot, 0, sizeof d->slot);
  d->counts.lists++;
  d->counts.fingerprint = mix_hash(d->counts.fingerprint, d->hash);
  int n = d->nentry;
  d->nstep = d->nentry = d->nkey = d->nview = d->nshape = 0;
  d->hash = 0;
  d->resumed = false;
  d->temporary = 0;
  for (int k = 0; k < n; k++) release(&d->entries[k]);
}

/* True if the list is one opaque op, whose schedule is made faster than found. */
static bool is_single(const deferral *d) { return d->nstep == 1 && d->steps[0].kind == STEP_OPAQUE; }

/* Makes the list's schedule and runs it. */
static int run_anew(deferral *d) {
  schedule *to = schedule_new(d);
  deferral_counts before = d->counts;
  if (!to) return ERR_MEMORY;
  find_needed(d);
  find_pieces(d);
  make_groups(d);
  make_tiles(d);
  find_donors(d);
  int st = discard_unused(d, to);
  for (int k = 0; st == OK && k < d->ngroup; k++) st = run_next(d, to, k, &k);
  if (st == OK) finish_pieces(d, to);
  if (st != OK || !to->key || is_single(d)) {
    schedule_free(to);
    return st;
  }
  to->counts = (deferral_counts){.programs = d->counts.programs - before.programs, .stored = d->counts.stored - before.stored,
                                 .singles = d->counts.singles - before.singles};
  schedule_keep(d, to);
  return OK;
}

/* Runs a kept schedule. If the device cannot run it any more, for example because the number of threads has changed, runs
** the rest of the list anew. */
static int run_again(deferral *d, const schedule *s) {
  int st = OK, n = 0;
  while (st == OK && n < (int)s->nlaunch) {
    st = schedule_launch(d, s, (size_t)n);
    n += st == OK;
  }
  if (st != OK) schedule_undo(d, s, (size_t)n);
  for (int i = 0; i < d->nstep; i++) d->steps[i].done = s->done[i] != NONE && s->done[i] <= n;
  if (st != OK) d->resumed = true;
  if (st == ERR_NO_KERNEL) {
    schedule_drop(d, s);
    return run_anew(d);
  }
  if (st != OK) return st;
  d->counts.programs += s->counts.programs;
  d->counts.singles += s->counts.singles;
  d->counts.stored += s->counts.stored;
  d->counts.found++;
  return OK;
}

int deferral_run(deferral *d) {
  if (d->nstep == 0) return OK;
  if (d->running || this_operation.inside) return ERR_BUSY;
  d->running = true;
  const schedule *s = schedule_find(d);
  int st = s ? run_again(d, s) : run_anew(d);
  d->running = false;
  if (st == ERR_MEMORY) d->resumed = true;
  else deferral_drop(d);
  return st;
}

/* True if the storage has memory, or gets memory within the limit of its state. */
static bool has_memory(storage *s) {
  const account *a = s->owner;
  return s->ptr || ((!a || account_allows(a, s->bytes)) && storage_provide(s) == OK);
}

static bool have_memory(const deferral *d, const step *s) {
  const operand_view *out;
  for (int r = 0; (out = result_of(s, r)); r++)
    if (out->entry != NONE && !has_memory(d->entries[out->entry].store)) return false;
  return true;
}

void deferral_salvage(deferral *d) {
  if (this_operation.inside) return;
  schedule *to = schedule_new(d);
  if (!to) return;
  d->running = true;
  find_needed(d);
  for (int i = 0; i < d->nstep; i++) {
    const step *s = &d->steps[i];
    if (!s->needed) continue;
    if (!have_memory(d, s) || run_step(d, to, i) != OK) break;
    d->counts.singles++;
    d->counts.stored++;
  }
  d->running = false;
  schedule_free(to);
}
