#ifndef LT_IO_DLPACK_H
#define LT_IO_DLPACK_H

/* DLPack 1.x: the C structs by which libraries exchange tensors, and luatensor's functions that export and import
** these structs. The declarations are those of the standard (github.com/dmlc/dlpack), under luatensor's own names. */

#include "base/tensor.h"

/* Types of devices, in dl_tensor.device. The kinds of devices have further ones (base/device.h). */
enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_ROCM_HOST = 11, DL_CUDA_MANAGED = 13 };
enum { DL_MAJOR = 1, DL_MINOR = 0 };
enum { DL_READ_ONLY = 1 };                                  /* bits of dl_versioned.flags */

typedef struct dl_tensor {
  void    *data;
  struct { int32_t type, id; } device;
  int32_t  ndim;
  struct { uint8_t code, bits; uint16_t lanes; } dtype;
  int64_t *shape;
  int64_t *strides;            /* strides in elements; NULL: the tensor is row-major */
  uint64_t byte_offset;
} dl_tensor;

/* The struct that DLPack used before version 1. */
typedef struct dl_managed {
  dl_tensor tensor;
  void     *context;
  void    (*deleter)(struct dl_managed *self);              /* frees the struct; NULL: nothing must be freed */
} dl_managed;

typedef struct dl_versioned {
  struct { uint32_t major, minor; } version;
  void     *context;
  void    (*deleter)(struct dl_versioned *self);            /* frees the struct; NULL: nothing must be freed */
  uint64_t  flags;
  dl_tensor tensor;
} dl_versioned;

/* A DLPack struct with an owner: `managed` is a dl_managed or, if `versioned` is set, a dl_versioned. The owner must
** call the struct's deleter once. `managed` is NULL after the struct was passed on. */
typedef struct dl_owned {
  void *managed;
  bool  versioned;
} dl_owned;

/* Makes a struct that shares t's storage. The function first waits for the work that is queued on t's device, because
** luatensor and the consumer do not know each other's streams. Returns OK, ERR_MEMORY, or the error of the queued
** work. */
int dlpack_export(const tensor *t, bool versioned, dl_owned *out);

/* Returns the dtype with DLPack's type code `code` and elements of `bits` bits, or DT_none if no dtype has both. */
enum dtype dlpack_dtype(int code, int bits);

/* Sets dtype, shape, strides and count of *t to those of the struct's tensor. *t gets no storage. Sets *data to the
** address of the elements, *where to their place, and *read_only to true if the elements must not be changed. Returns
** NULL, or the error message. */
const char *dlpack_describe(const dl_owned *in, tensor *t, void **data, place *where, bool *read_only);

/* Sets *clean to false if t is a bool tensor that contains a byte other than 0 and 1, else to true. Returns OK, or an
** error of the reduction that examines the bytes. */
int dlpack_check_bools(const tensor *t, bool *clean);

/* Calls the struct's deleter and sets p->managed to NULL, so that a second call does nothing. */
void dlpack_delete(dl_owned *p);

#endif
