#ifndef LT_STORAGE_H
#define LT_STORAGE_H

/* A block of memory on a device, shared by tensors and views, counted by references. */

#include "device.h"

typedef struct storage {
  place    place;
  void    *ptr;
  size_t   bytes;
  int      refs;
  uint32_t version;                       /* raised by every in-place write */
  void   (*release)(struct storage *s);   /* memory that is not ours (DLPack): called instead of free */
  void    *owner;                         /* for release */
  struct storage *next, *prev;            /* list of live storages of 1 MiB and more, for the message below */
  char    *origin;                        /* "train.lua:14", kept for those; may be NULL */
  int      dtype, ndim;                   /* what it was made as, for the same message */
  int64_t  dim[4];
} storage;

/* New storage of `bytes` with one reference; *s untouched on ERR_MEMORY. */
int  storage_new(place where, size_t bytes, storage **s);
/* Wraps memory that `release` gives back. */
int  storage_wrap(place where, void *ptr, size_t bytes, void (*release)(storage *), void *owner, storage **s);
void storage_retain(storage *s);
void storage_drop(storage *s);

#endif
