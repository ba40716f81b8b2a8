/* Operands: elements of a block at an offset, with strides. Most views are boxes: the block's elements in a shape whose strides
** are those of the view, of which the view takes a part of each dim. Others are read by gather and written by scatter. */

#include <stdlib.h>
#include <string.h>

#include "pjrt/queue.h"

/* ---- shapes and strides ---- */

void strided_add(strided *v, int64_t n, int64_t stride) {
  v->s.dim[v->s.ndim] = n;
  v->stride[v->s.ndim++] = stride;
}

strided strided_plain(const shape *s) {
  strided v = {.s = *s};
  shape_strides(s, v.stride);
  return v;
}

strided strided_line(int64_t n) { return (strided){{1, {n}}, {1}}; }

strided strided_planned(const plan *p, int k) {
  strided v = {.s.ndim = 0};
  for (int d = 0; d < p->ndim; d++) strided_add(&v, p->shape[d], p->stride[k][d]);
  return v;
}

/* ---- boxes ---- */

/* A view without the dims along which it repeats elements or has one element, and with positive strides. */
typedef struct upright {
  strided  v;
  int64_t  offset;                     /* of the first element */
  int64_t  reversed[MAX_DIMS];         /* the numbers of the dims that had negative strides */
  int      nreversed;
  unsigned left_out;                   /* dims of the whole view */
} upright;

/* An upright view as a box. */
typedef struct box {
  shape   outer, inner;                /* the shape of the block's elements, and of the part */
  int64_t start[MAX_DIMS];
  int64_t padded;                      /* elements of `outer`; more than the block has: the block is padded */
  shape   sorted;                      /* the view's dims, sorted by their strides, largest first */
  int64_t order[MAX_DIMS];             /* dim k of `sorted` is dim order[k] of the view */
  int64_t back[MAX_DIMS];              /* dim k of the view is dim back[k] of `sorted` */
} box;

static upright make_upright(const strided *v, int64_t offset) {
  upright u = {.offset = offset};
  for (int k = 0; k < v->s.ndim; k++) {
    const int64_t n = v->s.dim[k], stride = v->stride[k];
    if (stride == 0 || n == 1) {
      u.left_out |= 1u << k;
      continue;
    }
    if (stride < 0) {
      u.offset += (n - 1) * stride;
      u.reversed[u.nreversed++] = u.v.s.ndim;
    }
    strided_add(&u.v, n, llabs(stride));
  }
  return u;
}

static void sort_dims(const upright *u, box *b) {
  const int n = b->sorted.ndim = u->v.s.ndim;
  for (int k = 0, at; k < n; b->order[at] = k++)
    for (at = k; at > 0 && u->v.stride[b->order[at - 1]] < u->v.stride[k]; at--) b->order[at] = b->order[at - 1];
  for (int k = 0; k < n; k++) {
    b->sorted.dim[k] = u->v.s.dim[b->order[k]];
    b->back[b->order[k]] = k;
  }
}

/* Returns the stride of dim k of a box. If no dim of the view has stride 1, the box has another dim at the end. */
static int64_t box_stride(const upright *u, const box *b, int k) { return k < u->v.s.ndim ? u->v.stride[b->order[k]] : 1; }

/* Describes a view of a block of `count` elements as a box. Returns false if it is none. */
static bool make_box(const upright *u, int64_t count, box *b) {
  sort_dims(u, b);
  const int n = u->v.s.ndim;
  const bool ends = n && box_stride(u, b, n - 1) == 1;
  if (!ends && n == MAX_DIMS) return false;
  b->inner = b->sorted;
  if (!ends) b->inner.dim[b->inner.ndim++] = 1;
  b->outer.ndim = b->inner.ndim;
  int64_t largest = box_stride(u, b, 0), above = (count + largest - 1) / largest * largest, rest = u->offset;
  b->padded = above;
  for (int k = 0; k < b->outer.ndim; k++) {
    const int64_t stride = box_stride(u, b, k);
    b->outer.dim[k] = above / stride;
    b->start[k] = rest / stride;
    if (above % stride != 0 || b->start[k] + b->inner.dim[k] > b->outer.dim[k]) return false;
    rest %= stride;
    above = stride;
  }
  return true;
}

/* ---- lines ---- */

/* Appends zeros, or removes elements at the end, so that an array of one dim has `to` elements. */
static int emit_resize(emission *e, int value, enum dtype d, int64_t from, int64_t to) {
  const int64_t none = 0;
  if (from == to) return value;
  return emit_pad(e, value, d, &(shape){1, {from}}, (scalar){0}, &none, &none, &(shape){1, {to}});
}

/* Permutes dims: dim k of the result is dim dims[k]. */
static int emit_transpose(emission *e, int value, enum dtype d, const shape *from, const int64_t *dims, const shape *to) {
  bool same = true;
  for (int k = 0; k < to->ndim; k++) same &= dims[k] == k;
  return same ? value : emit_line(e, "stablehlo.transpose %%%d, dims = [%a] : (%t) -> %t", value, dims, to->ndim, d, from, d, to);
}

