#ifndef LT_GPU_KERNELS_PRELUDE_CUH
#define LT_GPU_KERNELS_PRELUDE_CUH

/* What every unit of device code begins with: types, dtypes, how a kernel is declared. Units include nothing but
** files of this folder, src/math, ops.def, dtype.h and random.h. */

#include "base/dtype.h"
#include "math/base.h"

/* KERNEL(name)(parameters) { … } where threads do not meet; KERNEL_COOPERATIVE where they wait for each other, shuffle
** or share memory: emulated ones take turns only there. A unit may say the most threads that its blocks have, before it
** includes anything: `#define KERNEL_THREADS 256` leaves more registers than the 64 a thread of 1024 gets; KERNEL_BLOCKS,
** how many blocks a multiprocessor is to hold, takes some away. */
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

/* This thread among all of a grid of one dim, and how many there are. */
INLINE uint64_t grid_thread() { return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; }
INLINE uint64_t grid_threads() { return (uint64_t)gridDim.x * blockDim.x; }

#endif
