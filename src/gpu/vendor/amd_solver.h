#ifndef LT_GPU_VENDOR_AMD_SOLVER_H
#define LT_GPU_VENDOR_AMD_SOLVER_H

/* The functions of rocSOLVER and the numbers of its enums. With LT_CHECK_HIP (make lint, if AMD's headers are
** installed) both are compared with AMD's headers. amd_blas.h must be included before. */

#ifdef LT_CHECK_HIP
#include <rocsolver/rocsolver.h>
#else
typedef int rocblas_svect, rocblas_evect, rocblas_workmode;
typedef struct { float re, im; } rocblas_float_complex;
typedef struct { double re, im; } rocblas_double_complex;
#endif

/* X(luatensor's name, AMD's name, value) */
#define ROCSOLVER_CONSTANTS(X)                                                                                       \
  X(ROCSOLVER_SVD_ALL,      rocblas_svect_all,              191)                                                     \
  X(ROCSOLVER_SVD_THIN,     rocblas_svect_singular,         192)                                                     \
  X(ROCSOLVER_SVD_VALUES,   rocblas_svect_none,             194)                                                     \
  X(ROCSOLVER_FAST,         rocblas_outofplace,             201)                                                     \
  X(ROCSOLVER_VECTORS,      rocblas_evect_original,         211)                                                     \
  X(ROCSOLVER_VALUES,       rocblas_evect_none,             213)

#define ROCSOLVER_CONSTANT(ours, theirs, value) ours = value,
enum { ROCSOLVER_CONSTANTS(ROCSOLVER_CONSTANT) };
#undef ROCSOLVER_CONSTANT

/* The routines for elements of type T, whose real part has type R, as X(field, symbol, parameters). The symbols contain
** the letter of the type, and the LAPACK prefixes of orthogonal and of symmetric matrices. e is an array of as many
** numbers as there are values; info is in device memory. */
#define ROCSOLVER_FUNCTIONS(X, letter, orthogonal, symmetric, T, R)                                                  \
  X(potrf, rocsolver_##letter##potrf,                                                                                \
    (rocblas_handle h, rocblas_fill triangle, rocblas_int n, T *a, rocblas_int lda, rocblas_int *info))              \
  X(getrf, rocsolver_##letter##getrf,                                                                                \
    (rocblas_handle h, rocblas_int m, rocblas_int n, T *a, rocblas_int lda, rocblas_int *pivots, rocblas_int *info)) \
  X(getrs, rocsolver_##letter##getrs,                                                                                \
    (rocblas_handle h, rocblas_operation op, rocblas_int n, rocblas_int k, T *a, rocblas_int lda,                    \
     const rocblas_int *pivots, T *b, rocblas_int ldb))                                                              \
  X(geqrf, rocsolver_##letter##geqrf,                                                                                \
    (rocblas_handle h, rocblas_int m, rocblas_int n, T *a, rocblas_int lda, T *tau))                                 \
  X(orgqr, rocsolver_##letter##orthogonal##gqr,                                                                      \
    (rocblas_handle h, rocblas_int m, rocblas_int n, rocblas_int k, T *a, rocblas_int lda, T *tau))                  \
  X(syevd, rocsolver_##letter##symmetric##evd,                                                                       \
    (rocblas_handle h, rocblas_evect v, rocblas_fill triangle, rocblas_int n, T *a, rocblas_int lda, R *w, R *e,     \
     rocblas_int *info))                                                                                             \
  X(gesvd, rocsolver_##letter##gesvd,                                                                                \
    (rocblas_handle h, rocblas_svect left, rocblas_svect right, rocblas_int m, rocblas_int n, T *a, rocblas_int lda, \
     R *s, T *u, rocblas_int ldu, T *vt, rocblas_int ldvt, R *e, rocblas_workmode mode, rocblas_int *info))

#endif
