#ifndef LT_GPU_KERNELS_STORED_CUH
#define LT_GPU_KERNELS_STORED_CUH

/* Defines the element types of kernels that have the macros IN, COMPUTE and OUT (DT_float32 …): the dtypes of the
** stored inputs, of the computation, and of the stored results. */

#include "gpu/kernels/scalar.cuh"

typedef stored_t<IN>      in_t;
typedef stored_t<OUT>     out_t;
typedef stored_t<COMPUTE> C;

INLINE C load(in_t x) { return convert<COMPUTE, IN>(x); }

/* Converts a result of any type to a stored element of dtype OUT. */
template <class R> INLINE out_t store(R x) { return element<OUT>::store_from(x); }
INLINE out_t store(bool x) { return element<OUT>::store_from((uint8_t)x); }

/* Returns the number of elements from x to the next address that is a multiple of 16 bytes. */
template <class T> INLINE int to_alignment(const T *x) { return (int)(-(size_t)x % 16 / sizeof(T)); }

#endif
