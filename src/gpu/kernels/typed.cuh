#ifndef LT_GPU_KERNELS_TYPED_CUH
#define LT_GPU_KERNELS_TYPED_CUH

/* The stored types of dtypes, by the dtype's name: type_float16 … For defines: PASTE(type, D). */

#include "gpu/kernels/prelude.cuh"


#define TYPED(name, store, ...) typedef store type_##name;
DTYPES(TYPED)

#endif