static int emit_reverse(emission *e, int value, enum dtype d, const upright *u) {
  if (u->nreversed == 0) return value;
  return emit_line(e, "stablehlo.reverse %%%d, dims = [%a] : %t", value, u->reversed, u->nreversed, d, &u->v.s);
}

/* Returns the positions in the block of all elements of a view, int64. */
static int emit_positions(emission *e, const upright *u) {
  const shape *s = &u->v.s;
  term sum = term_integer(u->offset);
  for (int k = 0; k < s->ndim; k++)
    sum = FORMULA(e, s, DT_int64, "p + i * n", "p i n", sum, term_of(emit_iota(e, DT_int64, s, k), DT_int64), term_integer(u->v.stride[k]));
  return term_spread(e, s, sum, 0).value;
}

/* ---- reading ---- */

/* Returns the elements of a box, with the dims of the upright view. */
static int read_box(emission *e, const box *b, const upright *u, int flat, enum dtype d, int64_t count) {
  int value = emit_resize(e, flat, d, count, b->padded);
  value = emit_reshape(e, value, d, &(shape){1, {b->padded}}, &b->outer);
  value = emit_slice(e, value, d, &b->outer, b->start, &b->inner);
  value = emit_reshape(e, value, d, &b->inner, &b->sorted);
  return emit_transpose(e, value, d, &b->sorted, b->back, &u->v.s);
}

/* Finds the block of an operand, and the offset of the operand's first element in it. */
static block *find_operand(const pjrt_queue *q, const operand *o, int64_t *offset) {
  block *b = block_of(q, o->data);
  size_t bytes = b ? (size_t)((const char *)o->data - b->at) : 0, size = (size_t)dtype_size(o->dtype);
  *offset = (int64_t)(bytes / size);
  return bytes % size ? NULL : b;
}

term queue_get(pjrt_queue *q, const operand *o, const strided *view) {
  const enum dtype d = o->dtype;
  const shape *s = &view->s;
  int64_t offset;
  box in;
  if (!o->data) return term_spread(&q->lines, s, queue_number(q, d, o->value), 0);
  block *b = find_operand(q, o, &offset);
  const values *v = b ? queue_values(q, b, d) : NULL;
  if (!b) emit_fail(&q->lines, ERR_NO_KERNEL);
  if (!v) return term_of(EMIT_NONE, d);
  int64_t count = block_count(b, d);
  if (offset == 0 && v->whole != EMIT_NONE && shape_equal(&v->form, s) && shape_is_contiguous(s, view->stride)) return term_of(v->whole, d);
  const upright u = make_upright(view, offset);
  int value = make_box(&u, count, &in) ? read_box(&q->lines, &in, &u, v->flat, d, count)
                                       : emit_gather(&q->lines, v->flat, d, count, emit_positions(&q->lines, &u), &u.v.s, 0);
  value = emit_reverse(&q->lines, value, d, &u);
  return term_spread(&q->lines, s, (term){.value = value, .dtype = d, .without = u.left_out}, 0);
}

term queue_get_as(pjrt_queue *q, const operand *o, enum dtype to, const strided *v) {
  operand from = *o;
  if (!o->data) from.dtype = to;
  return term_as(&q->lines, &v->s, queue_get(q, &from, v), to);
}

/* ---- writing ---- */

/* Replaces a box of the elements `flat` by a value with the dims of the upright view. Returns all elements. */
static int write_box(emission *e, const box *b, const upright *u, int flat, enum dtype d, int64_t count, int value) {
  int starts[MAX_DIMS];
  value = emit_transpose(e, value, d, &u->v.s, b->order, &b->sorted);
  value = emit_reshape(e, value, d, &b->sorted, &b->inner);
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

int queue_put(pjrt_queue *q, const operand *o, const strided *view, term t) {
  const enum dtype d = o->dtype;
  const shape *s = &view->s;
  emission *e = &q->lines;
  int64_t offset, elements;
  box to;
  block *b = find_operand(q, o, &offset);
  int value = term_spread(e, s, term_as(e, s, t, d), 0).value, flat = EMIT_NONE;
  if (!b || b->bytes % (size_t)dtype_size(d)) emit_fail(e, ERR_NO_KERNEL);
  if (e->status != OK) return e->status;
  int64_t count = block_count(b, d);
  shape_count(s, 1, &elements);
  if (elements == count && shape_is_contiguous(s, view->stride)) return queue_set(q, b, d, EMIT_NONE, value, s);
  const values *v = elements == count ? NULL : queue_values(q, b, d);
  if (v) flat = v->flat;
  const upright u = make_upright(view, offset);
  value = emit_reverse(e, emit_reshape(e, value, d, s, &u.v.s), d, &u);
  if (make_box(&u, count, &to)) flat = write_box(e, &to, &u, flat, d, count, value);
  else if (flat == EMIT_NONE) emit_fail(e, ERR_NO_KERNEL);
  else flat = emit_scatter(e, "b", flat, d, count, emit_positions(e, &u), &u.v.s, 0, value);
  return queue_set(q, b, d, flat, EMIT_NONE, s);
}
