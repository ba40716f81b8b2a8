#ifndef LT_OP_HOST_H
#define LT_OP_HOST_H

/* Copies between tensors on any two devices, and between a tensor and plain memory of this process. */

#include "base/tensor.h"

/* Returns a tensor of dtype d over `data` (row-major). The tensor owns nothing. *s is its storage and must outlive the
** tensor. */
tensor host_tensor(storage *s, enum dtype d, const shape *dims, void *data);

/* Returns the row-major elements themselves if the host may access them, or NULL; then use host_read. */
const void *host_elements(const tensor *t);

/* out = in, converted and broadcast like op_copy, on any two devices. Waits if `out` is on the host and `in` is not. */
int host_copy(tensor *out, const tensor *in);

/* Reads all elements, row-major, converted to dtype `as`. Waits for the device. */
int host_read(const tensor *t, enum dtype as, void *to);

/* out = in on one device, as a step of reading or writing for the host. It is not counted as an op of the script. */
int host_pack(tensor *out, const tensor *in);

/* Copies the first and the last elements of each dim to `to`, on the same device. Each end has half of the length of
** `to`, if that length is less than t's; otherwise the whole dim is copied. */
int host_ends(const tensor *t, tensor *to);

/* Fills t (contiguous or not) from row-major elements of dtype `as`, converted like op_copy. */
int host_write(tensor *t, enum dtype as, const void *from);

#endif
