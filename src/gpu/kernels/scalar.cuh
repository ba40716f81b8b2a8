#ifndef LT_GPU_KERNELS_SCALAR_CUH
#define LT_GPU_KERNELS_SCALAR_CUH

/* functors.cuh, and the macros that declare kernels. functors.cuh does not depend on what a kernel's file defines, so the
** emulator compiles it once for all kernels. */

#include "gpu/kernels/prelude.cuh"
#include "gpu/kernels/functors.cuh"

#endif
