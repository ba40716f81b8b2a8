/* Finds tensors that are joined from pieces, as lt.concat and x:roll make them, and that only element-wise steps read. Such
** a tensor is never made: its readers read the pieces' sources. Where the pieces meet, a group is cut into regions, in
** each of which an input is one view. */

#include "op/deferral/list.h"

#include <string.h>

/* True if step i writes a copy of a view of memory, in the same dtype. */
static bool is_copy(const step *s) {
  return s->kind == STEP_MAP && s->op.map == OP_positive && s->in[0].entry != NONE && s->in[0].dtype == s->out.dtype;
}

bool is_whole(const deferral *d, const operand_view *v, const shape *s) {
  int64_t step = 1;
  for (int k = s->ndim - 1; k >= 0; k--) {
    if (s->dim[k] != 1 && v->stride[k] != step) return false;
    step *= s->dim[k];
  }
  return v->offset == 0 && step * dtype_size(v->dtype) == (int64_t)d->entries[v->entry].store->bytes;
}

/* True if the step writes a box of the contiguous shape s, which begins at s->start. */
static bool find_box(step *w, const shape *s) {
  int64_t step = 1;
  if (w->shape.ndim != s->ndim) return false;
  for (int k = s->ndim - 1; k >= 0; k--) {
    w->start[k] = w->out.offset / step % s->dim[k];
    if (w->shape.dim[k] != 1 && w->out.stride[k] != step) return false;
    if (w->start[k] + w->shape.dim[k] > s->dim[k]) return false;
    step *= s->dim[k];
  }
  return true;
}

static bool are_disjoint(const step *a, const step *b) {
  for (int k = 0; k < a->shape.ndim; k++)
    if (a->start[k] + a->shape.dim[k] <= b->start[k] || b->start[k] + b->shape.dim[k] <= a->start[k]) return true;
  return false;
}

/* ---- which entries ---- */

/* The steps that use an entry. */
typedef struct uses {
  int npiece, pieces[PIECES];
  int first_reader, last_reader;
} uses;

/* Finds the uses of entry number `at`. Returns false if it is not joined from pieces first, and then read as a whole by
** element-wise steps of one shape. */
static bool find_uses(deferral *d, int at, uses *u) {
  u->npiece = 0;
  u->first_reader = u->last_reader = NONE;
  for (int i = 0; i < d->nstep; i++) {
    step *s = &d->steps[i];
    const operand_view *out;
    if (!s->needed) continue;
    for (int k = 1; (out = result_of(s, k)); k++)
      if (out->entry == at) return false;
    if (s->out.entry == at) {
      if (!is_copy(s) || u->first_reader != NONE || u->npiece == PIECES) return false;
      u->pieces[u->npiece++] = i;
    }
    for (int k = 0; k < s->nin; k++) {
      if (s->in[k].entry != at) continue;
      if (s->kind != STEP_MAP || !is_whole(d, &s->in[k], &s->shape)) return false;
      if (u->first_reader == NONE) u->first_reader = i;
      if (!shape_equal(&s->shape, &d->steps[u->first_reader].shape)) return false;
      u->last_reader = i;
    }
  }
  return u->npiece > 1 && u->first_reader != NONE;
}

/* True if the pieces are disjoint boxes that cover the readers' shape. */
static bool do_cover(deferral *d, const uses *u) {
  const step *reader = &d->steps[u->first_reader];
  int64_t count = 0;
  for (int i = 0; i < u->npiece; i++) {
    step *w = &d->steps[u->pieces[i]];
    if (!find_box(w, &reader->shape) || !place_equal(w->where, reader->where)) return false;
    for (int k = 0; k < i; k++)
      if (!are_disjoint(w, &d->steps[u->pieces[k]])) return false;
    count += w->count;
  }
  return count == reader->count;
}

static bool writes(const step *s, int entry) {
  const operand_view *out;
  for (int r = 0; (out = result_of(s, r)); r++)
    if (out->entry == entry) return true;
  return false;
}

/* True if the readers may read the sources of the pieces. No step may write a source between the piece and the last reader.
** A source must be in memory: it must not be a joined tensor that is never made, whose entry comes earlier. */
static bool sources_last(const deferral *d, const uses *u) {
  for (int p = 0; p < u->npiece; p++) {
    int source = d->steps[u->pieces[p]].in[0].entry;
    if (d->entries[source].piece != NONE) return false;
    for (int i = u->pieces[p] + 1; i <= u->last_reader; i++)
      if (d->steps[i].needed && writes(&d->steps[i], source)) return false;
  }
  return true;
}

