/* Finds tensors that are joined from pieces, and that only element-wise steps read. lt.concat, x:roll, lt.pad and
** assignments to slices make such tensors. A piece is a copy or a number that fills a box, and may overwrite a part of the
** pieces before it. Such a tensor is never made: its readers read the pieces' sources. Where the pieces meet, a group is cut
** into regions, in each of which an input is one view or one number. */

#include "op/deferral/list.h"

#include <string.h>

/* True if step i writes a copy of a view of memory in the same dtype, or a number. A number that fills half floats is rounded
** when it is stored. */
static bool may_be_piece(const step *s) {
  if (s->kind != STEP_MAP || s->op.map != OP_positive) return false;
  return s->in[0].entry == NONE ? s->out.dtype == s->compute : s->in[0].dtype == s->out.dtype;
}

bool is_whole(const deferral *d, const operand_view *v, const shape *s) {
  int64_t step = 1;
  for (int k = s->ndim - 1; k >= 0; k--) {
    if (s->dim[k] != 1 && v->stride[k] != step) return false;
    step *= s->dim[k];
  }
  return v->offset == 0 && step * dtype_size(v->dtype) == (int64_t)d->entries[v->entry].store->bytes;
}

/* True if view v of shape s is a box of the contiguous shape `whole`. Stores the position of its first element in `start`. */
static bool find_box(const operand_view *v, const shape *s, const shape *whole, int64_t *start) {
  int64_t step = 1;
  if (s->ndim != whole->ndim) return false;
  for (int k = s->ndim - 1; k >= 0; k--) {
    start[k] = v->offset / step % whole->dim[k];
    if (s->dim[k] != 1 && v->stride[k] != step) return false;
    if (start[k] + s->dim[k] > whole->dim[k]) return false;
    step *= whole->dim[k];
  }
  return true;
}

/* Inserts dim k of length 1 into the shape of a step of one input. */
static void insert_dim(step *w, int k) {
  int64_t *lists[] = {w->shape.dim, w->out.stride, w->in[0].stride};
  for (int i = 0; i < 3; i++) {
    memmove(&lists[i][k + 1], &lists[i][k], (size_t)(w->shape.ndim - k) * sizeof *lists[i]);
    lists[i][k] = i == 0 ? 1 : 0;
  }
  w->shape.ndim++;
}

/* Gives the shape of a piece the dims of the contiguous shape `whole` that an index, as in x[1] = 0, has removed. Other dims
** of the piece stay as they are. */
static void insert_dims(step *w, const shape *whole) {
  int64_t step = 1;
  int j = w->shape.ndim - 1;
  for (int k = whole->ndim - 1; k >= 0 && w->shape.ndim < whole->ndim; k--) {
    if (j >= 0 && (w->shape.dim[j] == 1 || w->out.stride[j] == step)) j--;
    else insert_dim(w, j + 1);
    step *= whole->dim[k];
  }
}

static bool are_disjoint(const step *a, const step *b) {
  for (int k = 0; k < a->shape.ndim; k++)
    if (a->start[k] + a->shape.dim[k] <= b->start[k] || b->start[k] + b->shape.dim[k] <= a->start[k]) return true;
  return false;
}

/* True if piece b lies inside of piece a. */
static bool contains(const step *a, const step *b) {
  for (int k = 0; k < a->shape.ndim; k++)
    if (b->start[k] < a->start[k] || b->start[k] + b->shape.dim[k] > a->start[k] + a->shape.dim[k]) return false;
  return true;
}

/* ---- which entries ---- */

/* The steps that use an entry. */
typedef struct uses {
  int npiece, pieces[PIECES];
  enum dtype dtype;                    /* of all pieces and views */
  int first_reader, last_reader;
  const shape *whole;                  /* the shape of the joined tensor, or NULL */
} uses;

/* Notes the shape of a view that is the whole joined tensor. */
static void note_whole(const deferral *d, uses *u, const operand_view *v, const shape *s) {
  if (!u->whole && is_whole(d, v, s)) u->whole = s;
}

static bool add_piece(const deferral *d, uses *u, int i) {
  const step *s = &d->steps[i];
  if (!may_be_piece(s) || u->first_reader != NONE || u->npiece == PIECES) return false;
  if (u->npiece > 0 && s->out.dtype != u->dtype) return false;
  u->dtype = s->out.dtype;
  note_whole(d, u, &s->out, &s->shape);
  u->pieces[u->npiece++] = i;
  return true;
}

/* Finds the uses of entry number `at`. Returns false if it is not joined from pieces first, and then read by element-wise
** steps, or if it is a source of a joined tensor. */
static bool find_uses(deferral *d, int at, uses *u) {
  *u = (uses){.first_reader = NONE, .last_reader = NONE};
  for (int i = 0; i < d->nstep; i++) {
    step *s = &d->steps[i];
    const operand_view *out;
    if (s->is_piece && s->in[0].entry == at) return false;
    if (!s->needed) continue;
    for (int k = 1; (out = result_of(s, k)); k++)
      if (out->entry == at) return false;
    if (s->out.entry == at && !add_piece(d, u, i)) return false;
    for (int k = 0; k < s->nin; k++) {
      if (s->in[k].entry != at) continue;
      if (s->kind != STEP_MAP || s->in[k].dtype != u->dtype) return false;
      if (u->first_reader == NONE) u->first_reader = i;
      note_whole(d, u, &s->in[k], &s->shape);
      u->last_reader = i;
    }
  }
  return u->npiece > 0 && u->first_reader != NONE && u->whole;
}

