/* Operands: elements of a block at an offset, with strides. Most views are boxes: the block's elements in a shape whose strides
** are those of the view, of which the view takes a part of each dim. Others are read by gather and written by scatter. */

#include <string.h>

#include "pjrt/queue.h"

/* ---- plans ---- */

shape plan_shape(const plan *p) {
  shape s = {.ndim = p->ndim};
  memcpy(s.dim, p->shape, sizeof s.dim);
  return s;
}

void plan_part(const plan *p, int k, int64_t n, int64_t step, shape *s, int64_t *stride) {
  *s = plan_shape(p);
  memcpy(stride, p->stride[k], (size_t)p->ndim * sizeof *stride);
  s->dim[s->ndim] = n;
  stride[s->ndim++] = step;
}

/* ---- boxes ---- */

/* A view as a box. Dims of length 1 and of stride 0 are left out; the others are sorted by their strides, largest first. */
typedef struct box {
  shape   outer, inner;                /* the shape of the block's elements, and of the part */
  int64_t start[MAX_DIMS + 1];
  int64_t padded;                      /* elements of `outer`; more than the block has: the block is padded */
  int     n, order[MAX_DIMS];          /* order[k]: the dim of the view that is dim k of the box */
} box;

/* The strides of a view, made positive, and the offset of its first element after that. */
typedef struct upright {
  int64_t stride[MAX_DIMS], offset;
  int64_t reversed[MAX_DIMS];          /* the numbers of the dims with negative strides */
  int     nreversed;
} upright;

static upright make_upright(const shape *s, const int64_t *stride, int64_t offset) {
  upright u = {.offset = offset};
  for (int k = 0; k < s->ndim; k++) {
    u.stride[k] = s->dim[k] == 1 ? 0 : stride[k];
    if (u.stride[k] >= 0) continue;
    u.offset += (s->dim[k] - 1) * u.stride[k];
    u.stride[k] = -u.stride[k];
    u.reversed[u.nreversed++] = k;
  }
  return u;
}

static void sort_dims(const shape *s, const upright *u, box *b) {
  b->n = 0;
  for (int k = 0; k < s->ndim; k++) {
    if (u->stride[k] == 0) continue;
    int at = b->n++;
    for (; at > 0 && u->stride[b->order[at - 1]] < u->stride[k]; at--) b->order[at] = b->order[at - 1];
    b->order[at] = k;
  }
}

/* Describes a view of a block of `count` elements as a box. Returns false if it is none. */
static bool make_box(const shape *s, const upright *u, int64_t count, box *b) {
  int64_t rest = u->offset, above = 0;
  sort_dims(s, u, b);
  b->outer.ndim = b->inner.ndim = 0;
  b->padded = 1;
  for (int k = 0; k <= b->n; k++) {
    int64_t stride = k < b->n ? u->stride[b->order[k]] : 1, length = k < b->n ? s->dim[b->order[k]] : 1;
    int64_t dim = k == 0 ? (count + stride - 1) / stride : above / stride;
    if (k > 0 && above % stride != 0) return false;
    if (k == b->n && k > 0 && dim == 1) break;
    int at = b->outer.ndim;
    if (at == MAX_DIMS) return false;
    b->start[at] = rest / stride;
    rest %= stride;
    if (b->start[at] + length > dim) return false;
    b->outer.dim[at] = dim;
    b->inner.dim[at] = length;
    b->outer.ndim = b->inner.ndim = at + 1;
    b->padded *= dim;
    above = stride;
  }
  return true;
}

/* ---- lines ---- */

/* Appends zeros, or removes elements at the end, so that an array of one dim has `to` elements. */
static int emit_resize(emission *e, int value, enum dtype d, int64_t from, int64_t to) {
  static const int64_t zero[1] = {0};
  shape before = {1, {from}}, after = {1, {to}};
  if (to <= from) return emit_slice(e, value, d, &before, zero, &after);
  int fill = emit_constant(e, d, &no_dims, (scalar){0});
  return emit_line(e, "stablehlo.pad %%%d, %%%d, low = [0], high = [%i], interior = [0] : (%t, %t) -> %t", value, fill, to - from, d,
                   &before, d, &no_dims, d, &after);
}

