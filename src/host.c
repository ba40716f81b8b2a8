#include "host.h"

#include "op.h"

tensor host_tensor(storage *s, enum dtype d, const shape *dims, void *data) {
  tensor t = {.store = s, .dtype = d, .shape = *dims, .count = 1};
  *s = (storage){.place = {&cpu_device, 0}, .ptr = data, .refs = 1};
  for (int k = 0; k < dims->ndim; k++) t.count *= dims->dim[k];
  shape_strides(dims, t.stride);
  return t;
}

static bool on_host(const tensor *t) { return t->store->place.device == &cpu_device; }

bool host_has(const tensor *t) { return on_host(t) && tensor_is_contiguous(t); }

/* Packed copies of t: on its device, then here. Both are t itself where that will do. */
static int fetch(const tensor *t, tensor *here) {
  tensor packed = {.store = NULL};
  place where = t->store->place;
  int st = tensor_init(here, t->dtype, &t->shape, (place){&cpu_device, 0});
  if (st != OK) return st;
  if (!tensor_is_contiguous(t)) {
    st = tensor_init(&packed, t->dtype, &t->shape, where);
    if (st == OK) st = op_copy(&packed, t);
    t = &packed;
  }
  size_t bytes = (size_t)t->count * (size_t)dtype_size(t->dtype);
  if (st == OK) st = where.device->copy_out(where.index, tensor_data(here), tensor_data(t), bytes);
  tensor_drop(&packed);
  if (st != OK) tensor_drop(here);
  return st;
}

int host_read(const tensor *t, enum dtype as, void *to) {
  storage s;
  tensor out = host_tensor(&s, as, &t->shape, to), here = {.store = NULL};
  if (t->count == 0) return OK;
  if (on_host(t)) return op_copy(&out, t);
  int st = fetch(t, &here);
  if (st == OK) st = op_copy(&out, &here);
  tensor_drop(&here);
  return st;
}

/* Converted here, sent in one piece, spread there where t is not packed. */
static int send(tensor *t, const tensor *in) {
  tensor here = {.store = NULL}, there = {.store = NULL};
  place where = t->store->place;
  int st = tensor_init(&here, t->dtype, &t->shape, (place){&cpu_device, 0});
  if (st == OK) st = op_copy(&here, in);
  if (st == OK) st = tensor_init(&there, t->dtype, &t->shape, where);
  if (st == OK) st = where.device->copy_in(where.index, tensor_data(&there), tensor_data(&here),
                                           (size_t)t->count * (size_t)dtype_size(t->dtype));
  if (st == OK) st = op_copy(t, &there);
  tensor_drop(&here);
  tensor_drop(&there);
  return st;
}

int host_write(tensor *t, enum dtype as, const void *from) {
  storage s;
  tensor in = host_tensor(&s, as, &t->shape, (void *)(uintptr_t)from);   /* only read */
  if (t->count == 0) return OK;
  return on_host(t) ? op_copy(t, &in) : send(t, &in);
}
