/* Finds groups that are computed tile by tile. A tile is a range of rows, which are positions in the leading dims. Row i
** of each operand is read and written only for row i of the others, so all groups run on one tile before the next tile,
** while its elements are in the cache. Results that only these groups read need memory for one tile. */

#include "op/deferral/list.h"

#include <stdlib.h>

enum {
  LEAST    = 1 << 15,                  /* the fewest elements of the first group: the results of fewer elements stay in
                                       ** the cache anyway */
  RUN      = 256,                      /* the fewest elements of a result that are folded into one element */
  LEAST_FOLDED = 1 << 12,              /* the fewest elements of a result that is folded outside of tiles */
  MOST_LEADING = 6                     /* the most leading dims that are tried as rows */
};

int rows_of(const operand_view *v, const shape *s, int64_t rows, int64_t *stride) {
  int64_t n = 1, length = 1;
  int batch = 0;
  while (n < rows && batch < s->ndim) n *= s->dim[batch++];
  *stride = 0;
  if (n != rows) return NONE;
  for (int k = batch - 1; k >= 0; k--) {
    if (s->dim[k] == 1) continue;
    if (length == 1) *stride = v->stride[k];
    else if (v->stride[k] != *stride * length) return NONE;
    length *= s->dim[k];
  }
  return batch;
}

/* Returns the number of leading dims in which the step computes each position from the same position of its inputs. */
static int leading_dims(const step *s) {
  int n = 0;
  if (s->kind == STEP_OPAQUE) return 0;
  if (s->kind == STEP_MAP) return s->shape.ndim;
  if (s->kind == STEP_LINE) return s->op.line.dim;
  while (n < s->in_shape.ndim && !(s->op.reduce.dims >> n & 1)) n++;
  return n;
}

/* ---- accesses ---- */

/* Stores the accesses of group g in `list`, results first, and returns their number. Numbers are no accesses. */
static int group_accesses(const deferral *d, const group *g, access list[MAX_OPERANDS]) {
  int n = 0;
  for (int k = 0, all = group_operands(d, g, list); k < all; k++)
    if (list[k].view->entry != NONE) list[n++] = list[k];
  return n;
}

/* The bytes of a row that an operand reads or writes, and its distance from the next row. */
typedef struct row_span {
  int64_t step, low, high;
} row_span;

static bool find_span(const access *a, int64_t rows, row_span *r) {
  int64_t size = dtype_size(a->view->dtype);
  int batch = rows_of(a->view, a->shape, rows, &r->step);
  if (batch == NONE) return false;
  r->step *= size;
  r->low = a->view->offset * size;
  r->high = r->low + size;
  for (int k = batch; k < a->shape->ndim; k++) {
    int64_t reach = (a->shape->dim[k] - 1) * a->view->stride[k] * size;
    if (reach < 0) r->low += reach;
    else r->high += reach;
  }
  return true;
}

/* True if row i of one operand has no bytes in common with other rows of the other operand. */
static bool are_aligned(const access *a, const access *b, int64_t rows) {
  row_span x, y;
  if (!find_span(a, rows, &x) || !find_span(b, rows, &y) || x.step != y.step) return false;
  int64_t low = x.low < y.low ? x.low : y.low, high = x.high > y.high ? x.high : y.high;
  return high - low <= x.step;
}

/* Returns the elements of a row times the bytes of an element. Elements that all rows share are not counted. */
static int64_t row_bytes(const access *a, int64_t rows) {
  int64_t step, n = dtype_size(a->view->dtype);
  int batch = rows_of(a->view, a->shape, rows, &step);
  if (step == 0) return 0;
  for (int k = batch; k < a->shape->ndim; k++)
    if (a->view->stride[k] != 0) n *= a->shape->dim[k];
  return n;
}

int64_t tile_row_bytes(const deferral *d, int first, int last, int64_t rows) {
  int64_t sum = 0;
  int seen[TILED_PARTS * MAX_OPERANDS], nseen = 0;
  for (int g = first; g <= last; g++) {
    access list[MAX_OPERANDS];
    int n = group_accesses(d, &d->groups[g], list);
    for (int k = 0; k < n; k++) {
      bool known = false;
      for (int i = 0; i < nseen; i++) known |= seen[i] == list[k].view->entry;
      if (known || d->entries[list[k].view->entry].folded) continue;
      seen[nseen++] = list[k].view->entry;
      sum += row_bytes(&list[k], rows);
    }
  }
  return sum;
}

/* ---- which groups ---- */

/* True if an access of a later group is possible in the same tiles as the access `before`. What one group reads, neither
** it nor a later group writes, so that the groups can be repeated if memory is exhausted. */
static bool may_follow(const access *a, const access *before, int64_t rows) {
  if (a->view->entry != before->view->entry || (!a->writes && !before->writes)) return true;
  return !a->writes && are_aligned(a, before, rows);
}

