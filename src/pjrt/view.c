/* Operands: elements of a block at an offset, with strides. Most views are boxes: the block's elements in a shape whose strides
** are those of the view, of which the view takes a part of each dim. Others are read by gather and written by scatter. */

#include "pjrt/queue.h"

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
  bool    reversed[MAX_DIMS];
  int     nreversed;
} upright;

static upright make_upright(const shape *s, const int64_t *stride, int64_t offset) {
  upright u = {.offset = offset};
  for (int k = 0; k < s->ndim; k++) {
    u.stride[k] = s->dim[k] == 1 ? 0 : stride[k];
    if (u.stride[k] >= 0) continue;
    u.offset += (s->dim[k] - 1) * u.stride[k];
    u.stride[k] = -u.stride[k];
    u.reversed[k] = true;
    u.nreversed++;
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

static int emit_slice(emission *e, int value, enum dtype d, const shape *from, const int64_t *start, const shape *to) {
  if (shape_equal(from, to)) return value;
  emit(e, "%%%d = stablehlo.slice %%%d [", e->next, value);
  for (int k = 0; k < to->ndim; k++) emit(e, "%s%lld:%lld", k ? ", " : "", (long long)start[k], (long long)(start[k] + to->dim[k]));
  emit(e, "]");
  emit_ends(e, d, from, to);
  return e->next++;
}

/* Appends zeros, or removes elements at the end, so that an array of one dim has `to` elements. */
static int emit_resize(emission *e, int value, enum dtype d, int64_t from, int64_t to) {
  static const int64_t zero[1] = {0};
  shape before = {1, {from}}, after = {1, {to}}, none = {.ndim = 0};
  if (to <= from) return emit_slice(e, value, d, &before, zero, &after);
  int fill = emit_constant(e, d, &none, (scalar){0});
  emit(e, "%%%d = stablehlo.pad %%%d, %%%d, low = [0], high = [%lld], interior = [0] : (", e->next, value, fill, (long long)(to - from));
  emit_type(e, d, &before);
  emit(e, ", ");
  emit_type(e, d, &none);
  emit(e, ") -> ");
  emit_type(e, d, &after);
  emit(e, "\n");
  return e->next++;
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
  emit_ends(e, d, from, &to);
  return e->next++;
}

static int emit_reverse(emission *e, int value, enum dtype d, const shape *s, const upright *u) {
  int64_t dims[MAX_DIMS];
  int n = 0;
  for (int k = 0; k < s->ndim; k++)
    if (u->reversed[k]) dims[n++] = k;
  if (n == 0) return value;
  emit(e, "%%%d = stablehlo.reverse %%%d, ", e->next, value);
  emit_list(e, "dims", dims, n);
  emit(e, " : ");
  emit_type(e, d, s);
  emit(e, "\n");
  return e->next++;
}

/* Returns the positions in the block of all elements of a view, int64. */
static int emit_positions(emission *e, const shape *s, const upright *u) {
  int sum = emit_constant(e, DT_int64, s, (scalar){.i = u->offset});
  for (int k = 0; k < s->ndim; k++) {
    if (u->stride[k] == 0) continue;
    int by = emit_constant(e, DT_int64, s, (scalar){.i = u->stride[k]});
    int place = emit_iota(e, DT_int64, s, k);
    int term = emit_simple(e, "stablehlo.multiply", 2, (int[]){place, by}, DT_int64, s);
    sum = emit_simple(e, "stablehlo.add", 2, (int[]){sum, term}, DT_int64, s);
  }
  return sum;
}

/* ---- reading ---- */

/* Returns the elements of a box, with the dims of the view. */
static int read_box(emission *e, const box *b, const upright *u, int flat, enum dtype d, int64_t count, const shape *s) {
  shape sorted = {.ndim = b->n}, kept = {.ndim = b->n};
  int   order[MAX_DIMS];
  int64_t dims[MAX_DIMS];
  int value = emit_resize(e, flat, d, count, b->padded), n = 0;
  value = emit_reshape(e, value, d, &(shape){1, {b->padded}}, &b->outer);
  value = emit_slice(e, value, d, &b->outer, b->start, &b->inner);
  for (int k = 0; k < b->n; k++) sorted.dim[k] = s->dim[b->order[k]];
  value = emit_reshape(e, value, d, &b->inner, &sorted);
  for (int k = 0; k < s->ndim; k++)
    for (int i = 0; i < b->n; i++)
      if (b->order[i] == k) {
        order[n] = i;
        kept.dim[n] = s->dim[k];
        dims[n++] = k;
      }
  value = emit_transpose(e, value, d, &sorted, order);
  value = emit_broadcast(e, value, d, &kept, dims, s);
  return emit_reverse(e, value, d, s, u);
}

static int read_anywhere(emission *e, const upright *u, int flat, enum dtype d, int64_t count, const shape *s) {
  int positions = emit_positions(e, s, u);
  emit(e, "%%%d = \"stablehlo.gather\"(%%%d, %%%d) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], "
       "start_index_map = [0], index_vector_dim = %d>, slice_sizes = array<i64: 1>}> : (", e->next, flat, positions, s->ndim);
  emit_type(e, d, &(shape){1, {count}});
  emit(e, ", ");
  emit_type(e, DT_int64, s);
  emit(e, ") -> ");
  emit_type(e, d, s);
  emit(e, "\n");
  return emit_reverse(e, e->next++, d, s, u);
}

/* Returns a number as a tensor. */
static int read_number(pjrt_queue *q, const operand *o, const shape *s, int *st) {
  static const shape none = {.ndim = 0};
  int value = queue_number(q, o->dtype, o->value);
  *st = value == EMIT_NONE ? ERR_MEMORY : OK;
  return emit_broadcast(&q->lines, value, o->dtype, &none, NULL, s);
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
  return make_box(s, &u, count, &in) ? read_box(&q->lines, &in, &u, flat, o->dtype, count, s)
                                     : read_anywhere(&q->lines, &u, flat, o->dtype, count, s);
}

/* ---- writing ---- */

bool queue_accepts(const pjrt_queue *q, const operand *o) {
  const block *b = block_of(q, o->data);
  return !b || !b->pending || b->dtype == o->dtype;
}

/* Replaces a box of the elements `flat` by a value with the dims of the view. Returns all elements. */
static int write_box(emission *e, const box *b, int flat, enum dtype d, int64_t count, const shape *s, int value) {
  static const shape none = {.ndim = 0};
  shape kept = {.ndim = b->n}, sorted = {.ndim = b->n};
  int   order[MAX_DIMS], starts[MAX_DIMS], n = 0;
  for (int k = 0; k < s->ndim; k++)
    for (int i = 0; i < b->n; i++)
      if (b->order[i] == k) {
        order[i] = n;
        kept.dim[n++] = s->dim[k];
      }
  for (int i = 0; i < b->n; i++) sorted.dim[i] = s->dim[b->order[i]];
  value = emit_reshape(e, value, d, s, &kept);
  value = emit_transpose(e, value, d, &kept, order);
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

static int write_anywhere(emission *e, const upright *u, int flat, enum dtype d, int64_t count, const shape *s, int value) {
  int positions = emit_positions(e, s, u);
  emit(e, "%%%d = \"stablehlo.scatter\"(%%%d, %%%d, %%%d) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = "
       "[0], scatter_dims_to_operand_dims = [0], index_vector_dim = %d>, unique_indices = true}> ({\n^bb0(%%old: tensor<%s>, "
       "%%new: tensor<%s>):\nstablehlo.return %%new : tensor<%s>\n}) : (", e->next, flat, positions, value, s->ndim, emit_name(d),
       emit_name(d), emit_name(d));
  emit_type(e, d, &(shape){1, {count}});
  emit(e, ", ");
  emit_type(e, DT_int64, s);
  emit(e, ", ");
  emit_type(e, d, s);
  emit(e, ") -> ");
  emit_type(e, d, &(shape){1, {count}});
  emit(e, "\n");
  return e->next++;
}

int queue_put(pjrt_queue *q, const operand *o, const shape *s, const int64_t *stride, int value) {
  int64_t offset, count;
  box to;
  emission *e = &q->lines;
  block *b = find_operand(q, o, &offset);
  if (!b || b->bytes % (size_t)dtype_size(o->dtype)) return ERR_NO_KERNEL;
  count = block_count(b, o->dtype);
  int64_t elements = 1;
  for (int k = 0; k < s->ndim; k++) elements *= s->dim[k];
  if (elements == count && shape_is_contiguous(s, stride)) return queue_set(q, b, o->dtype, EMIT_NONE, value, s);
  int st = OK, flat = elements == count ? EMIT_NONE : queue_flat(q, b, o->dtype, &st);
  if (st != OK) return st;
  upright u = make_upright(s, stride, offset);
  value = emit_reverse(e, value, o->dtype, s, &u);
  bool is_box = make_box(s, &u, count, &to);
  if (!is_box && flat == EMIT_NONE) return ERR_NO_KERNEL;
  flat = is_box ? write_box(e, &to, flat, o->dtype, count, s, value) : write_anywhere(e, &u, flat, o->dtype, count, s, value);
  return queue_set(q, b, o->dtype, flat, EMIT_NONE, s);
}
