#include "op/host.h"

#include "base/dispatch.h"
#include "base/view.h"
#include "op/op.h"

tensor host_tensor(storage *s, enum dtype d, const shape *dims, void *data) {
  tensor t = {.store = s, .dtype = d, .shape = *dims, .count = 1};
  *s = (storage){.place = host_place(), .ptr = data, .refs = 1};
  for (int k = 0; k < dims->ndim; k++) t.count *= dims->dim[k];
  shape_strides(dims, t.stride);
  return t;
}

static bool on_host(const tensor *t) { return place_is_host(t->store->place); }

static bool is_captured(const tensor *t) { return place_is_captured(t->store->place); }

const void *host_elements(const tensor *t) {
  return on_host(t) && tensor_is_contiguous(t) && !is_captured(t) ? tensor_data(t) : NULL;
}

/* ---- between devices ---- */

int host_pack(tensor *out, const tensor *in) { return op_copy_by(device_map, out, in); }

static size_t bytes_of(const tensor *t) { return (size_t)t->count * (size_t)dtype_size(t->dtype); }

/* Copies from the host. From page-locked memory the device may copy after the call: the next use of the memory by the host
** waits for the copy (storage_touch). Other libraries that have the address would not wait. */
static int send_in(tensor *out, const tensor *in) {
  place to = out->store->place;
  storage *s = in->store;
  if (s->pinned != to.device || s->exported) return device_copy_in(to, tensor_data(out), tensor_data(in), bytes_of(in));
  s->copying = true;
  return device_copy_in_later(to, tensor_data(out), tensor_address(in), bytes_of(in));
}

/* Copies the bytes of `in` to `out`. Both tensors are contiguous and have the same dtype and shape. Between two kinds
** of devices the bytes pass through the host. */
static int send(tensor *out, const tensor *in) {
  place to = out->store->place, from = in->store->place;
  if (place_same_kind(from, to))
    return device_copy_across(to, tensor_data(out), from, tensor_data(in), bytes_of(in));
  if (on_host(in)) return send_in(out, in);
  if (on_host(out)) return device_copy_out(tensor_data(out), from, tensor_data(in), bytes_of(in));
  tensor here = {.store = NULL};
  int st = tensor_init(&here, in->dtype, &in->shape, host_place());
  if (st == OK) st = send(&here, in);
  if (st == OK) st = send(out, &here);
  tensor_drop(&here);
  return st;
}

/* Returns the dtype in which elements are copied between devices: the smaller of the two dtypes, so that fewer bytes
** are copied. */
static enum dtype sent_dtype(const tensor *out, const tensor *in) {
  return dtype_size(out->dtype) < dtype_size(in->dtype) ? out->dtype : in->dtype;
}

static bool is_packed(const tensor *t, enum dtype d, const shape *s) {
  return t->dtype == d && shape_equal(&t->shape, s) && tensor_is_contiguous(t);
}

int host_copy(tensor *out, const tensor *in) {
  tensor packed = {.store = NULL}, there = {.store = NULL};
  int64_t stride[MAX_DIMS];
  int st = OK;
  if (place_equal(out->store->place, in->store->place)) return op_copy(out, in);
  if (is_captured(in) || is_captured(out)) return ERR_CAPTURE;
  if (shape_expand(&in->shape, in->stride, &out->shape, stride) != OK) return ERR_BROADCAST;
  if (tensor_is_overlapping(out)) return ERR_READONLY;
  if (out->count == 0) return OK;
  enum dtype d = sent_dtype(out, in);
  bool as_is = is_packed(in, d, &in->shape), straight = is_packed(out, d, &in->shape);
  if (!as_is) st = tensor_init(&packed, d, &in->shape, in->store->place);
  if (st == OK && !as_is) st = host_pack(&packed, in);
  if (st == OK && !straight) st = tensor_init(&there, d, &in->shape, out->store->place);
  if (st == OK) st = send(straight ? out : &there, as_is ? in : &packed);
  if (st == OK && !straight) st = host_pack(out, &there);
  tensor_drop(&packed);
  tensor_drop(&there);
  return st;
}

int host_all_sum(place first, const all_sum_call *c) {
  return first.device->all_sum ? device_all_sum(first, c) : ERR_NO_KERNEL;
}

/* ---- plain memory ---- */

int host_read(const tensor *t, enum dtype as, void *to) {
  storage s;
  tensor out = host_tensor(&s, as, &t->shape, to);
  if (t->count == 0) return OK;
  if (is_captured(t)) return ERR_CAPTURE;
  return place_equal(t->store->place, s.place) ? op_copy_by(device_read, &out, t) : host_copy(&out, t);
}

int host_write(tensor *t, enum dtype as, const void *from) {
  storage s;
  tensor in = host_tensor(&s, as, &t->shape, (void *)(uintptr_t)from);   /* the cast is safe, because `in` is only
                                                                         ** read */
  if (t->count == 0) return OK;
  if (is_captured(t)) return ERR_CAPTURE;
  return place_equal(t->store->place, s.place) ? op_copy_by(device_write, t, &in) : host_copy(t, &in);
}

/* Copies the ends of dims `dim`, `dim` + 1, …, as host_ends describes. */
static int copy_ends(const tensor *from, tensor *to, int dim) {
  if (dim == from->shape.ndim) return host_pack(to, from);
  int64_t shown = to->shape.dim[dim], length = from->shape.dim[dim], half = shown / 2;
  if (shown == length) return copy_ends(from, to, dim + 1);
  int st = OK;
  for (int end = 0; end < 2 && st == OK; end++) {
    tensor part = *to, source = *from;
    view_range(&part, dim, end * half, 1, half);
    view_range(&source, dim, end * (length - half), 1, half);
    st = copy_ends(&source, &part, dim + 1);
  }
  return st;
}

int host_ends(const tensor *t, tensor *to) { return copy_ends(t, to, 0); }
