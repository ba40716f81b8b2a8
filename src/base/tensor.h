#ifndef LT_BASE_TENSOR_H
#define LT_BASE_TENSOR_H

/* A view of a storage: dtype, shape, strides, offset. Lives in a Lua userdata. */

#include "base/shape.h"
#include "base/storage.h"

typedef struct tensor {
  storage   *store;               /* NULL: freed */
  enum dtype dtype;
  shape      shape;
  int64_t    count;               /* elements */
  int64_t    offset;              /* elements from the storage's start to the first element */
  int64_t    stride[MAX_DIMS];    /* in elements */
  bool       weak;                /* a 0-d complex128 on the CPU that promotes like a number: lt.complex(re, im) */
  bool       apart;               /* shares memory but no gradient, like x:detach(); counted in the storage's `kept` */
} tensor;

static inline void *tensor_data(const tensor *t) {
  return (char *)t->store->ptr + t->offset * dtype_size(t->dtype);
}

static inline bool tensor_is_contiguous(const tensor *t) { return shape_is_contiguous(&t->shape, t->stride); }

/* Returns the value of a weak tensor. */
scalar tensor_number(const tensor *t);

/* Allocates contiguous memory for t, whose store must be NULL. t is unchanged on error. */
int tensor_init(tensor *t, enum dtype dtype, const shape *s, place where);

/* Makes t a view of base: same storage, dtype and offset. The caller then sets shape, stride, offset and count. */
void tensor_view(tensor *t, const tensor *base);

/* Releases this tensor's storage. The storage is freed with its last tensor. A second call is harmless. */
void tensor_drop(tensor *t);

/* True if several elements of t share one place, as in a broadcast view. Such a tensor must not be written. */
bool tensor_is_overlapping(const tensor *t);

/* True if writing to `out` could change elements of `in` that are read later. Identical views are safe. */
bool tensor_conflicts(const tensor *out, const tensor *in);

#endif
