#ifndef LT_BASE_TENSOR_H
#define LT_BASE_TENSOR_H

/* A tensor: a view of a storage with a dtype, a shape, strides and an offset. A Lua userdata contains a tensor. */

#include "base/shape.h"
#include "base/storage.h"

typedef struct tensor {
  storage   *store;               /* NULL: the tensor was freed */
  enum dtype dtype;
  shape      shape;
  int64_t    count;               /* number of elements */
  int64_t    offset;              /* elements from the storage's start to the first element */
  int64_t    stride[MAX_DIMS];    /* elements from one index of a dim to the next */
  bool       weak;                /* true for lt.complex(re, im): a 0-d complex128 on the CPU that promotes like a Lua
                                  ** number */
  bool       apart;               /* true for x:detach(): shares memory but no gradient with other tensors; counted in
                                  ** the storage's `kept` */
} tensor;

/* Returns the address of the first element, for callers that do not access the elements. */
static inline void *tensor_address(const tensor *t) {
  return (char *)t->store->ptr + t->offset * dtype_size(t->dtype);
}

/* Returns the address of the first element. The storage must not be pending. Waits until no device reads the memory any
** more (storage_settle). */
static inline void *tensor_data(const tensor *t) {
#ifdef __SANITIZE_ADDRESS__
  if (storage_is_pending(t->store)) __builtin_trap();
#endif
  storage_touch(t->store);
  return tensor_address(t);
}

static inline bool tensor_is_contiguous(const tensor *t) { return shape_is_contiguous(&t->shape, t->stride); }

/* Returns the value of a tensor that is `weak`. */
scalar tensor_number(const tensor *t);

/* Allocates contiguous memory for t, whose store must be NULL. t is unchanged on error. */
int tensor_init(tensor *t, enum dtype dtype, const shape *s, place where);

/* Like tensor_init, but the memory is allocated later (storage_new_later). */
int tensor_init_later(tensor *t, enum dtype dtype, const shape *s, place where, struct account *a);

/* Makes t a view of all elements of base. The caller may then change t's shape, strides, offset and count. */
void tensor_view(tensor *t, const tensor *base);

/* Releases this tensor's storage. The storage is freed with its last tensor. A second call is harmless. */
void tensor_drop(tensor *t);

/* True if several elements of t share one memory location, as in a broadcast view. Such a tensor must not be
** written. */
bool tensor_is_overlapping(const tensor *t);

/* True if writing to `out` could change elements of `in` that are read later. Identical views are safe. */
bool tensor_conflicts(const tensor *out, const tensor *in);

#endif