void find_pieces(deferral *d) {
  for (int k = 0; k < d->nentry; k++) {
    entry *e = &d->entries[k];
    uses u;
    if (!e->mixed || !e->fresh || e->store->ptr || e->wanted) continue;
    if (!find_uses(d, k, &u) || !do_cover(d, &u) || !sources_last(d, &u)) continue;
    for (int i = u.npiece - 1; i >= 0; i--) {
      step *w = &d->steps[u.pieces[i]];
      w->needed = false;
      w->next = e->piece;
      e->piece = u.pieces[i];
    }
  }
}

int view_sources(const deferral *d, const operand_view *v, const operand_view *list[PIECES]) {
  int n = 0;
  if (v->entry == NONE) return 0;
  for (int i = d->entries[v->entry].piece; i != NONE; i = d->steps[i].next) list[n++] = &d->steps[i].in[0];
  if (n == 0) list[n++] = v;
  return n;
}

/* ---- regions ---- */

/* Lowers *next to the first border of pieces of the view behind position `at` of dim k. */
static void next_border(const deferral *d, const operand_view *v, int k, int64_t at, int64_t *next) {
  if (v->entry == NONE) return;
  for (int i = d->entries[v->entry].piece; i != NONE; i = d->steps[i].next) {
    const step *w = &d->steps[i];
    int64_t begin = w->start[k], end = begin + w->shape.dim[k];
    if (begin > at && begin < *next) *next = begin;
    if (end > at && end < *next) *next = end;
  }
}

/* Returns the end of the region that begins at position `at` of dim k, in a group and a step that may join the group. */
static int64_t region_end(const deferral *d, const group *g, const step *added, const shape *s, int k, int64_t at) {
  int64_t end = s->dim[k];
  for (int i = 0; i < g->nin; i++) next_border(d, g->in[i], k, at, &end);
  for (int i = 0; added && i < added->nin; i++) next_border(d, &added->in[i], k, at, &end);
  return end;
}

int64_t count_regions(const deferral *d, const group *g, const step *added) {
  const shape *s = &d->steps[g->first].shape;
  int64_t all = 1;
  for (int k = 0; k < s->ndim; k++) {
    int64_t n = 0;
    for (int64_t at = 0; at < s->dim[k]; n++) at = region_end(d, g, added, s, k, at);
    all *= n;
  }
  return all;
}

bool has_pieces(const deferral *d, const group *g) {
  for (int i = 0; i < g->nin; i++)
    if (d->entries[g->in[i]->entry].piece != NONE) return true;
  return false;
}

/* Sets the region's length in dim k, in which it begins at position `at`. */
static void set_side(const deferral *d, const group *g, region *r, int k, int64_t at) {
  r->start[k] = at;
  r->shape.dim[k] = region_end(d, g, NULL, &d->steps[g->first].shape, k, at) - at;
}

void first_region(const deferral *d, const group *g, region *r) {
  r->shape.ndim = d->steps[g->first].shape.ndim;
  for (int k = 0; k < r->shape.ndim; k++) set_side(d, g, r, k, 0);
}

bool next_region(const deferral *d, const group *g, region *r) {
  const shape *s = &d->steps[g->first].shape;
  for (int k = s->ndim - 1; k >= 0; k--) {
    int64_t at = r->start[k] + r->shape.dim[k];
    set_side(d, g, r, k, at < s->dim[k] ? at : 0);
    if (at < s->dim[k]) return true;
  }
  return false;
}

void region_view(const deferral *d, const region *r, const operand_view *v, operand_view *to) {
  const step *w = NULL;
  if (v->entry != NONE)
    for (int i = d->entries[v->entry].piece; i != NONE; i = d->steps[i].next) {
      const step *p = &d->steps[i];
      bool inside = true;
      for (int k = 0; k < r->shape.ndim; k++)
        inside &= r->start[k] >= p->start[k] && r->start[k] < p->start[k] + p->shape.dim[k];
      if (inside) w = p;
    }
  *to = w ? w->in[0] : *v;
  for (int k = 0; k < r->shape.ndim; k++) to->offset += (r->start[k] - (w ? w->start[k] : 0)) * to->stride[k];
}
