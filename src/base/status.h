#ifndef LT_BASE_STATUS_H
#define LT_BASE_STATUS_H

#include <stddef.h>
#include <stdint.h>

/* The status that functions below src/lua return. lua/raise.c's raise() turns each into words. */
enum status {
  OK = 0,
  ERR_MEMORY,        /* an allocation failed */
  ERR_OVERFLOW,      /* a size does not fit */
  ERR_NDIM,          /* more than MAX_DIMS dims */
  ERR_BROADCAST,     /* shapes do not broadcast */
  ERR_DEVICES,       /* tensors on different devices */
  ERR_DTYPE,         /* the op is not defined for this dtype */
  ERR_SCALAR,        /* a Lua number does not fit the tensor's dtype */
  ERR_CAST,          /* the result's dtype cannot be stored in the target's kind */
  ERR_OUT_SHAPE,     /* out has another shape than the result */
  ERR_OVERLAP,       /* the target shares memory with an input, element by element different */
  ERR_READONLY,      /* the target is a broadcast view: several elements share one place */
  ERR_EMPTY,         /* a reduction of no elements that has no identity (max) */
  ERR_RANK,          /* a tensor has fewer or more dims than the op takes */
  ERR_INNER,         /* matmul: the inner dims differ */
  ERR_SQUARE,        /* linear algebra: the matrices are not square */
  ERR_MATRIX,        /* linear algebra: a matrix has no such result; its info says why */
  ERR_INDEX,         /* an index tensor holds an index out of range */
  ERR_NO_KERNEL,     /* the device has no kernel for it */
  ERR_DEVICE,        /* the device or its driver failed; device.explain() has the words */
  ERR_LATE,          /* queued work met an index out of range; device.explain() has the whole message */
  ERR_CAPTURE,       /* not while a graph is being captured: it would have to wait for values */
  ERR_CANCELLED,     /* cancel.h: it was ended early; what it writes is unfinished */
  ERR_BUSY           /* a debug hook that runs in the middle of an operation asks for another */
};

enum { NO_DIM = -1 };

/* Words for ERR_INDEX and ERR_LATE. function: what the message begins with, "" for x[…]; value: as the script wrote it; dim: 0-based,
** or NO_DIM for a class. */
void index_words(char *text, size_t size, const char *function, int64_t value, int dim, int64_t length);

#endif