/* Permutes dims: dim k of the result is dim order[k]. */
static int emit_transpose(emission *e, int value, enum dtype d, const shape *from, const int *order) {
  shape to = {.ndim = from->ndim};
  int64_t dims[MAX_DIMS];
  bool same = true;
  for (int k = 0; k < from->ndim; k++) {
    to.dim[k] = from->dim[order[k]];
    dims[k] = order[k];
    same = same && order[k] == k;
  }
  return same ? value : emit_line(e, "stablehlo.transpose %%%d, dims = [%a] : (%t) -> %t", value, dims, to.ndim, d, from, d, &to);
}

static int emit_reverse(emission *e, int value, enum dtype d, const shape *s, const upright *u) {
  if (u->nreversed == 0) return value;
  return emit_line(e, "stablehlo.reverse %%%d, dims = [%a] : %t", value, u->reversed, u->nreversed, d, s);
}

/* Returns the positions in the block of all elements of a view, int64. */
static int emit_positions(emission *e, const shape *s, const upright *u) {
  term sum = term_integer(u->offset);
  for (int k = 0; k < s->ndim; k++)
    sum = FORMULA(e, s, DT_int64, "p + i * n", "p i n", sum, term_of(emit_iota(e, DT_int64, s, k), DT_int64), term_integer(u->stride[k]));
  return term_spread(e, s, sum, 0).value;
}

/* Finds the dims of a view that are dims of its box: dim n of `kept` is dim dims[n] of the view and dim order[n] of `sorted`, whose
** dims have the order of the box. Dim i of `sorted` is dim back[i] of `kept`. */
static void find_orders(const box *b, const shape *s, int *order, int *back, int64_t *dims, shape *sorted, shape *kept) {
  int n = 0;
  sorted->ndim = kept->ndim = b->n;
  for (int k = 0; k < s->ndim; k++)
    for (int i = 0; i < b->n; i++) {
      if (b->order[i] != k) continue;
      order[n] = i;
      back[i] = n;
      dims[n] = k;
      sorted->dim[i] = kept->dim[n++] = s->dim[k];
    }
}

/* ---- reading ---- */

/* Returns the elements of a box, with the dims of the view. */
static int read_box(emission *e, const box *b, const upright *u, int flat, enum dtype d, int64_t count, const shape *s) {
  shape sorted, kept;
  int   order[MAX_DIMS], back[MAX_DIMS];
  int64_t dims[MAX_DIMS];
  find_orders(b, s, order, back, dims, &sorted, &kept);
  int value = emit_resize(e, flat, d, count, b->padded);
  value = emit_reshape(e, value, d, &(shape){1, {b->padded}}, &b->outer);
  value = emit_slice(e, value, d, &b->outer, b->start, &b->inner);
  value = emit_reshape(e, value, d, &b->inner, &sorted);
  value = emit_transpose(e, value, d, &sorted, order);
  value = emit_broadcast(e, value, d, &kept, dims, s);
  return emit_reverse(e, value, d, s, u);
}

/* Finds the block of an operand, and the offset of the operand's first element in it. */
static block *find_operand(const pjrt_queue *q, const operand *o, int64_t *offset) {
  block *b = block_of(q, o->data);
  size_t bytes = b ? (size_t)((const char *)o->data - b->at) : 0, size = (size_t)dtype_size(o->dtype);
  *offset = (int64_t)(bytes / size);
  return bytes % size ? NULL : b;
}

