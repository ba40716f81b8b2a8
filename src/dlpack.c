#include "dlpack.h"

#include <stdlib.h>

#include "host.h"
#include "profile.h"
#include "op_reduce.h"

/* ---- dtypes ---- */

static const uint8_t kind_code[] = {[KIND_BOOL] = DL_BOOL, [KIND_UINT] = DL_UINT, [KIND_INT] = DL_INT,
                                    [KIND_FLOAT] = DL_FLOAT, [KIND_COMPLEX] = DL_COMPLEX};

static uint8_t code_of(enum dtype d) { return d == DT_bfloat16 ? DL_BFLOAT : kind_code[dtype_kind(d)]; }

static enum dtype dtype_of(int code, int bits) {
  for (int d = 0; d < DTYPE_COUNT; d++)
    if (code_of((enum dtype)d) == code && 8 * dtypes[d].size == bits) return (enum dtype)d;
  return DT_none;
}

/* ---- out ---- */

/* What we hand out: the struct, and what it points to. */
typedef struct exported {
  union { dl_managed old; dl_versioned new; } managed;      /* first: its address is the struct's */
  storage *store;
  int64_t  shape[MAX_DIMS], stride[MAX_DIMS];
} exported;

/* Runs in whatever thread the consumer is done in. */
static void delete_exported(exported *e) {
  storage_drop_elsewhere(e->store);
  free(e);
}

static void delete_old(dl_managed *self) { delete_exported((exported *)(void *)self); }
static void delete_new(dl_versioned *self) { delete_exported((exported *)(void *)self); }

int dlpack_export(const tensor *t, bool versioned, dl_owned *out) {
  place where = t->store->place;
  int st = device_sync(where);
  if (st != OK) return st;
  exported *e = calloc(1, sizeof *e);
  if (!e) return ERR_MEMORY;
  dl_tensor *to = versioned ? &e->managed.new.tensor : &e->managed.old.tensor;
  for (int d = 0; d < t->shape.ndim; d++) {
    e->shape[d] = t->shape.dim[d];
    e->stride[d] = t->stride[d];
  }
  *to = (dl_tensor){.data = tensor_data(t), .device = {where.device->dlpack, where.index}, .ndim = t->shape.ndim,
                    .shape = e->shape, .strides = e->stride, .dtype = {code_of(t->dtype), (uint8_t)(8 * dtype_size(t->dtype)), 1}};
  if (versioned) {
    e->managed.new.version.major = DL_MAJOR;
    e->managed.new.version.minor = DL_MINOR;
    e->managed.new.deleter = delete_new;
    if (tensor_is_overlapping(t)) e->managed.new.flags = DL_READ_ONLY;
  } else {
    e->managed.old.deleter = delete_old;
  }
  e->store = t->store;
  storage_retain(e->store);
  *out = (dl_owned){e, versioned};
  return OK;
}

/* ---- in ---- */

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

/* Where memory of a DLPack device is for us: pinned memory is the host's, managed memory its device's. */
static bool find_place(int type, int id, place *where) {
  if (type == DL_CPU || type == DL_CUDA_HOST) {
    *where = (place){&cpu_device, 0};
    return true;
  }
  if (type == DL_CUDA_MANAGED) type = DL_CUDA;
  for (int k = 1; device_kinds[k]; k++)
    if (device_kinds[k]->dlpack == type && id >= 0 && id < device_kinds[k]->count()) {
      *where = (place){device_kinds[k], id};
      return true;
    }
  return false;
}

const char *dlpack_describe(const dl_owned *in, tensor *t, void **data, place *where, bool *read_only) {
  const dl_versioned *new = in->managed;
  const dl_tensor *from = in->versioned ? &new->tensor : &((const dl_managed *)in->managed)->tensor;
  if (in->versioned && new->version.major != DL_MAJOR) return "a version of DLPack that is not 1";
  if (!find_place(from->device.type, from->device.id, where)) return "on a device that is not here";
  if (from->dtype.lanes != 1) return "a dtype of several lanes";
  *t = (tensor){.dtype = dtype_of(from->dtype.code, from->dtype.bits)};
  if (t->dtype == DT_none) return "a dtype that is not supported";
  const char *wrong = describe_shape(from, t);
  if (wrong) return wrong;
  *data = from->data ? (char *)from->data + from->byte_offset : NULL;
  if (t->count > 0 && !*data) return "no data";
  if ((uintptr_t)*data % (uintptr_t)dtype_size(t->dtype) != 0) return "data that is not aligned to its dtype";
  *read_only = in->versioned && (new->flags & DL_READ_ONLY) != 0;
  return NULL;
}

int dlpack_check_bools(const tensor *t, bool *clean) {
  *clean = true;
  if (t->dtype != DT_bool || t->count == 0) return OK;
  tensor bytes = *t, most = {.store = NULL};
  uint8_t value = 0;
  bytes.dtype = DT_uint8;
  reduction r = {.op = REDUCE_max, .dtype = DT_none, .in = &bytes, .dims = (1u << t->shape.ndim) - 1};
  int st = reduce_prepare(&r);
  if (st == OK) st = tensor_init(&most, r.result, &r.shape, t->store->place);
  if (st == OK) st = reduce_run(&r, &most);
  if (st == OK) st = host_read(&most, DT_uint8, &value);
  tensor_drop(&most);
  *clean = value <= 1;
  return st;
}

void dlpack_delete(dl_owned *p) {
  void *managed = p->managed;
  p->managed = NULL;
  if (!managed) return;
  if (p->versioned) {
    dl_versioned *m = managed;
    if (m->deleter) m->deleter(m);
  } else {
    dl_managed *m = managed;
    if (m->deleter) m->deleter(m);
  }
}