/* True if the group may belong to the tiles of groups first … number - 1. Sets *linked if it reads what they write. */
static bool joins(const deferral *d, int first, int number, int64_t rows, bool *linked) {
  const group *g = &d->groups[number];
  const step *s = &d->steps[g->first];
  place where = d->steps[d->groups[first].first].where;
  access mine[MAX_OPERANDS], others[MAX_OPERANDS];
  int n = group_accesses(d, g, mine), most = leading_dims(s);
  if (!place_equal(where, s->where)) return false;
  for (int k = 0; k < n; k++) {
    int64_t step;
    int batch = rows_of(mine[k].view, mine[k].shape, rows, &step);
    if (batch == NONE || batch > most || d->entries[mine[k].view->entry].piece != NONE) return false;
    for (int i = 0; i < k; i++)
      if (mine[i].writes && mine[i].view->entry == mine[k].view->entry) return false;
  }
  for (int h = first; h < number; h++) {
    int nothers = group_accesses(d, &d->groups[h], others);
    for (int i = 0; i < nothers; i++)
      for (int k = 0; k < n; k++) {
        if (!may_follow(&mine[k], &others[i], rows)) return false;
        *linked |= others[i].writes && mine[k].view->entry == others[i].view->entry;
      }
  }
  return tile_row_bytes(d, first, number, rows) <= where.device->tile_bytes;
}

/* Returns the last group of the tiles that begin with group `first`, or `first` if no later group reads what an earlier
** one writes. */
static int find_end(const deferral *d, int first, int64_t rows) {
  int end = first;
  bool linked = false;
  if (!joins(d, first, first, rows, &linked)) return first;
  for (int g = first + 1; g < d->ngroup && g - first < TILED_PARTS && joins(d, first, g, rows, &linked); g++)
    if (linked) end = g;
  return end;
}

/* Decides about the tiles that begin with group `first`, and returns the last of their groups. */
static int tile_from(deferral *d, int first) {
  group *g = &d->groups[first];
  const step *s = &d->steps[g->first];
  int64_t rows = 1, count = 1, most = s->where.device->tile_bytes;
  if (s->kind == STEP_OPAQUE) return first;
  const shape *in = input_shape(s, 0);
  for (int k = 0; k < in->ndim; k++) count *= in->dim[k];
  if (most == 0 || count < LEAST) return first;
  for (int k = 0, n = leading_dims(s); k < n && k < MOST_LEADING; k++) {
    rows *= in->dim[k];
    if (in->dim[k] == 1) continue;
    int end = find_end(d, first, rows);
    if (end <= first || end < g->tile_end) continue;
    g->tile_end = end;
    g->rows = rows;
  }
  return g->tile_end;
}

/* ---- local results ---- */

static void find_uses(deferral *d) {
  for (int g = 0; g < d->ngroup; g++) {
    access list[MAX_OPERANDS];
    int n = group_accesses(d, &d->groups[g], list);
    for (int k = 0; k < n; k++) {
      const operand_view *sources[PIECES];
      for (int i = 0, end = view_sources(d, list[k].view, sources); i < end; i++) {
        entry *e = &d->entries[sources[i]->entry];
        if (e->first == NONE) e->first = g;
        e->last = g;
      }
    }
  }
}

/* Marks the results that only groups first … last write and read, and that consist of rows. */
static void mark_local(deferral *d, int first, int last, int64_t rows) {
  for (int g = first; g <= last; g++) {
    access list[MAX_OPERANDS];
    int n = group_accesses(d, &d->groups[g], list);
    for (int k = 0; k < n; k++) {
      entry *e = &d->entries[list[k].view->entry];
      row_span r;
      if (!list[k].writes || !e->fresh || e->store->ptr || e->wanted || e->mixed || e->first < first || e->last > last) continue;
      e->local = find_span(&list[k], rows, &r) && r.low == 0 && r.high <= r.step && r.step * rows == (int64_t)e->store->bytes;
    }
  }
}

/* ---- folded results ---- */

/* True if the step reduces runs of neighbouring elements of its contiguous input that are long enough. */
static bool folds_runs(const step *s) {
  int64_t run = 1;
  int k = s->in_shape.ndim;
  while (k > 0 && (s->op.reduce.dims >> (k - 1) & 1 || s->in_shape.dim[k - 1] == 1)) run *= s->in_shape.dim[--k];
  for (; k > 0; k--)
    if (s->op.reduce.dims >> (k - 1) & 1 && s->in_shape.dim[k - 1] != 1) return false;
  return run >= RUN;
}

/* True if the group reads the entry, or if it reads pieces. */
static bool reads(const deferral *d, const group *g, int written) {
  bool found = false;
  for (int k = 0; k < g->nin; k++) found |= g->in[k]->entry == written || d->entries[g->in[k]->entry].piece != NONE;
  return found;
}

/* True if the group reads an input whose neighbouring elements are farther apart than the elements along an outer dim, for
** example a transposed matrix. A block of neighbouring elements then needs one element of each cache line, and the lines
** leave the cache before the blocks that need the other elements. Calls that store their results walk along both dims. */
static bool reads_transposed(const deferral *d, const group *g) {
  const shape *s = &d->steps[g->first].shape;
  int last = s->ndim - 1;
  while (last > 0 && s->dim[last] == 1) last--;
  for (int i = 0; i < g->nin; i++)
    for (int k = 0; k < last; k++) {
      int64_t outer = g->in[i]->stride[k];
      if (s->dim[k] != 1 && outer != 0 && llabs(outer) < llabs(g->in[i]->stride[last])) return true;
    }
  return false;
}

