#ifndef LT_GPU_KERNELS_LIMITS_ARGS_H
#define LT_GPU_KERNELS_LIMITS_ARGS_H

/* Constants that gpu/limits.c and limits.cuh share: the number of threads of a block, and the number of independent
** chains of a thread. */
enum { LIMITS_THREADS = 256, LIMITS_CHAINS = 8 };

#endif
