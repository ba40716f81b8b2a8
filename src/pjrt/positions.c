/* Elements at positions: index tensors, sorts and searches. */

#include "pjrt/queue.h"
#include "pjrt/translate.h"

/* ---- index tensors ----
** The target is read as [indexed dims …, window …], and the indexed dims are joined to one dim of n elements. The window has
** the last dims of the plan, on which no index depends. */

typedef struct layout {
  shape   s, picks, target, joined;    /* of the values, of the positions, and of the target before and after the joining */
  int64_t stride[MAX_DIMS], n;         /* the strides of the target */
} layout;

static bool is_plain(const index_call *c, int d) {
  bool plain = c->plan.stride[1][d] != 0;
  for (int k = 0; k < c->nindex; k++) plain &= c->index[k].stride[d] == 0;
  return plain;
}

static void add_dim(layout *l, int64_t n, int64_t stride) {
  l->stride[l->target.ndim] = stride;
  l->target.dim[l->target.ndim++] = n;
}

static layout make_layout(const index_call *c) {
  const plan *p = &c->plan;
  layout l = {.s = plan_shape(p), .picks = plan_shape(p), .n = 1};
  while (l.picks.ndim && is_plain(c, l.picks.ndim - 1)) l.picks.ndim--;
  for (int k = 0; k < c->nindex; k++) add_dim(&l, c->index[k].length, c->index[k].step);
  for (int d = 0; d < l.picks.ndim; d++)
    if (p->stride[1][d]) add_dim(&l, p->shape[d], p->stride[1][d]);
  for (int k = 0; k < l.target.ndim; k++) l.n *= l.target.dim[k];
  l.joined = (shape){1, {l.n}};
  for (int d = l.picks.ndim; d < p->ndim; d++) {
    add_dim(&l, p->shape[d], p->stride[1][d]);
    l.joined.dim[l.joined.ndim++] = p->shape[d];
  }
  return l;
}

/* Computes the positions of all picks along the joined dim. */
static term find_places(pjrt_queue *q, const index_call *c, const layout *l, int *st) {
  term t[3] = {term_integer(0)};
  for (int k = 0; k < c->nindex && *st == OK; k++) {
    const operand index = {.data = (void *)(uintptr_t)c->index[k].data, .dtype = DT_int64};
    t[1] = term_integer(c->index[k].length);
    t[2] = term_of(queue_get(q, &index, &l->picks, c->index[k].stride, st), DT_int64);
    if (*st == OK) t[0] = emit_formula(&q->lines, &l->picks, DT_int64, "p * n + (x < 0 ? x + n : x - 1)", "pnx", t);
  }
  for (int d = 0; d < l->picks.ndim && *st == OK; d++) {
    if (c->plan.stride[1][d] == 0) continue;
    t[1] = term_integer(l->picks.dim[d]);
    t[2] = term_of(emit_iota(&q->lines, DT_int64, &l->picks, d), DT_int64);
    t[0] = emit_formula(&q->lines, &l->picks, DT_int64, "p * n + x", "pnx", t);
  }
  return t[0];
}

/* Replaces the position of each pick by one behind the last element, unless it is the last pick of its element. */
static term keep_last(emission *e, const layout *l, term places) {
  shape flat = {.ndim = 1};
  shape_count(&l->picks, 1, &flat.dim[0]);
  int order = emit_reshape(e, emit_iota(e, DT_int64, &flat, 0), DT_int64, &flat, &l->picks);
  int last = emit_constant(e, DT_int64, &(shape){1, {l->n}}, (scalar){0});
  last = emit_scatter(e, "stablehlo.maximum", last, DT_int64, l->n, places.value, &l->picks, 0, order);
  last = emit_gather(e, last, DT_int64, l->n, places.value, &l->picks, 0);
  const term t[] = {places, term_of(order, DT_int64), term_of(last, DT_int64), term_integer(l->n)};
  return emit_formula(e, &l->picks, DT_int64, "w == i ? p : n + i", "piwn", t);
}

/* Checks the indices, which come to the host, as the CPU does. */
static int check_indices(pjrt_queue *q, const index_call *c) {
  int st = OK;
  for (int k = 0; k < c->nindex && st == OK; k++) {
    const index_source *x = &c->index[k];
    block *b = block_of(q, x->data);
    st = b ? block_read(q, b) : x->count ? ERR_NO_KERNEL : OK;
    for (int64_t i = 0; i < x->count && st == OK; i++)
      if (x->data[i] == 0 || x->data[i] < -x->length || x->data[i] > x->length) {
        *c->bad = x->data[i];
        *c->bad_index = k;
        st = ERR_INDEX;
      }
  }
  return st;
}

/* The CPU computes calls whose indices come from a mask: their shapes depend on values, so that programs would not come again. */
int queue_index(pjrt_queue *q, const index_call *c) {
  const enum dtype d = c->target.dtype;
  const int64_t *stride = c->plan.stride[0];
  emission *e = &q->lines;
  int value = EMIT_NONE;
  if (c->sound || c->nindex == 0 || c->nindex + c->plan.ndim > MAX_DIMS) return ERR_NO_KERNEL;
  int st = check_indices(q, c);
  if (st != OK || c->plan.count == 0) return st;
  const layout l = make_layout(c);
  const int window = l.s.ndim - l.picks.ndim;
  term places = find_places(q, c, &l, &st);
  if (st == OK && c->op != INDEX_get) value = queue_get(q, &c->values, &l.s, stride, &st);
  int target = st == OK ? queue_get(q, &c->target, &l.target, l.stride, &st) : EMIT_NONE;
  if (st != OK) return st;
  target = emit_reshape(e, target, d, &l.target, &l.joined);
  if (c->op == INDEX_get) return queue_put(q, &c->values, &l.s, stride, emit_gather(e, target, d, l.n, places.value, &l.s, window));
  if (c->op == INDEX_put && l.picks.ndim) places = keep_last(e, &l, places);
  value = emit_scatter(e, c->op == INDEX_put ? NULL : "stablehlo.add", target, d, l.n, places.value, &l.s, window, value);
  return queue_put(q, &c->target, &l.target, l.stride, emit_reshape(e, value, d, &l.joined, &l.target));
}

