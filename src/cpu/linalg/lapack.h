#ifndef LT_CPU_LINALG_LAPACK_H
#define LT_CPU_LINALG_LAPACK_H

/* Declarations of LAPACK's Fortran routines, as OpenBLAS and Accelerate export them. All arguments are addresses, and
** integers have 32 bits. The length of each text argument follows after the last argument, as gfortran requires. No
** header declares these routines. */

#include <stddef.h>

#include "base/calls.h"

/* Routines that have the same arguments for all element types for which luatensor calls them. */
typedef void gemm_fn(const char *transa, const char *transb, const int *m, const int *n, const int *k, const void *alpha,
                     const void *a, const int *lda, const void *b, const int *ldb, const void *beta, void *c,
                     const int *ldc, size_t, size_t);
typedef void gemv_fn(const char *trans, const int *m, const int *n, const void *alpha, const void *a, const int *lda, const void *x,
                     const int *incx, const void *beta, void *y, const int *incy, size_t);
typedef void trsm_fn(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
                     const void *alpha, const void *a, const int *lda, void *b, const int *ldb, size_t, size_t, size_t,
                     size_t);
typedef void syrk_fn(const char *uplo, const char *trans, const int *n, const int *k, const void *alpha, const void *a,
                     const int *lda, const void *beta, void *c, const int *ldc, size_t, size_t);
typedef void geqrt3_fn(const int *m, const int *n, void *a, const int *lda, void *t, const int *ldt, int *info);
typedef void larft_fn(const char *direct, const char *storev, const int *n, const int *k, const void *v, const int *ldv,
                      const void *tau, void *t, const int *ldt, size_t, size_t);
typedef void larfg_fn(const int *n, void *alpha, void *x, const int *incx, void *tau);
typedef void lascl_fn(const char *type, const int *kl, const int *ku, const void *from, const void *to, const int *m, const int *n,
                      void *a, const int *lda, int *info, size_t);
typedef void ormbr_fn(const char *which, const char *side, const char *trans, const int *m, const int *n, const int *k,
                      const void *a, const int *lda, const void *tau, void *c, const int *ldc, void *work, const int *lwork,
                      int *info, size_t, size_t, size_t);
typedef void lalsd_fn(const char *uplo, const int *smallest, const int *n, const int *nrhs, void *d, void *e, void *b, const int *ldb,
                      const void *rcond, int *rank, void *work, int *iwork, int *info, size_t);
typedef void sytrd_fn(const char *uplo, const int *n, void *a, const int *lda, void *d, void *e, void *tau, void *work,
                      const int *lwork, int *info, size_t);
typedef void stedc_fn(const char *compz, const int *n, void *d, void *e, void *z, const int *ldz, void *work,
                      const int *lwork, int *iwork, const int *liwork, int *info, size_t);
typedef void laed2_fn(int *k, const int *n, const int *n1, void *d, void *q, const int *ldq, int *indxq, void *rho, void *z, void *poles,
                      void *w, void *q2, int *indx, int *indxc, int *indxp, int *coltyp, int *info);
typedef void laed4_fn(const int *n, const int *i, const void *d, const void *z, void *delta, const void *rho, void *value, int *info);
typedef void lamrg_fn(const int *n1, const int *n2, const void *a, const int *step1, const int *step2, int *index);
typedef void bdsdc_fn(const char *uplo, const char *compq, const int *n, void *d, void *e, void *u, const int *ldu,
                      void *vt, const int *ldvt, void *q, int *iq, void *work, int *iwork, int *info, size_t, size_t);
typedef void laswp_fn(const int *n, void *a, const int *lda, const int *first, const int *last, const int *pivots,
                      const int *step);
typedef void potrf_fn(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t);
typedef void getrf_fn(const int *m, const int *n, void *a, const int *lda, int *pivots, int *info);
typedef void getrs_fn(const char *trans, const int *n, const int *nrhs, const void *a, const int *lda,
                      const int *pivots, void *b, const int *ldb, int *info, size_t);
