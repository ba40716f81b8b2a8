#ifndef LT_CPU_LINALG_GEMM_H
#define LT_CPU_LINALG_GEMM_H

#include "cpu/cpu.h"

/* Computes c = alpha a b + beta c by luatensor's own kernels. a, b and c are the matrices of one product of the
** batch. If g's dtype is float16 or bfloat16, c is float32. Returns OK, ERR_MEMORY or ERR_NO_KERNEL. */
int own_gemm(const gemm_call *g, const void *a, const void *b, void *c, int threads);

/* Like own_gemm, for m = 1 or n = 1. */
int own_gemv(const gemm_call *g, const void *a, const void *b, void *c, int threads);

/* cpu_dots computes a batch of dot products for which cpu_dots_fit is true. The dtype is not complex. */
bool cpu_dots_fit(const gemm_call *g);
void cpu_dots(const gemm_call *g);

/* True if OpenBLAS has chosen kernels for this processor that use AVX2 and not AVX-512. */
bool cpu_blas_lacks_avx512(void);

#endif
