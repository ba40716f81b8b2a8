#ifndef LT_OP_LINALG_H
#define LT_OP_LINALG_H

/* Linear algebra by LAPACK or by a device's own library. These functions determine dtypes and shapes, copy inputs into
** the memory order that LAPACK requires, and call the device. They raise no Lua errors. */

#include "op/op.h"

enum { LINALG_RESULTS = 4 };

/* A result with the dtype and shape that scripts see. If `columns` is true, the matrices are stored column-major. */
typedef struct linalg_result {
  enum dtype dtype;
  shape      shape;
  bool       columns;
} linalg_result;

/* A call. The caller sets the fields up to rtol, and linalg_prepare sets the fields up to `out`. The results of each
** op:
**    cholesky           the triangular factor
**    lu                 L and U in one matrix; the pivots or, if `full` is set, the permutation of the rows
**    solve, lu_solve    x; for lu_solve, a and pivots are results of lu
**    inv, det           the inverse; the determinant
**    slogdet            the sign of the determinant, and the logarithm of its absolute value
**    qr                 Q and R
**    svd                U, the singular values and Vᴴ or, unless `vectors` is set, only the values
**    eigh, eig          the eigenvalues and, if `vectors` is set, the eigenvectors
**    lstsq              the matrix with which LAPACK's gelsd overwrites b (the solution is in the first n rows), the
**                       rank of a, and the singular values of a */
typedef struct linalg_job {
  enum linalg_op op;
  const tensor *a, *b, *pivots;
  bool   upper, full, vectors;
  double rtol;                 /* for lstsq: the relative tolerance; negative means eps * max(m, n) */

  enum dtype dtype;            /* dtype of the computation */
  shape   batch;
  int64_t count, m, n, k;      /* the number of matrices, the rows and columns of a, and the columns of b */
  bool    vector;              /* true if b is a vector, which is treated as one column */
  int     nout;
  linalg_result out[LINALG_RESULTS];

  int64_t failed;              /* after ERR_MATRIX: the first matrix without a result, 0-based */
  int32_t info;                /* after ERR_MATRIX: the info of matrix `failed` (linalg_op in calls.h) */
} linalg_job;

/* Computes dtypes and shapes, without allocating memory. Fails with ERR_RANK, ERR_SQUARE, ERR_INNER (a and b have
** different numbers of rows), ERR_BROADCAST, ERR_NDIM, ERR_DTYPE or ERR_DEVICES. */
int linalg_prepare(linalg_job *j);

/* Computes the results and writes them to the new tensors `out`. Fails with ERR_MATRIX, ERR_MEMORY, ERR_NO_KERNEL, or
** with ERR_OVERFLOW if there are more elements than LAPACK can count. If the call is deferred, the run of the list fails.
** fn: the function of the script, a string literal. */
int linalg_run_later(const char *fn, linalg_job *j, tensor *const *out);

/* Writes the message for ERR_MATRIX: the matrix, and the reason why it has no result. */
void linalg_words(char *text, size_t size, const char *fn, const linalg_job *j);

#endif
