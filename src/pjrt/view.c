/* Operands: elements of a block at an offset, with strides. Most views are boxes: the block's elements in a shape whose strides
** are those of the view, of which the view takes a part of each dim. Others are read by gather and written by scatter. */

#include <string.h>

#include "pjrt/queue.h"
#include "pjrt/translate.h"

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
  shape before = {1, {from}}, after = {1, {to}}, none = {.ndim = 0};
  if (to <= from) return emit_slice(e, value, d, &before, zero, &after);
  int fill = emit_constant(e, d, &none, (scalar){0});
  emit(e, "%%%d = stablehlo.pad %%%d, %%%d, low = [0], high = [%lld], interior = [0]", e->next, value, fill, (long long)(to - from));
  return emit_end(e, 2, d, &before, d, &none, d, &after);
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
  if (same) return value;
  emit(e, "%%%d = stablehlo.transpose %%%d, ", e->next, value);
  emit_list(e, "dims", dims, from->ndim);
  return emit_end(e, 1, d, from, d, &to);
}

static int emit_reverse(emission *e, int value, enum dtype d, const shape *s, const upright *u) {
  if (u->nreversed == 0) return value;
  emit(e, "%%%d = stablehlo.reverse %%%d, ", e->next, value);
  emit_list(e, "dims", u->reversed, u->nreversed);
  emit(e, " : ");
  emit_type(e, d, s);
  emit(e, "\n");
  return e->next++;
}

/* Returns the positions in the block of all elements of a view, int64. */
static int emit_positions(emission *e, const shape *s, const upright *u) {
  term sum = term_integer(u->offset);
  for (int k = 0; k < s->ndim; k++) {
    const term t[] = {sum, term_of(emit_iota(e, DT_int64, s, k), DT_int64), term_integer(u->stride[k])};
    sum = emit_formula(e, s, DT_int64, "p + i * n", "pin", t);
  }
  return sum.value;
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

/* Returns a number as a tensor. */
static int read_number(pjrt_queue *q, const operand *o, const shape *s, int *st) {
  static const shape none = {.ndim = 0};
  int value = queue_number(q, o->dtype, o->value, st);
  return value == EMIT_NONE ? value : emit_broadcast(&q->lines, value, o->dtype, &none, NULL, s);
}

/* Finds the block of an operand, and the offset of the operand's first element in it. */
static block *find_operand(const pjrt_queue *q, const operand *o, int64_t *offset) {
  block *b = block_of(q, o->data);
  size_t bytes = b ? (size_t)((const char *)o->data - b->at) : 0, size = (size_t)dtype_size(o->dtype);
  *offset = (int64_t)(bytes / size);
  return bytes % size ? NULL : b;
}

int queue_get(pjrt_queue *q, const operand *o, const shape *s, const int64_t *stride, int *st) {
  int64_t offset, count;
  box in;
  if (!o->data) return read_number(q, o, s, st);
  block *b = find_operand(q, o, &offset);
  if (!b) *st = ERR_NO_KERNEL;
  int flat = b ? queue_flat(q, b, o->dtype, st) : EMIT_NONE;
  if (flat == EMIT_NONE) return EMIT_NONE;
  count = block_count(b, o->dtype);
  if (offset == 0 && b->run == q->run && b->whole != EMIT_NONE && shape_equal(&b->form, s) && shape_is_contiguous(s, stride))
    return b->whole;
  upright u = make_upright(s, stride, offset);
  if (make_box(s, &u, count, &in)) return read_box(&q->lines, &in, &u, flat, o->dtype, count, s);
  int value = emit_gather(&q->lines, flat, o->dtype, count, emit_positions(&q->lines, s, &u), s, 0);
  return emit_reverse(&q->lines, value, o->dtype, s, &u);
}

/* ---- writing ---- */

bool queue_accepts(const pjrt_queue *q, const operand *o) {
  const block *b = block_of(q, o->data);
  return !b || !b->pending || b->dtype == o->dtype;
}

/* Replaces a box of the elements `flat` by a value with the dims of the view. Returns all elements. */
static int write_box(emission *e, const box *b, int flat, enum dtype d, int64_t count, const shape *s, int value) {
  static const shape none = {.ndim = 0};
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
    for (int k = 0; k < b->outer.ndim; k++) starts[k] = emit_constant(e, DT_int64, &none, (scalar){.i = b->start[k]});
    emit(e, "%%%d = stablehlo.dynamic_update_slice %%%d, %%%d", e->next, all, value);
    for (int k = 0; k < b->outer.ndim; k++) emit(e, ", %%%d", starts[k]);
    emit(e, " : (");
    emit_type(e, d, &b->outer);
    emit(e, ", ");
    emit_type(e, d, &b->inner);
    for (int k = 0; k < b->outer.ndim; k++) emit(e, ", tensor<i64>");
    emit(e, ") -> ");
    emit_type(e, d, &b->outer);
    emit(e, "\n");
    value = e->next++;
  }
  value = emit_reshape(e, value, d, &b->outer, &(shape){1, {b->padded}});
  return emit_resize(e, value, d, b->padded, count);
}

int queue_put(pjrt_queue *q, const operand *o, const shape *s, const int64_t *stride, int value) {
  int64_t offset, count, elements;
  box to;
  emission *e = &q->lines;
  block *b = find_operand(q, o, &offset);
  if (!b || b->bytes % (size_t)dtype_size(o->dtype)) return ERR_NO_KERNEL;
  count = block_count(b, o->dtype);
  shape_count(s, 1, &elements);
  if (elements == count && shape_is_contiguous(s, stride)) return queue_set(q, b, o->dtype, EMIT_NONE, value, s);
  int st = OK, flat = elements == count ? EMIT_NONE : queue_flat(q, b, o->dtype, &st);
  if (st != OK) return st;
  upright u = make_upright(s, stride, offset);
  value = emit_reverse(e, value, o->dtype, s, &u);
  bool is_box = make_box(s, &u, count, &to);
  if (!is_box && flat == EMIT_NONE) return ERR_NO_KERNEL;
  flat = is_box ? write_box(e, &to, flat, o->dtype, count, s, value)
                : emit_scatter(e, NULL, flat, o->dtype, count, emit_positions(e, s, &u), s, 0, value);
  return queue_set(q, b, o->dtype, flat, EMIT_NONE, s);
}
