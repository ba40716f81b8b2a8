/* Finds groups that are computed tile by tile. A tile is a range of rows, which are positions in the leading dims. Row i
** of each operand is read and written only for row i of the others, so all groups run on one tile before the next tile,
** while its elements are in the cache. Results that only these groups read need memory for one tile. */

#include "op/deferral/list.h"

enum {
  LEAST    = 1 << 15,                  /* the fewest elements of the first group: the results of fewer elements stay in
                                       ** the cache anyway */
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
      if (known) continue;
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
  const shape *in = input_shape(s);
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

void make_tiles(deferral *d) {
  bool any = false;
  for (int g = 0, end; g < d->ngroup; g = end + 1) {
    end = tile_from(d, g);
    any |= end > g;
  }
  if (!any) return;
  find_uses(d);
  for (int g = 0; g < d->ngroup; g = d->groups[g].tile_end + 1)
    if (d->groups[g].tile_end > g) mark_local(d, g, d->groups[g].tile_end, d->groups[g].rows);
}
