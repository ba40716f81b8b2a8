/* Elements at positions: index tensors, sorts and searches. */

#include "pjrt/queue.h"

/* ---- index tensors ----
** The target is read as [indexed dims …, window …], and the indexed dims are joined to one dim of n elements. The window has
** the last dims of the plan, on which no index depends. */

typedef struct layout {
  strided values, target;
  shape   picks, joined;               /* of the positions, and of the target after the joining */
  int64_t n;
} layout;

static bool is_plain(const index_call *c, int d) {
  bool plain = c->plan.stride[1][d] != 0;
  for (int k = 0; k < c->nindex; k++) plain &= c->index[k].stride[d] == 0;
  return plain;
}

static layout make_layout(const index_call *c) {
  const plan *p = &c->plan;
  layout l = {.values = strided_planned(p, 0)};
  l.picks = l.values.s;
  while (l.picks.ndim && is_plain(c, l.picks.ndim - 1)) l.picks.ndim--;
  for (int k = 0; k < c->nindex; k++) strided_add(&l.target, c->index[k].length, c->index[k].step);
  for (int d = 0; d < l.picks.ndim; d++)
    if (p->stride[1][d]) strided_add(&l.target, p->shape[d], p->stride[1][d]);
  shape_count(&l.target.s, 1, &l.n);
  l.joined = (shape){1, {l.n}};
  for (int d = l.picks.ndim; d < p->ndim; d++) {
    strided_add(&l.target, p->shape[d], p->stride[1][d]);
    l.joined.dim[l.joined.ndim++] = p->shape[d];
  }
  return l;
}

/* Computes the positions of all picks along the joined dim. */
static term find_places(pjrt_queue *q, const index_call *c, const layout *l) {
  emission *e = &q->lines;
  term p = term_integer(0);
  for (int k = 0; k < c->nindex; k++) {
    const operand index = {.data = (void *)(uintptr_t)c->index[k].data, .dtype = DT_int64};
    strided v = {.s.ndim = 0};
    for (int d = 0; d < l->picks.ndim; d++) strided_add(&v, l->picks.dim[d], c->index[k].stride[d]);
    p = FORMULA(e, &l->picks, DT_int64, "p * n + (x < 0 ? x + n : x - 1)", "p n x", p, term_integer(c->index[k].length),
                queue_get(q, &index, &v));
  }
  for (int d = 0; d < l->picks.ndim; d++)
    if (c->plan.stride[1][d])
      p = FORMULA(e, &l->picks, DT_int64, "p * n + x", "p n x", p, term_integer(l->picks.dim[d]),
                  term_of(emit_iota(e, DT_int64, &l->picks, d), DT_int64));
  return p;
}

/* Replaces the position of each pick by one behind the last element, unless it is the last pick of its element. */
static term keep_last(emission *e, const layout *l, term places) {
  shape flat = {.ndim = 1};
  shape_count(&l->picks, 1, &flat.dim[0]);
  int order = emit_reshape(e, emit_iota(e, DT_int64, &flat, 0), DT_int64, &flat, &l->picks);
  int last = emit_constant(e, DT_int64, &(shape){1, {l->n}}, (scalar){0});
  last = emit_scatter(e, "m_max(a, b)", last, DT_int64, l->n, places.value, &l->picks, 0, order);
  last = emit_gather(e, last, DT_int64, l->n, places.value, &l->picks, 0);
  return FORMULA(e, &l->picks, DT_int64, "w == i ? p : n + i", "p i w n", places, term_of(order, DT_int64), term_of(last, DT_int64),
                 term_integer(l->n));
}

int queue_check(pjrt_queue *q, const int64_t *at, int64_t n, int64_t low, int64_t high, const int64_t *except, int64_t *bad) {
  block *b = block_of(q, at);
  int st = b ? block_read(q, b) : n ? ERR_NO_KERNEL : OK;
  for (int64_t i = 0; i < n && st == OK; i++)
    if ((at[i] < low || at[i] > high || at[i] == 0) && !(except && at[i] == *except)) {
      *bad = at[i];
      st = ERR_INDEX;
    }
  return st;
}

