#ifndef LT_GPU_VENDOR_AMD_BLAS_H
#define LT_GPU_VENDOR_AMD_BLAS_H

/* The functions of rocBLAS whose parameters differ from cuBLAS's, those that rocSOLVER needs, and the numbers of their
** enums. With LT_CHECK_HIP (make lint, if AMD's headers are installed) both are compared with AMD's headers. */

#include <stddef.h>
#include <stdint.h>

#ifdef LT_CHECK_HIP
#include <rocblas/rocblas.h>
#undef rocblas_gemm_ex                 /* macros for old calls with more arguments */
#undef rocblas_gemm_strided_batched_ex
#undef rocblas_gemm_batched_ex
#else
typedef int rocblas_status, rocblas_operation, rocblas_datatype, rocblas_gemm_algo, rocblas_atomics_mode, rocblas_fill;
typedef int32_t rocblas_int;
typedef int64_t rocblas_stride;
typedef struct _rocblas_handle *rocblas_handle;
typedef struct ihipStream_t *hipStream_t;
#endif

/* X(luatensor's name, AMD's name, value) */
#define ROCBLAS_CONSTANTS(X)                                                                                         \
  X(ROCBLAS_N,              rocblas_operation_none,         111)                                                     \
  X(ROCBLAS_T,              rocblas_operation_transpose,    112)                                                     \
  X(ROCBLAS_FLOAT16,        rocblas_datatype_f16_r,         150)                                                     \
  X(ROCBLAS_FLOAT32,        rocblas_datatype_f32_r,         151)                                                     \
  X(ROCBLAS_FLOAT64,        rocblas_datatype_f64_r,         152)                                                     \
  X(ROCBLAS_COMPLEX64,      rocblas_datatype_f32_c,         154)                                                     \
  X(ROCBLAS_COMPLEX128,     rocblas_datatype_f64_c,         155)                                                     \
  X(ROCBLAS_BFLOAT16,       rocblas_datatype_bf16_r,        168)                                                     \
  X(ROCBLAS_STANDARD,       rocblas_gemm_algo_standard,       0)                                                     \
  X(ROCBLAS_NO_ATOMICS,     rocblas_atomics_not_allowed,      0)                                                     \
  X(ROCBLAS_UPPER,          rocblas_fill_upper,             121)                                                     \
  X(ROCBLAS_LOWER,          rocblas_fill_lower,             122)                                                     \
  X(ROCBLAS_NOT_IMPLEMENTED, rocblas_status_not_implemented, 2)                                                      \
  X(ROCBLAS_NOT_BUILT,      rocblas_status_excluded_from_build, 14)                                                  \
  X(ROCBLAS_ARCH_MISMATCH,  rocblas_status_arch_mismatch,    15)                                                     \
  X(ROCBLAS_INVALID_SIZE,   rocblas_status_invalid_size,      4)                                                     \
  X(ROCBLAS_NO_MEMORY,      rocblas_status_memory_error,      5)                                                     \
  X(ROCBLAS_PERF_DEGRADED,  rocblas_status_perf_degraded,     7)                                                     \
  X(ROCBLAS_SIZE_INCREASED, rocblas_status_size_increased,    9)                                                     \
  X(ROCBLAS_SIZE_UNCHANGED, rocblas_status_size_unchanged,   10)

#define ROCBLAS_CONSTANT(ours, theirs, value) ours = value,
enum { ROCBLAS_CONSTANTS(ROCBLAS_CONSTANT) };
#undef ROCBLAS_CONSTANT

/* X(field, symbol, parameters). d = alpha op(a) op(b) + beta c; d may be c. The matrices of rocblas_gemm_batched_ex are
** arrays of addresses in device memory. */
#define ROCBLAS_FUNCTIONS(X)                                                                                         \
  X(set_atomics, rocblas_set_atomics_mode, (rocblas_handle h, rocblas_atomics_mode mode))                            \
  X(gemm, rocblas_gemm_ex,                                                                                           \
    (rocblas_handle h, rocblas_operation a_op, rocblas_operation b_op, rocblas_int m, rocblas_int n, rocblas_int k,  \
     const void *alpha, const void *a, rocblas_datatype a_type, rocblas_int lda,                                     \
     const void *b, rocblas_datatype b_type, rocblas_int ldb, const void *beta,                                      \
     const void *c, rocblas_datatype c_type, rocblas_int ldc, void *d, rocblas_datatype d_type, rocblas_int ldd,     \
     rocblas_datatype compute, rocblas_gemm_algo algorithm, int32_t solution, uint32_t flags))                       \
  X(gemm_batched, rocblas_gemm_strided_batched_ex,                                                                   \
    (rocblas_handle h, rocblas_operation a_op, rocblas_operation b_op, rocblas_int m, rocblas_int n, rocblas_int k,  \
     const void *alpha, const void *a, rocblas_datatype a_type, rocblas_int lda, rocblas_stride a_step,              \
     const void *b, rocblas_datatype b_type, rocblas_int ldb, rocblas_stride b_step, const void *beta,               \
     const void *c, rocblas_datatype c_type, rocblas_int ldc, rocblas_stride c_step,                                 \
     void *d, rocblas_datatype d_type, rocblas_int ldd, rocblas_stride d_step, rocblas_int count,                    \
     rocblas_datatype compute, rocblas_gemm_algo algorithm, int32_t solution, uint32_t flags))                       \
  X(gemm_listed, rocblas_gemm_batched_ex,                                                                            \
    (rocblas_handle h, rocblas_operation a_op, rocblas_operation b_op, rocblas_int m, rocblas_int n, rocblas_int k,  \
     const void *alpha, const void *a, rocblas_datatype a_type, rocblas_int lda,                                     \
     const void *b, rocblas_datatype b_type, rocblas_int ldb, const void *beta,                                      \
     const void *c, rocblas_datatype c_type, rocblas_int ldc, void *d, rocblas_datatype d_type, rocblas_int ldd,     \
     rocblas_int count, rocblas_datatype compute, rocblas_gemm_algo algorithm, int32_t solution, uint32_t flags))

/* The functions for a handle. Between query_start and query_stop, routines compute nothing: query_stop returns the
** bytes of scratch memory that they need. */
#define ROCBLAS_HANDLE_FUNCTIONS(X)                                                                                  \
  X(create,        rocblas_create_handle,                  (rocblas_handle *h))                                      \
  X(destroy,       rocblas_destroy_handle,                 (rocblas_handle h))                                       \
  X(set_stream,    rocblas_set_stream,                     (rocblas_handle h, hipStream_t s))                        \
  X(set_atomics,   rocblas_set_atomics_mode,               (rocblas_handle h, rocblas_atomics_mode mode))            \
  X(set_workspace, rocblas_set_workspace,                  (rocblas_handle h, void *memory, size_t bytes))           \
  X(query_start,   rocblas_start_device_memory_size_query, (rocblas_handle h))                                       \
  X(query_stop,    rocblas_stop_device_memory_size_query,  (rocblas_handle h, size_t *bytes))

#endif
