#ifndef LT_GPU_KERNELS_LIMITS_ARGS_H
#define LT_GPU_KERNELS_LIMITS_ARGS_H

/* Shared by gpu/limits.c and limits.cuh. */
enum { LIMITS_THREADS = 256, LIMITS_CHAINS = 8 };

#endif
