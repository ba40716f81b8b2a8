#ifndef LT_GPU_KERNELS_PRELUDE_CUH
#define LT_GPU_KERNELS_PRELUDE_CUH

/* The beginning of every unit of device code: types, dtypes, and the declaration of kernels. Units only include files
** of this folder, src/math, ops.def, dtype.h and random.h. */

#include "base/dtype.h"
#include "math/base.h"

/* KERNEL(name)(parameters) { … } declares a kernel with independent threads. KERNEL_COOPERATIVE declares a kernel whose
** threads wait for each other, shuffle or share memory. The emulator switches between threads only in cooperative
** kernels.
**
** Before its includes, a unit may define KERNEL_THREADS, the most threads of its blocks. `#define KERNEL_THREADS 256`
** leaves more registers than the 64 for each of 1024 threads. KERNEL_BLOCKS, the number of blocks that a multiprocessor
** must hold, leaves fewer registers. */
#ifdef KERNEL_BLOCKS
#define KERNEL_BOUNDS __launch_bounds__(KERNEL_THREADS, KERNEL_BLOCKS)
#elif defined(KERNEL_THREADS)
#define KERNEL_BOUNDS __launch_bounds__(KERNEL_THREADS)
#else
#define KERNEL_BOUNDS
#endif
#ifndef KERNEL
#define KERNEL(name) extern "C" __global__ void KERNEL_BOUNDS name
#endif
#ifndef KERNEL_COOPERATIVE
#define KERNEL_COOPERATIVE(name) extern "C" __global__ void KERNEL_BOUNDS name
#endif

/* grid_thread returns the number of this thread in a one-dimensional grid, grid_threads the number of all threads. */
INLINE uint64_t grid_thread() { return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; }
INLINE uint64_t grid_threads() { return (uint64_t)gridDim.x * blockDim.x; }

#endif