typedef void getri_fn(const int *n, void *a, const int *lda, const int *pivots, void *work, const int *lwork,
                      int *info);
typedef void geqrf_fn(const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *lwork,
                      int *info);
typedef void orgqr_fn(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau, void *work,
                      const int *lwork, int *info);

/* Routines that have additional real work arrays for complex elements. */
typedef void gesdd_fn(const char *job, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                      const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, int *iwork, int *info,
                      size_t);
typedef void complex_gesdd_fn(const char *job, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                              const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, void *rwork,
                              int *iwork, int *info, size_t);
typedef void syevd_fn(const char *job, const char *uplo, const int *n, void *a, const int *lda, void *w, void *work,
                      const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t);
typedef void heevd_fn(const char *job, const char *uplo, const int *n, void *a, const int *lda, void *w, void *work,
                      const int *lwork, void *rwork, const int *lrwork, int *iwork, const int *liwork, int *info,
                      size_t, size_t);
typedef void geev_fn(const char *left, const char *right, const int *n, void *a, const int *lda, void *wr, void *wi,
                     void *vl, const int *ldvl, void *vr, const int *ldvr, void *work, const int *lwork, int *info,
                     size_t, size_t);
typedef void complex_geev_fn(const char *left, const char *right, const int *n, void *a, const int *lda, void *w,
                             void *vl, const int *ldvl, void *vr, const int *ldvr, void *work, const int *lwork,
                             void *rwork, int *info, size_t, size_t);
typedef void gelsd_fn(const int *m, const int *n, const int *nrhs, void *a, const int *lda, void *b, const int *ldb,
                      void *s, const void *rcond, int *rank, void *work, const int *lwork, int *iwork, int *info);
typedef void complex_gelsd_fn(const int *m, const int *n, const int *nrhs, void *a, const int *lda, void *b,
                              const int *ldb, void *s, const void *rcond, int *rank, void *work, const int *lwork,
                              void *rwork, int *iwork, int *info);

/* The routines of one element type. If a routine has different arguments for real and complex elements, it has two
** fields, and only the field for this element type is set. */
typedef struct lapack {
  bool is_complex;
  size_t size, real_size;      /* the sizes in bytes of an element and of its real part */
  gemm_fn  *gemm;
  gemv_fn  *gemv;
  larfg_fn *larfg;
  trsm_fn  *trsm;
  syrk_fn  *syrk;              /* for complex elements, this is the routine herk */
  laswp_fn *laswp;
  geqrt3_fn *geqrt3;
  larft_fn *larft;
  lascl_fn *lascl;             /* lascl to lalsd are NULL for complex elements */
  sytrd_fn *sytrd;
  stedc_fn *stedc;
  laed2_fn *laed2;
  laed4_fn *laed4;
  lamrg_fn *lamrg;
  bdsdc_fn *bdsdc;
  ormbr_fn *ormbr;
  lalsd_fn *lalsd;
  potrf_fn *potrf;
  getrf_fn *getrf;
  getrs_fn *getrs;
  getri_fn *getri;
  geqrf_fn *geqrf;
  orgqr_fn *orgqr;
  gesdd_fn *gesdd;
  complex_gesdd_fn *complex_gesdd;
  syevd_fn *syevd;
  heevd_fn *heevd;
  geev_fn *geev;
  complex_geev_fn *complex_geev;
  gelsd_fn *gelsd;
  complex_gelsd_fn *complex_gelsd;
} lapack;

/* Returns the routines for a dtype, or NULL if LAPACK does not support the dtype. */
const lapack *lapack_of(enum dtype d);

/* Returns the length that a query of LAPACK has written to work[0]. A float is rounded up, because a float may have
** lost the last digits of the length. */
int64_t lapack_work_length(const lapack *l, const void *work);

/* True if none of the `count` elements is NaN or infinite. */
bool lapack_is_finite(const lapack *l, const void *x, int64_t count);

/* If one of the `count` elements is NaN, sets all of them to NaN and returns true. */
bool lapack_spread_nan(const lapack *l, void *x, int64_t count);

#endif