/* ---- order ---- */

/* Returns integers that are ordered like the elements of an operand. */
static term get_ranks(pjrt_queue *q, const operand *o, const shape *s, const int64_t *stride, term *x, int *st) {
  *x = term_of(queue_get(q, o, s, stride, st), o->dtype);
  return *st == OK ? emit_formula(&q->lines, s, o->dtype, "order(x)", "x", x) : *x;
}

void emit_sort(emission *e, bool descending, const shape *s, term t[3]) {
  static const shape one = {0};
  int result = e->next, body = result + 3;
  e->next += 9;
  emit(e, "%%%d, %%%d, %%%d = \"stablehlo.sort\"(%%%d, %%%d, %%%d) <{dimension = %d : i64, is_stable = true}> ({\n^bb0(", result,
       result + 1, result + 2, t[0].value, t[1].value, t[2].value, s->ndim - 1);
  for (int k = 0; k < 6; k++) emit(e, "%s%%%d: tensor<%s>", k ? ", " : "", body + k, emit_name(t[k / 2].dtype));
  emit(e, "):\n%%%d = stablehlo.compare %s, %%%d, %%%d", e->next, descending ? "GT" : "LT", body, body + 1);
  int before = emit_end(e, 2, t[0].dtype, &one, t[0].dtype, &one, DT_bool, &one);
  emit(e, "stablehlo.return %%%d : tensor<i1>\n}) : ", before);
  for (int k = 0; k < 6; k++) {
    emit(e, k == 0 ? "(" : k == 3 ? ") -> (" : ", ");
    emit_type(e, t[k % 3].dtype, s);
  }
  emit(e, ")\n");
  for (int k = 0; k < 3; k++) t[k].value = result + k;
}

term emit_places(emission *e, const shape *s) {
  const term place = term_of(emit_iota(e, DT_int64, s, s->ndim - 1), DT_int64);
  return emit_formula(e, s, DT_int64, "p + 1", "p", &place);
}

/* Sorts ranks, elements and positions together. XLA leaves out what is not used. A selection is the CPU's. */
int queue_sort(pjrt_queue *q, const sort_call *c) {
  const operand *const out[] = {&c->values, &c->positions};
  const int64_t step[] = {c->values_stride, c->positions_stride}, zero[MAX_DIMS] = {0};
  shape s, kept;
  int64_t stride[MAX_DIMS];
  term t[3];
  int st = OK;
  if (c->select || c->outer.count == 0 || c->n == 0 || c->outer.ndim == MAX_DIMS) return ERR_NO_KERNEL;
  if (!queue_accepts(q, out[0]) || !queue_accepts(q, out[1])) return QUEUE_AGAIN;
  plan_part(&c->outer, 1, c->n, c->in_stride, &s, stride);
  t[0] = get_ranks(q, &c->in, &s, stride, &t[1], &st);
  if (st != OK) return st;
  t[2] = emit_places(&q->lines, &s);
  emit_sort(&q->lines, c->descending, &s, t);
  for (int k = 0; k < 2 && st == OK; k++) {
    if (!out[k]->data) continue;
    plan_part(&c->outer, 2 * k, c->keep, step[k], &kept, stride);
    st = queue_put(q, out[k], &kept, stride, emit_slice(&q->lines, t[1 + k].value, t[1 + k].dtype, &s, zero, &kept));
  }
  return st;
}

/* ---- searches ---- */

/* The steps of the CPU: f is the first position that is still possible in row r, and h half the number of such positions. */
int queue_search(pjrt_queue *q, const search_call *c) {
  enum { F, H, R, X, V, N, NAMES };
  static const char names[] = "fhrxvn";
  const operand sorted = {.data = (void *)(uintptr_t)c->sorted, .dtype = c->dtype}, out = {.data = c->out, .dtype = DT_int64};
  const operand values = {.data = (void *)(uintptr_t)c->values, .dtype = c->dtype};
  const shape all = {1, {c->rows * c->n}}, s = {2, {c->rows, c->count}};
  const int64_t stride[] = {c->count, 1}, one[] = {1};
  emission *e = &q->lines;
  term t[NAMES], unused, ranks;
  int st = OK;
  if (all.dim[0] == 0 || c->rows * c->count == 0) return ERR_NO_KERNEL;
  ranks = get_ranks(q, &sorted, &all, one, &unused, &st);
  if (st == OK) t[V] = get_ranks(q, &values, &s, stride, &unused, &st);
  if (st != OK) return st;
  t[F] = term_integer(0);
  t[R] = term_of(emit_iota(e, DT_int64, &s, 0), DT_int64);
  t[N] = term_integer(c->n);
  for (int64_t left = c->n, half; left > 0; left -= half) {
    half = (left + 1) / 2;
    t[H] = term_integer(half);
    int at = emit_formula(e, &s, DT_int64, "r * n + f + h - 1", names, t).value;
    t[X] = term_of(emit_gather(e, ranks.value, ranks.dtype, all.dim[0], at, &s, 0), ranks.dtype);
    t[F] = emit_formula(e, &s, DT_int64, c->right ? "v < x ? f : f + h" : "x < v ? f + h : f", names, t);
  }
  return queue_put(q, &out, &s, stride, emit_formula(e, &s, DT_int64, "f + 1", names, t).value);
}
