/* Decides how long storages keep their memory. A result takes the memory of an input that nobody uses afterwards, if the
** result is computed element by element from the input. Other storages to which only the list refers are freed after the
** last group that uses them, so that later results get their memory. */

#include "op/deferral/list.h"

#include "base/account.h"
#include "base/dispatch.h"

enum { LEAST = 4 << 10 };              /* bytes: smaller storages are freed with the list, because freeing each of them
                                       ** takes time in every run */

bool ends_with(const entry *e, int last) {
  return !e->wanted && !e->local && !e->spent && e->store->bytes >= LEAST && e->last == last;
}

/* ---- finding donors ---- */

/* True if the views are the same positions of their storages, in the same order. */
static bool same_positions(const operand_view *a, const operand_view *b, const shape *s) {
  operand_view moved = *a;
  moved.entry = b->entry;
  return same_view(&moved, b, s);
}

/* True if group g, of element-wise steps, reads all elements of the donor that it reads just where it writes `out`. */
static bool allows(const deferral *d, const group *g, int donor, const operand_view *out, const shape *s) {
  access list[MAX_OPERANDS];
  bool all = true;
  for (int k = 0, n = group_operands(d, g, list); k < n; k++)
    if (list[k].view->entry == donor) all &= !list[k].writes && same_positions(list[k].view, out, s);
  return all;
}

/* Returns the entry whose memory the result of step s, of group `number`, may take, or NONE. */
static int find_donor(const deferral *d, int number, const step *s) {
  const group *g = &d->groups[number];
  access list[MAX_OPERANDS];
  for (int k = 0, n = group_operands(d, g, list); k < n; k++) {
    int donor = list[k].view->entry;
    if (donor == NONE || list[k].writes || d->entries[donor].taken || !ends_with(&d->entries[donor], number)) continue;
    if (d->entries[donor].store->bytes != d->entries[s->out.entry].store->bytes) continue;
    if (allows(d, g, donor, &s->out, &s->shape)) return donor;
  }
  return NONE;
}

/* Tiled groups have no donors: if memory is exhausted after some tiles, they are repeated with their old inputs. So are
** groups that read pieces. */
void find_donors(deferral *d) {
  for (int number = 0; number < d->ngroup; number = d->groups[number].tile_end + 1) {
    const group *g = &d->groups[number];
    if (g->tile_end != number || d->steps[g->first].kind != STEP_MAP || has_pieces(d, g)) continue;
    for (int i = g->first; i != NONE; i = d->steps[i].next) {
      const step *s = &d->steps[i];
      entry *e = &d->entries[s->out.entry];
      if (!s->stored || !e->fresh || e->store->ptr || e->first != number || e->donor != NONE) continue;
      e->donor = find_donor(d, number, s);
      if (e->donor != NONE) d->entries[e->donor].taken = true;
    }
  }
}

/* ---- moving memory ---- */

/* True if the list may free the memory of this storage, or give it away. The calls of a graph that is captured may use only
** memory that belongs to the graph, or that the graph holds. */
static bool is_free(const storage *s) { return s->ptr && s->account && !s->pinned && s->capture == storage_capture; }

/* Moves the memory of a storage, with its charge, to another one of the same size. */
static void move_memory(storage *from, storage *to) {
  to->ptr = from->ptr;
  to->account = from->account;
  to->capture = from->capture;
  from->ptr = NULL;
  from->account = NULL;
}

/* Counts the memory of the entry as memory of temporary results, or no more. */
static void count_temporary(deferral *d, entry *e, bool counted) {
  if (e->counted == counted) return;
  e->counted = counted;
  if (counted) d->temporary += e->store->bytes;
  else d->temporary -= e->store->bytes;
  if (d->temporary > d->counts.temporary) d->counts.temporary = d->temporary;
}

int provide_memory(deferral *d, int entry, int donor) {
  storage *to = d->entries[entry].store, *from = donor == NONE ? NULL : d->entries[donor].store;
  int st = OK;
  if (from && is_free(from) && from->account == to->owner) {
    move_memory(from, to);
    to->owner = NULL;
    d->entries[donor].spent = true;
    d->entries[donor].heir = entry;
    count_temporary(d, &d->entries[donor], false);
  } else {
    st = storage_provide(to);
  }
  if (st == OK) count_temporary(d, &d->entries[entry], storage_is_sole(to));
  return st;
}

/* Frees the memory of an entry and ends the charge. */
static void free_memory(deferral *d, entry *e) {
  storage *s = e->store;
  count_temporary(d, e, false);
  s->account->charged -= s->bytes;
  s->account->count--;
  s->account = NULL;
  s->place.device->free(s->place.index, s->ptr, s->bytes);
  s->ptr = NULL;
}

void return_memory(deferral *d, int entry, int donor) {
  storage *to = d->entries[entry].store, *from = donor == NONE ? NULL : d->entries[donor].store;
  account *a = to->account;
  if (from && d->entries[donor].heir == entry) {
    move_memory(to, from);
    d->entries[donor].spent = false;
    d->entries[donor].heir = NONE;
    count_temporary(d, &d->entries[entry], false);
    count_temporary(d, &d->entries[donor], d->entries[donor].fresh);
  } else if (a) {
    free_memory(d, &d->entries[entry]);
  }
  to->owner = a;
}

void discard_memory(deferral *d, int entry) {
  if (!is_free(d->entries[entry].store)) return;
  free_memory(d, &d->entries[entry]);
  d->entries[entry].spent = true;
}