/* True if the device can compute group g and the step that takes the result. */
static bool can_take(const deferral *d, const group *g, const step *taker) {
  if (taker->where.device->folds_all)
    return taker->kind == STEP_REDUCE || (taker->kind == STEP_LINE && !taker->op.line.info->is_scan);
  return taker->kind == STEP_REDUCE && folds_runs(taker) && !reads_transposed(d, g);
}

/* True if the elements of the entry are needed in memory. One group writes the entry, and the groups behind it, up to group
** `last`, take the elements as they are computed. */
static bool is_kept(const entry *e, int last) { return e->wanted || e->last != last; }

/* True if group `other` is a reduction of the same elements and the same dims as group `taker`. */
static bool reduces_same(const deferral *d, int taker, int other) {
  const step *a = &d->steps[d->groups[taker].first], *b = &d->steps[d->groups[other].first];
  if (a->kind != STEP_REDUCE || b->kind != STEP_REDUCE || !place_equal(a->where, b->where)) return false;
  return a->compute == b->compute && a->op.reduce.dims == b->op.reduce.dims && shape_equal(&a->in_shape, &b->in_shape) &&
         same_view(&a->in[0], &b->in[0], &a->in_shape);
}

/* Returns the last of the groups behind group `number` that may take its result together: several reductions of the same
** dims, or one group. */
static int last_taker(const deferral *d, int number) {
  int last = number + 1;
  if (d->steps[d->groups[number].first].where.device->folds_all) return last;
  while (last + 1 < d->ngroup && last - number + 1 < TILED_PARTS && d->groups[last + 1].tile_end == last + 1 &&
         reduces_same(d, number + 1, last + 1))
    last++;
  return last;
}

/* Returns the step of group `number` whose result the groups behind it, up to group `last`, may take as it is computed: a
** reduction or a softmax, or several reductions for which reduces_same is true. Returns NONE if there is none. These groups
** must not write what group `number` reads. */
static int find_folded(const deferral *d, int number, int last) {
  const group *g = &d->groups[number];
  if (number + 1 == d->ngroup) return NONE;
  const step *first = &d->steps[g->first], *taker = &d->steps[g[1].first];
  if (first->kind != STEP_MAP || taker->kind == STEP_MAP || taker->kind == STEP_OPAQUE) return NONE;
  if (!place_equal(first->where, taker->where)) return NONE;
  const operand_view *in = &taker->in[0];
  const entry *e = &d->entries[in->entry];
  if (!e->fresh || e->store->ptr || e->mixed || e->first != number) return NONE;
  if (is_kept(e, last) && !taker->where.device->folds_all) return NONE;
  if (!is_whole(d, in, &taker->in_shape) || !can_take(d, g, taker)) return NONE;
  for (int k = number + 1; k <= last; k++)
    if (reads(d, g, d->steps[d->groups[k].first].out.entry)) return NONE;
  int folded = NONE;
  for (int i = g->first; i != NONE; i = d->steps[i].next) {
    const operand_view *out = &d->steps[i].out;
    if (!d->steps[i].stored) continue;
    if (!is_whole(d, out, &d->steps[i].shape) || reads(d, g, out->entry)) return NONE;
    if (out->entry == in->entry && out->dtype == in->dtype) folded = i;
  }
  return folded;
}

/* Folds the result of group `number`, for the groups up to group `last`, if that is possible. */
static void fold_group(deferral *d, int number, int last) {
  group *g = &d->groups[number];
  g->folded = find_folded(d, number, last);
  if (g->folded == NONE) return;
  entry *e = &d->entries[d->steps[g->folded].out.entry];
  if (!is_kept(e, last)) e->local = e->folded = true;
}

/* Joins a group that belongs to no tiles, and the groups that take its result, to a tile of one row. */
static void fold_whole(deferral *d, int number) {
  group *g = &d->groups[number];
  const device *on = d->steps[g->first].where.device;
  if (d->groups[number].tile_end > number || number + 1 == d->ngroup || g[1].tile_end > number + 1) return;
  if (!on->folds_all && (on->tile_bytes == 0 || d->steps[g->first].count < LEAST_FOLDED)) return;
  int last = last_taker(d, number);
  fold_group(d, number, last);
  if (g->folded == NONE) return;
  g->tile_end = last;
  g->rows = 1;
}

void make_tiles(deferral *d) {
  for (int g = 0, end; g < d->ngroup; g = end + 1) end = tile_from(d, g);
  find_uses(d);
  for (int g = 0; g < d->ngroup; g = d->groups[g].tile_end + 1) {
    int end = d->groups[g].tile_end;
    if (end == g) fold_whole(d, g);
    else mark_local(d, g, end, d->groups[g].rows);
    for (int k = g; k < end; k++) fold_group(d, k, k + 1);
  }
}
