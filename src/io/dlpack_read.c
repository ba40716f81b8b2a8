/* Reads a DLPack struct that another library has made. This file never accesses the tensor's elements. */

#include "io/dlpack.h"

enum dtype dlpack_dtype(int code, int bits) {
  for (int d = 0; d < DTYPE_COUNT; d++)
    if (dtypes[d].dlpack == code && 8 * dtypes[d].size == bits) return (enum dtype)d;
  return DT_none;
}

/* ---- reading a struct ---- */

static const char *describe_shape(const dl_tensor *from, tensor *t) {
  if (from->ndim < 0 || from->ndim > MAX_DIMS) return "not 0 to 16 dims";
  if (from->ndim > 0 && !from->shape) return "no shape";
  t->shape.ndim = from->ndim;
  for (int d = 0; d < from->ndim; d++) {
    if (from->shape[d] < 0) return "a negative size";
    t->shape.dim[d] = from->shape[d];
  }
  if (shape_count(&t->shape, dtype_size(t->dtype), &t->count) != OK) return "a size in bytes that does not fit";
  shape_strides(&t->shape, t->stride);
  for (int d = 0; from->strides && d < from->ndim; d++) t->stride[d] = from->strides[d];
  return NULL;
}

/* Adds the signed distance in bytes between the first and the last element of a dim to *below if the distance is
** negative, otherwise to *above. Returns false on overflow. */
static bool add_reach(int64_t steps, int64_t stride, int64_t size, int64_t *below, int64_t *above) {
  int64_t bytes;
  if (__builtin_mul_overflow(stride, steps, &bytes) || __builtin_mul_overflow(bytes, size, &bytes)) return false;
  return !__builtin_add_overflow(bytes < 0 ? *below : *above, bytes, bytes < 0 ? below : above);
}

/* True if every element of t has an address above NULL, and no element extends beyond the last address. `data` is the
** address of the first element. */
static bool is_addressable(const tensor *t, uintptr_t data) {
  int64_t size = dtype_size(t->dtype), below = 0, above = size;
  for (int d = 0; d < t->shape.ndim; d++)
    if (!add_reach(t->shape.dim[d] - 1, t->stride[d], size, &below, &above)) return false;
  return 0 - (uintptr_t)below < data && (uintptr_t)above <= UINTPTR_MAX - data;
}

/* Sets *where to the place of a DLPack device's memory. Pinned memory belongs to the host, and managed memory to its
** GPU. Returns false if there is no such device here. */
static bool find_place(int type, int id, place *where) {
  if (type == DL_CPU || type == DL_CUDA_HOST || type == DL_ROCM_HOST) {
    *where = host_place();
    return true;
  }
  if (type == DL_CUDA_MANAGED) type = DL_CUDA;
  const device *d;
  for (int k = 1; (d = device_kind(k)); k++)
    for (int i = 0; d->dlpack == type && i < d->count(); i++) {
      *where = (place){d, i};
      if (place_dlpack_id(*where) == id) return true;
    }
  return false;
}

const char *dlpack_describe(const dl_owned *in, tensor *t, void **data, place *where, bool *read_only) {
  const dl_versioned *new = in->managed;
  const dl_tensor *from = in->versioned ? &new->tensor : &((const dl_managed *)in->managed)->tensor;
  if (in->versioned && new->version.major != DL_MAJOR) return "a version of DLPack that is not 1";
  if (!find_place(from->device.type, from->device.id, where)) return "on a device that is not here";
  if (from->dtype.lanes != 1) return "a dtype of several lanes";
  *t = (tensor){.dtype = dlpack_dtype(from->dtype.code, from->dtype.bits)};
  if (t->dtype == DT_none) return "a dtype that is not supported";
  const char *wrong = describe_shape(from, t);
  if (wrong) return wrong;
  uintptr_t address = (uintptr_t)from->data;
  if (from->data && __builtin_add_overflow(address, from->byte_offset, &address)) return "an offset beyond the end of memory";
  *data = (void *)address;
  if (t->count > 0 && !*data) return "no data";
  if (t->count > 0 && !is_addressable(t, address)) return "strides that lead beyond the end of memory";
  if ((uintptr_t)*data % (uintptr_t)dtype_size(t->dtype) != 0) return "data that is not aligned to its dtype";
  *read_only = in->versioned && (new->flags & DL_READ_ONLY) != 0;
  return NULL;
}

