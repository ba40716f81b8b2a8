#ifndef LT_GPU_KERNELS_PRELUDE_CUH
#define LT_GPU_KERNELS_PRELUDE_CUH

/* The first include of all kernels: types, dtypes, and the macros that declare kernels. Device code includes only
** files of gpu/kernels and math, ops.def, update.def, base/dtype.h and base/random.h. */

#include "base/dtype.h"
#include "math/base.h"

/* KERNEL(name)(parameters) { … } declares a kernel whose threads are independent. KERNEL_COOPERATIVE declares a
** kernel whose threads use barriers, shuffles or shared memory. The emulator switches between threads only in
** cooperative kernels.
**
** Before its includes, a file of luatensor's own kernels defines KERNEL_THREADS, the maximum number of threads of its
** blocks; gpu_launch refuses more. For 1024
** threads, the compiler can use only 64 registers per thread. For fewer threads, it can use more registers. A file may
** also define KERNEL_BLOCKS, the minimum number of blocks that run on a multiprocessor at once. This number limits the
** registers of a thread, too.
**
** Compiling takes time for each kernel of a file. With -DONE_ENTRY and -DENTRY_name=~,KERNEL_ENTRY only `name` is compiled:
** the other kernels become templates that nothing instantiates. */
#ifdef KERNEL_BLOCKS
#define KERNEL_BOUNDS __launch_bounds__(KERNEL_THREADS, KERNEL_BLOCKS)
#elif defined(KERNEL_THREADS)
#define KERNEL_BOUNDS __launch_bounds__(KERNEL_THREADS)
#else
#define KERNEL_BOUNDS
#endif
#define KERNEL_ENTRY extern "C" __global__ void KERNEL_BOUNDS
#ifdef ONE_ENTRY
#define KERNEL_OTHER template <int> __global__ void
#else
#define KERNEL_OTHER KERNEL_ENTRY
#endif
#define KERNEL_SECOND(first, second, ...) second
#define KERNEL_KIND(...) KERNEL_SECOND(__VA_ARGS__, KERNEL_OTHER, )
#ifndef KERNEL
#define KERNEL(name) KERNEL_KIND(ENTRY_##name) name
#endif
#ifndef KERNEL_COOPERATIVE
#define KERNEL_COOPERATIVE(name) KERNEL_KIND(ENTRY_##name) name
#endif

/* grid_thread returns the number of this thread in a one-dimensional grid. grid_threads returns the number of threads
** in the grid. */
INLINE uint64_t grid_thread() { return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; }
INLINE uint64_t grid_threads() { return (uint64_t)gridDim.x * blockDim.x; }

#endif