/* True if each reader reads a box of the joined tensor. */
static bool reads_boxes(const deferral *d, const uses *u, int at) {
  int64_t start[MAX_DIMS];
  for (int i = u->first_reader; i <= u->last_reader; i++) {
    const step *s = &d->steps[i];
    for (int k = 0; s->needed && k < s->nin; k++)
      if (s->in[k].entry == at && !find_box(&s->in[k], &s->shape, u->whole, start)) return false;
  }
  return true;
}

/* True if the pieces, whose sources are no joined tensors, are boxes that cover the joined tensor. A piece that overwrites
** others must lie inside of one of them. */
static bool do_cover(deferral *d, const uses *u) {
  int64_t count = 0, all = 1;
  for (int i = 0; i < u->npiece; i++) {
    step *w = &d->steps[u->pieces[i]];
    bool overlaps = false, inside = false;
    insert_dims(w, u->whole);
    if (!find_box(&w->out, &w->shape, u->whole, w->start)) return false;
    if (!place_equal(w->where, d->steps[u->first_reader].where)) return false;
    for (int k = 0; k < i; k++) {
      const step *before = &d->steps[u->pieces[k]];
      overlaps |= !are_disjoint(w, before);
      inside |= contains(before, w);
    }
    if (overlaps && !inside) return false;
    if (!overlaps) count += w->count;
  }
  for (int k = 0; k < u->whole->ndim; k++) all *= u->whole->dim[k];
  return count == all;
}

static bool writes(const step *s, int entry) {
  const operand_view *out;
  for (int r = 0; (out = result_of(s, r)); r++)
    if (out->entry == entry) return true;
  return false;
}

/* True if the readers may read the sources of the pieces. No step may write a source between the piece and the last reader.
** A source must be in memory: it must not be a joined tensor that is never made. */
static bool sources_last(const deferral *d, const uses *u) {
  for (int p = 0; p < u->npiece; p++) {
    int source = d->steps[u->pieces[p]].in[0].entry;
    if (source == NONE) continue;
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
    if (!find_uses(d, k, &u) || !reads_boxes(d, &u, k) || !sources_last(d, &u) || !do_cover(d, &u)) continue;
    e->joined = u.whole;
    for (int i = u.npiece - 1; i >= 0; i--) {
      step *w = &d->steps[u.pieces[i]];
      w->needed = false;
      w->is_piece = true;
      w->next = e->piece;
      e->piece = u.pieces[i];
    }
  }
}

int view_sources(const deferral *d, const operand_view *v, const operand_view *list[PIECES]) {
  int n = 0;
  if (v->entry == NONE) return 0;
  if (d->entries[v->entry].piece == NONE) list[n++] = v;
  for (int i = d->entries[v->entry].piece; i != NONE; i = d->steps[i].next)
    if (d->steps[i].in[0].entry != NONE) list[n++] = &d->steps[i].in[0];
  return n;
}

bool reads_number(const deferral *d, const operand_view *v) {
  for (int i = d->entries[v->entry].piece; i != NONE; i = d->steps[i].next)
    if (d->steps[i].in[0].entry == NONE) return true;
  return false;
}

/* ---- regions ---- */

/* Lowers *next to the first border of pieces of view v, of shape s, behind position `at` of dim k. */
static void next_border(const deferral *d, const operand_view *v, const shape *s, int k, int64_t at, int64_t *next) {
  int64_t start[MAX_DIMS];
  const entry *e = v->entry == NONE ? NULL : &d->entries[v->entry];
  if (!e || e->piece == NONE) return;
  find_box(v, s, e->joined, start);
  for (int i = e->piece; i != NONE; i = d->steps[i].next) {
    const step *w = &d->steps[i];
    int64_t begin = w->start[k] - start[k], end = begin + w->shape.dim[k];
    if (begin > at && begin < *next) *next = begin;
    if (end > at && end < *next) *next = end;
  }
}

/* Returns the end of the region that begins at position `at` of dim k, in a group and a step that may join the group. */
static int64_t region_end(const deferral *d, const group *g, const step *added, const shape *s, int k, int64_t at) {
  int64_t end = s->dim[k];
  for (int i = 0; i < g->nin; i++) next_border(d, g->in[i], s, k, at, &end);
  for (int i = 0; added && i < added->nin; i++) next_border(d, &added->in[i], s, k, at, &end);
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

/* Returns the last of the pieces that contain the position. */
static const step *piece_at(const deferral *d, const entry *e, const int64_t *position) {
  const step *found = NULL;
  for (int i = e->piece; i != NONE; i = d->steps[i].next) {
    const step *p = &d->steps[i];
    bool inside = true;
    for (int k = 0; k < p->shape.ndim; k++)
      inside &= position[k] >= p->start[k] && position[k] < p->start[k] + p->shape.dim[k];
    if (inside) found = p;
  }
  return found;
}

int region_view(const deferral *d, const region *r, const operand_view *v, const shape *s, operand_view *to) {
  int64_t position[MAX_DIMS];
  const entry *e = v->entry == NONE ? NULL : &d->entries[v->entry];
  bool joined = e && e->piece != NONE;
  if (joined) find_box(v, s, e->joined, position);
  for (int k = 0; k < r->shape.ndim; k++) position[k] = r->start[k] + (joined ? position[k] : 0);
  const step *w = joined ? piece_at(d, e, position) : NULL;
  *to = w ? w->in[0] : *v;
  if (to->entry == NONE) return w ? (int)(w - d->steps) : NONE;
  for (int k = 0; k < r->shape.ndim; k++) to->offset += (position[k] - (w ? w->start[k] : 0)) * to->stride[k];
  return NONE;
}
