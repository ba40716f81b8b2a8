#ifndef LT_BASE_STATUS_H
#define LT_BASE_STATUS_H

#include <stddef.h>
#include <stdint.h>

/* The statuses that functions outside src/lua return. raise() of lua/raise.c turns each error status into a message. */
enum status {
  OK = 0,
  ERR_MEMORY,        /* an allocation failed */
  ERR_OVERFLOW,      /* a number of elements or bytes overflows */
  ERR_NDIM,          /* a tensor would have more than MAX_DIMS dims */
  ERR_BROADCAST,     /* shapes do not broadcast */
  ERR_DEVICES,       /* the tensors are on different devices */
  ERR_DTYPE,         /* the op is not defined for this dtype */
  ERR_SCALAR,        /* the tensor's dtype cannot represent a Lua number */
  ERR_CAST,          /* the result has a dtype of a higher kind than the target, such as float for an integer
                     ** target */
  ERR_OUT_SHAPE,     /* option out and the result have different shapes */
  ERR_OVERLAP,       /* the target overlaps an input in memory without being the same view */
  ERR_READONLY,      /* the target is a broadcast view, in which several elements share a memory location */
  ERR_EMPTY,         /* a reduction without an identity, such as max, has no elements */
  ERR_RANK,          /* a tensor has too few or too many dims for the op */
  ERR_INNER,         /* matmul: the inner dims differ */
  ERR_SQUARE,        /* linear algebra: the matrices are not square */
  ERR_MATRIX,        /* linear algebra: the result does not exist for a matrix; the matrix's info has the reason */
  ERR_INDEX,         /* an index tensor contains an index out of range */
  ERR_NO_KERNEL,     /* the device has no suitable kernel */
  ERR_DEVICE,        /* the device or its driver failed; device.explain() has the message */
  ERR_LATE,          /* queued work found an index out of range; device.explain() has the message */
  ERR_CAPTURE,       /* the op needs values, which are unknown while a graph is captured */
  ERR_CANCELLED,     /* cancel.h: the operation was cancelled; its outputs are incomplete */
  ERR_BUSY,          /* a debug hook, which runs in the middle of an operation, starts another operation */
  ERR_CHANGED        /* a finalizer, a hook or the host changed an input in the middle of an operation */
};

enum { NO_DIM = -1 };

/* Writes the message for ERR_INDEX and ERR_LATE. function: the name at the beginning of the message, "" for x[…];
** value: the index as in the script; dim: 0-based, or NO_DIM if value is a class. length is the length of the dim, or
** the number of classes. */
void index_words(char *text, size_t size, const char *function, int64_t value, int dim, int64_t length);

#endif
