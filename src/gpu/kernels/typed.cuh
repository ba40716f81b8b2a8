#ifndef LT_GPU_KERNELS_TYPED_CUH
#define LT_GPU_KERNELS_TYPED_CUH

/* The types of stored elements have the dtype's name, as type_float16. Where D is a define, PASTE(type, D) is the
** type. */

#include "gpu/kernels/prelude.cuh"


#define TYPED(name, store, ...) typedef store type_##name;
DTYPES(TYPED)

#endif
