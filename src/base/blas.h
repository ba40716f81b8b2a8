#ifndef LT_BASE_BLAS_H
#define LT_BASE_BLAS_H

/* The layout of a matrix in terms of BLAS (transposition and leading dimension), for the kernels of all devices. */

#include <stdbool.h>
#include <stdint.h>

/* A matrix is row-major, or column-major if `trans` is set. */
typedef struct blas_matrix {
  bool    trans;
  int64_t ld;                /* elements from one row (trans: column) to the next */
} blas_matrix;

/* True if BLAS can address a rows × columns matrix with these strides; *m is then its layout. One stride must be 1,
** the other at least the length of the contiguous dim and at most max_ld. The stride of a dim of length 1 is
** ignored. */
static inline bool blas_address(int64_t rows, int64_t columns, const int64_t stride[2], int64_t max_ld,
                                blas_matrix *m) {
  for (int trans = 0; trans < 2; trans++) {
    int64_t outer = trans ? columns : rows, inner = trans ? rows : columns;
    int64_t step = outer == 1 ? inner : stride[trans], unit = inner == 1 ? 1 : stride[!trans];
    if (unit != 1 || step < inner || step < 1 || step > max_ld) continue;
    *m = (blas_matrix){trans, step};
    return true;
  }
  return false;
}

#endif
