#include "tensor.h"

#include <string.h>

int tensor_init(tensor *t, enum dtype dtype, const shape *s, place where) {
  int64_t count;
  int st = shape_count(s, dtype_size(dtype), &count);
  if (st != OK) return st;
  storage *store;
  st = storage_new(where, (size_t)count * (size_t)dtype_size(dtype), &store);
  if (st != OK) return st;
  t->store = store;
  t->dtype = dtype;
  t->shape = *s;
  t->count = count;
  t->offset = 0;
  shape_strides(s, t->stride);
  return OK;
}

void tensor_view(tensor *t, const tensor *base) {
  *t = *base;
  storage_retain(t->store);
}

void tensor_drop(tensor *t) {
  storage *s = t->store;
  t->store = NULL;
  if (s) storage_drop(s);
}

/* First and last byte that t touches. */
static void byte_range(const tensor *t, const char **first, const char **last) {
  int64_t lo = 0, hi = 0;
  for (int d = 0; d < t->shape.ndim; d++) {
    int64_t reach = (t->shape.dim[d] - 1) * t->stride[d];
    if (reach < 0) lo += reach; else hi += reach;
  }
  const char *data = tensor_data(t);
  *first = data + lo * dtype_size(t->dtype);
  *last = data + (hi + 1) * dtype_size(t->dtype) - 1;
}

/* Dims sorted by stride must each step over all that the smaller ones reach. This also says true
** for some odd views without a clash (as_strided is not public, so scripts cannot make those). */
bool tensor_is_overlapping(const tensor *t) {
  int64_t reach = 0;
  bool used[MAX_DIMS] = {false};
  if (t->count <= 1) return false;
  for (int round = 0; round < t->shape.ndim; round++) {
    int least = -1;
    int64_t least_stride = 0;
    for (int d = 0; d < t->shape.ndim; d++) {
      int64_t s = t->stride[d] < 0 ? -t->stride[d] : t->stride[d];
      if (used[d] || t->shape.dim[d] == 1) continue;
      if (least < 0 || s < least_stride) { least = d; least_stride = s; }
    }
    if (least < 0) break;
    if (least_stride <= reach) return true;
    used[least] = true;
    reach += (t->shape.dim[least] - 1) * least_stride;
  }
  return false;
}

bool tensor_conflicts(const tensor *out, const tensor *in) {
  if (out->count == 0 || in->count == 0) return false;
  const char *of, *ol, *inf, *inl;
  byte_range(out, &of, &ol);
  byte_range(in, &inf, &inl);
  if (ol < inf || inl < of) return false;
  bool same = out->dtype == in->dtype && tensor_data(out) == tensor_data(in) &&
              shape_equal(&out->shape, &in->shape);
  for (int d = 0; same && d < out->shape.ndim; d++)
    same = out->stride[d] == in->stride[d] || out->shape.dim[d] == 1;
  return !same;
}
