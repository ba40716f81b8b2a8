#ifndef LT_IO_DLPACK_H
#define LT_IO_DLPACK_H

/* DLPack 1.x: the C structs by which libraries exchange tensors, and luatensor's export and import. The declarations
** are the standard's (github.com/dmlc/dlpack), with names of luatensor's own. */

#include "base/tensor.h"

enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };   /* device types */
enum { DL_MAJOR = 1, DL_MINOR = 0 };
enum { DL_READ_ONLY = 1 };                                  /* flags */

typedef struct dl_tensor {
  void    *data;
  struct { int32_t type, id; } device;
  int32_t  ndim;
  struct { uint8_t code, bits; uint16_t lanes; } dtype;
  int64_t *shape;
  int64_t *strides;            /* in elements; NULL: row-major */
  uint64_t byte_offset;
} dl_tensor;

/* The old struct, which was used before version 1. */
typedef struct dl_managed {
  dl_tensor tensor;
  void     *context;
  void    (*deleter)(struct dl_managed *self);              /* NULL: nothing must be freed */
} dl_managed;

typedef struct dl_versioned {
  struct { uint32_t major, minor; } version;
  void     *context;
  void    (*deleter)(struct dl_versioned *self);            /* NULL: nothing must be freed */
  uint64_t  flags;
  dl_tensor tensor;
} dl_versioned;

/* A struct of either kind, with the duty to call its deleter. managed is NULL after the struct was passed on. */
typedef struct dl_owned {
  void *managed;
  bool  versioned;
} dl_owned;

/* Makes a struct that shares t's storage. Waits for the work queued on t's device, so that the consumer and luatensor
** need not know each other's streams. Returns ERR_MEMORY, ERR_DEVICE and others. */
int dlpack_export(const tensor *t, bool versioned, dl_owned *out);

/* Returns the dtype with this type code and so many bits, or DT_none if there is no such dtype. */
enum dtype dlpack_dtype(int code, int bits);

/* Reads the struct into a tensor without storage (dtype, shape, strides, count), and the address and place of its data.
** Returns NULL, or the error message. */
const char *dlpack_describe(const dl_owned *in, tensor *t, void **data, place *where, bool *read_only);

/* Checks a bool tensor. *clean becomes true if all its bytes are 0 or 1. */
int dlpack_check_bools(const tensor *t, bool *clean);

/* Calls the deleter. A second call does nothing. */
void dlpack_delete(dl_owned *p);

#endif