/* The CPU computes calls whose indices come from a mask: their shapes depend on values, so that programs would not come again. */
int queue_index(pjrt_queue *q, const index_call *c) {
  const enum dtype d = c->target.dtype;
  emission *e = &q->lines;
  if (c->sound || c->nindex == 0 || c->nindex + c->plan.ndim > MAX_DIMS) return ERR_NO_KERNEL;
  int st = OK;
  for (int k = 0; k < c->nindex && st == OK; k++) {
    const index_source *x = &c->index[k];
    *c->bad_index = k;
    st = queue_check(q, x->data, x->count, -x->length, x->length, NULL, c->bad);
  }
  if (st != OK || c->plan.count == 0) return st;
  const layout l = make_layout(c);
  const shape *s = &l.values.s;
  const int window = s->ndim - l.picks.ndim;
  term places = find_places(q, c, &l), values = places;
  if (c->op != INDEX_get) values = queue_get(q, &c->values, &l.values);
  int target = emit_reshape(e, queue_get(q, &c->target, &l.target).value, d, &l.target.s, &l.joined);
  if (c->op == INDEX_get) {
    int got = emit_gather(e, target, d, l.n, places.value, s, window);
    return queue_put(q, &c->values, &l.values, term_of(got, d));
  }
  if (c->op == INDEX_put && l.picks.ndim) places = keep_last(e, &l, places);
  target = emit_scatter(e, c->op == INDEX_put ? "b" : "a + b", target, d, l.n, places.value, s, window, values.value);
  return queue_put(q, &c->target, &l.target, term_of(emit_reshape(e, target, d, &l.joined, &l.target.s), d));
}

/* ---- order ---- */

/* Returns integers that are ordered like the elements x. */
static term ranks(pjrt_queue *q, const shape *s, term x) { return FORMULA(&q->lines, s, x.dtype, "order(x)", "x", x); }

/* Sorts ranks, elements and positions together. XLA leaves out what is not used. A selection is the CPU's. */
int queue_sort(pjrt_queue *q, const sort_call *c) {
  const operand *const out[] = {&c->values, &c->positions};
  const int64_t step[] = {c->values_stride, c->positions_stride}, zero[MAX_DIMS] = {0};
  if (c->select || c->outer.count == 0 || c->n == 0 || c->outer.ndim == MAX_DIMS) return ERR_NO_KERNEL;
  strided in = strided_planned(&c->outer, 1);
  strided_add(&in, c->n, c->in_stride);
  term x = queue_get(q, &c->in, &in), t[] = {ranks(q, &in.s, x), x, emit_places(&q->lines, &in.s)};
  emit_sort(&q->lines, c->descending, &in.s, t);
  for (int k = 0; k < 2; k++) {
    if (!out[k]->data) continue;
    strided kept = strided_planned(&c->outer, 2 * k);
    strided_add(&kept, c->keep, step[k]);
    int part = emit_slice(&q->lines, t[1 + k].value, t[1 + k].dtype, &in.s, zero, &kept.s);
    queue_put(q, out[k], &kept, term_of(part, t[1 + k].dtype));
  }
  return OK;
}

/* ---- searches ---- */

/* The steps of the CPU: f is the first position that is still possible in row r, and h half the number of such positions. */
int queue_search(pjrt_queue *q, const search_call *c) {
  enum { F, H, R, X, V, N, NAMES };
  static const char names[] = "f h r x v n";
  const operand sorted = {.data = (void *)(uintptr_t)c->sorted, .dtype = c->dtype}, out = {.data = c->out, .dtype = DT_int64};
  const operand values = {.data = (void *)(uintptr_t)c->values, .dtype = c->dtype};
  const strided all = strided_line(c->rows * c->n), each = strided_plain(&(shape){2, {c->rows, c->count}});
  const shape *s = &each.s;
  emission *e = &q->lines;
  formula next = {s, 0, DT_int64, DT_none, c->right ? "v < x ? f : f + h" : "x < v ? f + h : f", names}, place = next, last = next;
  place.text = "r * n + f + h - 1";
  last.text = "f + 1";
  if (all.s.dim[0] == 0 || c->rows * c->count == 0) return ERR_NO_KERNEL;
  term in = ranks(q, &all.s, queue_get(q, &sorted, &all));
  term t[NAMES] = {[F] = term_integer(0), [V] = ranks(q, s, queue_get(q, &values, &each)), [N] = term_integer(c->n),
                   [R] = term_of(emit_iota(e, DT_int64, s, 0), DT_int64)};
  for (int64_t left = c->n, half; left > 0; left -= half) {
    half = (left + 1) / 2;
    t[H] = term_integer(half);
    int at = emit_formula(e, &place, t).value;
    t[X] = term_of(emit_gather(e, in.value, in.dtype, all.s.dim[0], at, s, 0), in.dtype);
    t[F] = emit_formula(e, &next, t);
  }
  return queue_put(q, &out, &each, emit_formula(e, &last, t));
}
