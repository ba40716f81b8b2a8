#include "io/dlpack.h"

#include <stdlib.h>

#include "op/host.h"
#include "op/queue.h"
#include "op/reduce.h"

/* ---- exporting tensors ---- */

/* An exported struct in one block of memory with the arrays to which the struct points. */
typedef struct exported {
  union { dl_managed old; dl_versioned new; } managed;      /* the first field, so that its address is also the
                                                            ** address of the block */
  storage *store;
  int64_t  shape[MAX_DIMS], stride[MAX_DIMS];
} exported;

/* Frees an exported struct. This function runs on the consumer's thread. */
static void delete_exported(exported *e) {
  storage_drop_elsewhere(e->store);
  free(e);
}

static void delete_old(dl_managed *self) { delete_exported((exported *)(void *)self); }
static void delete_new(dl_versioned *self) { delete_exported((exported *)(void *)self); }

int dlpack_export(const tensor *t, bool versioned, dl_owned *out) {
  place where = t->store->place;
  int st = queue_wait(where);
  if (st != OK) return st;
  exported *e = calloc(1, sizeof *e);
  if (!e) return ERR_MEMORY;
  dl_tensor *to = versioned ? &e->managed.new.tensor : &e->managed.old.tensor;
  for (int d = 0; d < t->shape.ndim; d++) {
    e->shape[d] = t->shape.dim[d];
    e->stride[d] = t->stride[d];
  }
  *to = (dl_tensor){.data = tensor_data(t), .device = {where.device->dlpack, place_dlpack_id(where)}, .ndim = t->shape.ndim,
                    .shape = e->shape, .strides = e->stride, .dtype = {dtypes[t->dtype].dlpack, (uint8_t)(8 * dtype_size(t->dtype)), 1}};
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

int dlpack_check_bools(const tensor *t, bool *clean) {
  *clean = true;
  if (t->dtype != DT_bool || t->count == 0) return OK;
  if (place_is_captured(t->store->place)) return ERR_CAPTURE;
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
