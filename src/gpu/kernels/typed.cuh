#ifndef LT_GPU_KERNELS_TYPED_CUH
#define LT_GPU_KERNELS_TYPED_CUH

/* Defines the type of the stored elements of each dtype, such as type_float16. If D is a macro for a dtype's name,
** the type is PASTE(type, D). */

#include "gpu/kernels/prelude.cuh"


#define TYPED(name, store, ...) typedef store type_##name;
DTYPES(TYPED)

#endif