term queue_get(pjrt_queue *q, const operand *o, const shape *s, const int64_t *stride) {
  const enum dtype d = o->dtype;
  int64_t offset;
  box in;
  if (!o->data) return term_spread(&q->lines, s, queue_number(q, d, o->value), 0);
  block *b = find_operand(q, o, &offset);
  const values *v = b ? queue_values(q, b, d) : NULL;
  if (!b) emit_fail(&q->lines, ERR_NO_KERNEL);
  if (!v) return term_of(EMIT_NONE, d);
  int64_t count = block_count(b, d);
  if (offset == 0 && v->whole != EMIT_NONE && shape_equal(&v->form, s) && shape_is_contiguous(s, stride)) return term_of(v->whole, d);
  upright u = make_upright(s, stride, offset);
  if (make_box(s, &u, count, &in)) return term_of(read_box(&q->lines, &in, &u, v->flat, d, count, s), d);
  int value = emit_gather(&q->lines, v->flat, d, count, emit_positions(&q->lines, s, &u), s, 0);
  return term_of(emit_reverse(&q->lines, value, d, s, &u), d);
}

term queue_get_as(pjrt_queue *q, const operand *o, enum dtype to, const shape *s, const int64_t *stride) {
  operand from = *o;
  if (!o->data) from.dtype = to;
  return term_as(&q->lines, s, queue_get(q, &from, s, stride), to);
}

/* ---- writing ---- */

/* Replaces a box of the elements `flat` by a value with the dims of the view. Returns all elements. */
static int write_box(emission *e, const box *b, int flat, enum dtype d, int64_t count, const shape *s, int value) {
  shape sorted, kept;
  int   order[MAX_DIMS], back[MAX_DIMS], starts[MAX_DIMS];
  int64_t dims[MAX_DIMS];
  find_orders(b, s, order, back, dims, &sorted, &kept);
  value = emit_reshape(e, value, d, s, &kept);
  value = emit_transpose(e, value, d, &kept, back);
  value = emit_reshape(e, value, d, &sorted, &b->inner);
  if (!shape_equal(&b->inner, &b->outer)) {
    int all = emit_resize(e, flat, d, count, b->padded);
    all = emit_reshape(e, all, d, &(shape){1, {b->padded}}, &b->outer);
    for (int k = 0; k < b->outer.ndim; k++) starts[k] = emit_constant(e, DT_int64, &no_dims, (scalar){.i = b->start[k]});
    emit(e, "%%%d = stablehlo.dynamic_update_slice %%%d, %%%d", e->next, all, value);
    for (int k = 0; k < b->outer.ndim; k++) emit(e, ", %%%d", starts[k]);
    emit(e, " : (%t, %t", d, &b->outer, d, &b->inner);
    for (int k = 0; k < b->outer.ndim; k++) emit(e, ", tensor<i64>");
    emit(e, ") -> %t\n", d, &b->outer);
    value = e->next++;
  }
  value = emit_reshape(e, value, d, &b->outer, &(shape){1, {b->padded}});
  return emit_resize(e, value, d, b->padded, count);
}

int queue_put(pjrt_queue *q, const operand *o, const shape *s, const int64_t *stride, term t) {
  const enum dtype d = o->dtype;
  emission *e = &q->lines;
  int64_t offset, elements;
  box to;
  block *b = find_operand(q, o, &offset);
  int value = term_spread(e, s, term_as(e, s, t, d), 0).value, flat = EMIT_NONE;
  if (!b || b->bytes % (size_t)dtype_size(d)) emit_fail(e, ERR_NO_KERNEL);
  if (e->status != OK) return e->status;
  int64_t count = block_count(b, d);
  shape_count(s, 1, &elements);
  if (elements == count && shape_is_contiguous(s, stride)) return queue_set(q, b, d, EMIT_NONE, value, s);
  const values *v = elements == count ? NULL : queue_values(q, b, d);
  if (v) flat = v->flat;
  upright u = make_upright(s, stride, offset);
  value = emit_reverse(e, value, d, s, &u);
  if (make_box(s, &u, count, &to)) flat = write_box(e, &to, flat, d, count, s, value);
  else if (flat == EMIT_NONE) emit_fail(e, ERR_NO_KERNEL);
  else flat = emit_scatter(e, "b", flat, d, count, emit_positions(e, s, &u), s, 0, value);
  return queue_set(q, b, d, flat, EMIT_NONE, s);
}
