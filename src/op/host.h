#ifndef LT_OP_HOST_H
#define LT_OP_HOST_H

/* Copies between tensors on any two devices, and between a tensor and plain memory of this process. */

#include "base/device.h"
#include "base/tensor.h"

/* Returns a tensor of dtype d over the row-major elements at `data`, without copying them. *s becomes the tensor's
** storage and must outlive the tensor. */
tensor host_tensor(storage *s, enum dtype d, const shape *dims, void *data);

/* Returns a pointer to t's elements if they are contiguous in memory that the host may read. Otherwise returns NULL,
** and the caller must use host_read. */
const void *host_elements(const tensor *t);

/* Sets out = in, converted and broadcast like op_copy, where the two tensors may be on any two devices. Waits for the
** copy if `out` is on the host and `in` is not. */
int host_copy(tensor *out, const tensor *in);

/* Adds tensors of several devices, of which `first` is one. Returns ERR_NO_KERNEL if the devices cannot do that. */
int host_all_sum(place first, const all_sum_call *c);

/* Copies all elements of t to `to`, in row-major order and converted to dtype `as`. Waits for the device. */
int host_read(const tensor *t, enum dtype as, void *to);

/* Sets out = in on one device, as a part of reading or writing for the host. A profile does not count the call as an
** op of the script. */
int host_pack(tensor *out, const tensor *in);

/* Copies the first and the last elements of each dim of t to `to`, which is on the same device. If a dim of `to` is
** shorter than t's dim, each end has half of the length of to's dim. Otherwise the whole dim is copied. */
int host_ends(const tensor *t, tensor *to);

/* Sets the elements of t (contiguous or not) from row-major elements of dtype `as` at `from`, converted like
** op_copy. */
int host_write(tensor *t, enum dtype as, const void *from);

#endif
